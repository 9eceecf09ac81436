#include "logbook/store/lock_file.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "logbook/store/text_fields.h"

namespace logbook::store {
namespace {

std::string PathOf(const std::string& directory) {
  return directory + "/LOGBOOK_LOCK";
}

// "process 7 on host web-0", or what can be said if the file does not tell.
std::string Holder(const std::string& directory) {
  const absl::StatusOr<std::string> text = ReadFile(PathOf(directory));
  const absl::StatusOr<TextFields> fields =
      text.ok() ? TextFields::Parse(*text) : absl::StatusOr<TextFields>(text.status());
  if (!fields.ok()) {
    return "another process";
  }
  return Concat("process ", fields->Text("pid").value_or("unknown"), " on host ",
                fields->Text("host").value_or("unknown"));
}

// Errors are not: the lock holds without this.
void WriteHolder(const FileHandle& file) {
  std::array<char, 256> host = {};
  (void)::gethostname(host.data(), host.size() - 1);
  const std::string text = Concat(TextField("pid", Concat(::getpid())),
                                  TextField("host", std::string_view(host.data())));
  if (::ftruncate(file.fd(), 0) == 0) {
    (void)!::pwrite(file.fd(), text.data(), text.size(), 0);
  }
}

absl::Status Lock(const FileHandle& file, short type, const std::string& directory) {
  struct flock whole_file = {};
  whole_file.l_type = type;
  whole_file.l_whence = SEEK_SET;
  if (::fcntl(file.fd(), F_OFD_SETLK, &whole_file) == 0) {
    return absl::OkStatus();
  }
  if (errno == EAGAIN || errno == EACCES) {
    return FailedPrecondition("store ", directory, " is in use by ", Holder(directory),
                              ": stop it, or work on a copy made while it was stopped");
  }
  return FileError("lock", PathOf(directory), errno);
}

}  // namespace

LockFile::LockFile(FileHandle file, std::string directory)
    : file_(std::move(file)), directory_(std::move(directory)) {}

absl::StatusOr<LockFile> LockFile::Acquire(const std::string& directory) {
  LOGBOOK_ASSIGN_OR_RETURN(FileHandle file, OpenFile(PathOf(directory), O_RDWR | O_CREAT));
  LOGBOOK_RETURN_IF_ERROR(Lock(file, F_WRLCK, directory));
  LockFile lock(std::move(file), directory);
  LOGBOOK_RETURN_IF_ERROR(lock.CheckHeld());  // it may have been replaced before it was locked
  WriteHolder(lock.file_);
  return lock;
}

absl::StatusOr<LockFile> LockFile::AcquireForReading(const std::string& directory) {
  absl::StatusOr<LockFile> own = Acquire(directory);
  if (!absl::IsPermissionDenied(own.status())) {
    return own;
  }
  absl::StatusOr<FileHandle> file = OpenFile(PathOf(directory), O_RDONLY);
  if (absl::IsNotFound(file.status())) {
    return LockFile(FileHandle(), directory);
  }
  LOGBOOK_RETURN_IF_ERROR(file.status());
  LOGBOOK_RETURN_IF_ERROR(Lock(*file, F_RDLCK, directory));
  return LockFile(*std::move(file), directory);
}

absl::Status LockFile::CheckHeld() const {
  struct stat locked = {};
  struct stat named = {};
  if (::fstat(file_.fd(), &locked) == 0 && ::stat(PathOf(directory_).c_str(), &named) == 0 &&
      locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) {
    return absl::OkStatus();
  }
  return FailedPrecondition("store ", directory_, ": LOGBOOK_LOCK was removed or replaced, so ",
                            "another process may have opened it: stop all, then start one");
}

}  // namespace logbook::store
