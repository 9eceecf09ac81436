#include "logbook/store/store_directory.h"

#include <utility>

#include "logbook/store/database.h"
#include "logbook/store/posix_file.h"

namespace logbook::store {
namespace {

absl::Status NoStore(const std::string& directory) {
  return NotFound("no store in ", directory, ": create one with logbook log init");
}

}  // namespace

absl::StatusOr<StoreFormat> CheckFormat(const std::string& directory,
                                        const StoreIdentity& expected) {
  absl::StatusOr<StoreFormat> format = ReadFormat(directory);
  if (format.ok()) {
    LOGBOOK_RETURN_IF_ERROR(CheckIdentity(directory, format->identity, expected));
  } else if (absl::IsNotFound(format.status())) {
    if (Database::Exists(StoreDirectory::DatabasePath(directory))) {
      return DataLoss("store ", directory,
                      " has a database but no FORMAT: restore that file from a copy, or move the "
                      "directory away and start in an empty one");
    }
    return NoStore(directory);
  }
  return format;
}

absl::Status CheckDatabaseIsThere(const std::string& directory,
                                  const std::optional<Position>& synced) {
  if (synced.has_value() && !Database::Exists(StoreDirectory::DatabasePath(directory))) {
    return DataLoss("store ", directory, " has lost its database, which held ", synced->seq.value,
                    " events: restore it from a copy, or move the directory away and start in an "
                    "empty one");
  }
  return absl::OkStatus();
}

namespace {

absl::StatusOr<StoreDirectory> Finish(const std::string& directory, StoreFormat format,
                                      LockFile lock) {
  LOGBOOK_ASSIGN_OR_RETURN(std::optional<Position> synced, ReadSynced(directory));
  LOGBOOK_RETURN_IF_ERROR(CheckDatabaseIsThere(directory, synced));
  return StoreDirectory{
      .path = directory,
      .format = std::move(format),
      .synced = synced,
      .database_missing = !Database::Exists(StoreDirectory::DatabasePath(directory)),
      .lock = std::move(lock)};
}

}  // namespace

absl::StatusOr<StoreDirectory> OpenStoreDirectory(const std::string& directory,
                                                  const StoreIdentity& expected,
                                                  StoreAccess access) {
  // Before the lock, which writes; and under it, since another process may have just made it.
  LOGBOOK_RETURN_IF_ERROR(CheckFormat(directory, expected).status());
  LOGBOOK_ASSIGN_OR_RETURN(LockFile lock, access == StoreAccess::kRead
                                              ? LockFile::AcquireForReading(directory)
                                              : LockFile::Acquire(directory));
  LOGBOOK_ASSIGN_OR_RETURN(StoreFormat format, CheckFormat(directory, expected));
  return Finish(directory, std::move(format), std::move(lock));
}

absl::StatusOr<StoreDirectory> OpenOrCreateStoreDirectory(const std::string& directory,
                                                          const StoreIdentity& identity) {
  const absl::Status found = CheckFormat(directory, identity).status();
  if (!absl::IsNotFound(found)) {
    LOGBOOK_RETURN_IF_ERROR(found);
    return OpenStoreDirectory(directory, identity, StoreAccess::kWrite);
  }
  LOGBOOK_RETURN_IF_ERROR(MakeDirectory(directory));
  LOGBOOK_ASSIGN_OR_RETURN(LockFile lock, LockFile::Acquire(directory));
  absl::StatusOr<StoreFormat> format = CheckFormat(directory, identity);
  if (absl::IsNotFound(format.status())) {
    format = StoreFormat{
        .version = kFormatVersion, .uuid = NewUuid(), .identity = identity, .restored = {}};
    LOGBOOK_RETURN_IF_ERROR(WriteFormat(directory, *format));
  }
  LOGBOOK_RETURN_IF_ERROR(format.status());
  return Finish(directory, *std::move(format), std::move(lock));
}

}  // namespace logbook::store
