#include "logbook/store/rocksdb_status.h"

#include <string>

#include <rocksdb/status.h>

namespace logbook::store {
namespace {

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

absl::Status FromIoError(const rocksdb::Status& status, std::string_view directory) {
  const std::string text = status.ToString();
  // A file that another one names: to open again would find no more.
  if (status.IsPathNotFound() || Has(text, "No such file or directory")) {
    return DataLoss("store ", directory, " has lost a file (", text, ")", kRestoreAdvice);
  }
  if (status.IsNoSpace() || Has(text, "No space left on device")) {
    return ResourceExhausted("store ", directory, ": the disk is full (", text,
                             "): free space, then it is opened again");
  }
  // RocksDB has no code for these; the texts are strerror's and its own.
  if (Has(text, "While lock file") || Has(text, "lock hold by current process")) {
    return FailedPrecondition(
        "store ", directory, " is in use (", text,
        "): stop the other process, or work on a copy made while it was stopped");
  }
  if (Has(text, "Permission denied") || Has(text, "Read-only file system")) {
    return PermissionDenied("store ", directory, " cannot be written (", text,
                            "): make it writable for this user");
  }
  return Unavailable("store ", directory, ": ", text,
                     ": check the volume; the store is opened again");
}

}  // namespace

absl::Status FromRocksDb(const rocksdb::Status& status, std::string_view directory,
                         std::string_view damage) {
  switch (status.code()) {
    case rocksdb::Status::kOk:
      return absl::OkStatus();
    case rocksdb::Status::kNotFound:
      return NotFound("store ", directory, ": no such row");
    case rocksdb::Status::kCorruption:
      return DataLoss("store ", directory, " is damaged (",
                      damage.empty() ? status.ToString() : std::string(damage), ")",
                      kRestoreAdvice);
    case rocksdb::Status::kIOError:
      return FromIoError(status, directory);
    case rocksdb::Status::kBusy:
      return FailedPrecondition(
          "store ", directory, " is in use (", status.ToString(),
          "): stop the other process, or work on a copy made while it was stopped");
    case rocksdb::Status::kInvalidArgument:
      if (Has(status.ToString(), "does not exist (create_if_missing is false)")) {
        return DataLoss("store ", directory, " has lost the file CURRENT", kRestoreAdvice);
      }
      // Opening tries what the file system can do, and takes any failure there for a wrong option;
      // for one that we never ask for, if its second try succeeds.
      if (Has(status.ToString(), "IO error: ") ||
          Has(status.ToString(), "Direct I/O is not supported")) {
        return FromIoError(status, directory);
      }
      [[fallthrough]];
    case rocksdb::Status::kNotSupported:
      return FailedPrecondition("store ", directory, " does not fit this build (",
                                status.ToString(), "): use the build that wrote it");
    case rocksdb::Status::kShutdownInProgress:
      return Cancelled("store ", directory, " is closing");
    case rocksdb::Status::kIncomplete:
    case rocksdb::Status::kTimedOut:
    case rocksdb::Status::kTryAgain:
      return Unavailable("store ", directory, ": ", status.ToString(), ": try again");
    default:
      return Internal("store ", directory, ": ", status.ToString());
  }
}

}  // namespace logbook::store
