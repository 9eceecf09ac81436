#include "logbook/store/posix_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace logbook::store {

FileHandle::~FileHandle() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

absl::Status FileError(std::string_view action, const std::string& path, int error) {
  const std::string text =
      Concat("cannot ", action, " ", path, ": ", std::generic_category().message(error));
  switch (error) {
    case ENOENT:
      return NotFound(text);
    case EACCES:
    case EPERM:
    case EROFS:
      return PermissionDenied(text, ": make it accessible for this user");
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EBUSY:  // a mount point cannot be renamed
    case ENOTEMPTY:
    case EXDEV:
      return FailedPrecondition(text, ": use another path");
    case EDQUOT:
    case ENOSPC:
      return ResourceExhausted(text, ": free space");
    default:
      return Unavailable(text, ": check the volume");
  }
}

absl::StatusOr<FileHandle> OpenFile(const std::string& path, int flags) {
  constexpr mode_t kMode = 0640;
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, kMode);
  if (fd < 0) {
    return FileError("open", path, errno);
  }
  return FileHandle(fd);
}

absl::Status WriteAll(const FileHandle& file, const std::string& path, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.fd(), content.data(), content.size());
    if (written < 0 && errno != EINTR) {
      return FileError("write", path, errno);
    }
    content.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status SyncFile(const FileHandle& file, const std::string& path) {
  return ::fsync(file.fd()) == 0 ? absl::OkStatus() : FileError("fsync", path, errno);
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  LOGBOOK_ASSIGN_OR_RETURN(const FileHandle file, OpenFile(path, O_RDONLY));
  std::string content;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t size = ::read(file.fd(), buffer.data(), buffer.size());
    if (size == 0) {
      return content;
    }
    if (size > 0) {
      content.append(buffer.data(), static_cast<size_t>(size));
    } else if (errno != EINTR) {
      return FileError("read", path, errno);
    }
  }
}

absl::Status ReplaceFile(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".new";
  LOGBOOK_ASSIGN_OR_RETURN(const FileHandle file,
                           OpenFile(temporary, O_WRONLY | O_CREAT | O_TRUNC));
  LOGBOOK_RETURN_IF_ERROR(WriteAll(file, temporary, content));
  LOGBOOK_RETURN_IF_ERROR(SyncFile(file, temporary));
  return Rename(temporary, path);
}

absl::Status MakeDirectory(const std::string& directory) {
  constexpr mode_t kMode = 0750;  // what is in it holds objects of a cluster, secrets among them
  const std::filesystem::path path(directory);
  if (!path.has_filename()) {  // "data/"
    return path.has_relative_path() ? MakeDirectory(path.parent_path()) : absl::OkStatus();
  }
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    // Whoever made it may have ended before this. If it was not one of us, we may not be allowed
    // to.
    (void)SyncDirectory(parent);
    return absl::OkStatus();
  }
  LOGBOOK_RETURN_IF_ERROR(MakeDirectory(parent));
  const int failure = ::mkdir(directory.c_str(), kMode) == 0 ? 0 : errno;
  if (failure != 0 && !std::filesystem::is_directory(path, error)) {  // another made it meanwhile
    return FileError("create", directory, failure == EEXIST ? ENOTDIR : failure);
  }
  return SyncDirectory(parent);
}

absl::Status SyncDirectory(const std::string& directory) {
  LOGBOOK_ASSIGN_OR_RETURN(const FileHandle file, OpenFile(directory, O_RDONLY | O_DIRECTORY));
  return SyncFile(file, directory);
}

std::string ParentOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent;
}

absl::Status Rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return FileError("rename", from, errno);
  }
  return SyncDirectory(ParentOf(to));
}

}  // namespace logbook::store
