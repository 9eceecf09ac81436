// StoreDirectory: the files of a store, locked, before its database is opened.
//
//   FORMAT         whose store, which format
//   SYNCED         how far it had been synced
//   LOGBOOK_LOCK   who has it open
//   db/            the RocksDB
//
// Creating goes FORMAT, db, SYNCED: FORMAT without SYNCED and without db is a creation that was
// interrupted before anything could be stored, and is taken up again.
#ifndef LOGBOOK_STORE_STORE_DIRECTORY_H_
#define LOGBOOK_STORE_STORE_DIRECTORY_H_

#include <optional>
#include <string>

#include "logbook/base/status.h"
#include "logbook/store/format_file.h"
#include "logbook/store/lock_file.h"
#include "logbook/store/position.h"

namespace logbook::store {

struct StoreDirectory {
  std::string path;
  StoreFormat format;
  std::optional<Position> synced;
  bool database_missing = false;  // to be created
  LockFile lock;

  std::string database_path() const { return DatabasePath(path); }

  static std::string DatabasePath(const std::string& directory) { return directory + "/db"; }
};

enum class StoreAccess { kWrite, kRead };

// Locks the store in `directory`; for reading as LockFile::AcquireForReading does. Nothing is
// written if it is not ours or of a newer format. Errors: kNotFound if there is none; kDataLoss if
// parts of it are missing; those of the files.
absl::StatusOr<StoreDirectory> OpenStoreDirectory(const std::string& directory,
                                                  const StoreIdentity& expected,
                                                  StoreAccess access);

// The same, and makes the store if there is none, for which `identity` must be complete.
absl::StatusOr<StoreDirectory> OpenOrCreateStoreDirectory(const std::string& directory,
                                                          const StoreIdentity& identity);

// The parts of it, for who goes on behind a damage. FORMAT, if it fits. Errors: kNotFound if there
// is no store at all; kDataLoss if FORMAT is damaged, or missing beside a database.
absl::StatusOr<StoreFormat> CheckFormat(const std::string& directory,
                                        const StoreIdentity& expected);

// Whether the database is there that `synced` speaks of. Errors: kDataLoss.
absl::Status CheckDatabaseIsThere(const std::string& directory,
                                  const std::optional<Position>& synced);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_STORE_DIRECTORY_H_
