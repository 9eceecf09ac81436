// Files outside of RocksDB: the few calls a store needs, with errors that name file and remedy.
//
// Errors:   kNotFound, kPermissionDenied (also a read-only file system), kResourceExhausted (full
//           disk), kUnavailable for the rest.
#ifndef LOGBOOK_STORE_POSIX_FILE_H_
#define LOGBOOK_STORE_POSIX_FILE_H_

#include <string>
#include <string_view>
#include <utility>

#include "logbook/base/status.h"

namespace logbook::store {

// An open file, closed by the destructor.
class FileHandle {
 public:
  FileHandle() = default;

  explicit FileHandle(int fd) : fd_(fd) {}

  ~FileHandle();

  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

  FileHandle& operator=(FileHandle&& other) noexcept;

  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

// What `error` (an errno) means for `path`: "cannot <action> <path>: …".
absl::Status FileError(std::string_view action, const std::string& path, int error);

// `flags` as for open(2); the file is closed on exec.
absl::StatusOr<FileHandle> OpenFile(const std::string& path, int flags);

// All of `content`, at the file's place. `path` is for the error.
absl::Status WriteAll(const FileHandle& file, const std::string& path, std::string_view content);

absl::Status SyncFile(const FileHandle& file, const std::string& path);

absl::StatusOr<std::string> ReadFile(const std::string& path);

// Replaces the file's content, or creates it: afterwards the old content or the new is there,
// whole, whatever happens meanwhile. Leaves the old content on an error. Blocks for two fsyncs.
absl::Status ReplaceFile(const std::string& path, std::string_view content);

// Makes `directory`, with its parents, if it is not there; others than its owner and group may not
// enter. What was made survives a power cut.
absl::Status MakeDirectory(const std::string& directory);

// Makes what was created, renamed or removed in `directory` survive a power cut.
absl::Status SyncDirectory(const std::string& directory);

// The directory that `path` stands in; "." for a bare name.
std::string ParentOf(const std::string& path);

// Gives `from` the name `to` in the same directory, for good. Replaces a file, not a directory that
// has something in it.
absl::Status Rename(const std::string& from, const std::string& to);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_POSIX_FILE_H_
