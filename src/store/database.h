// Database: the RocksDB under a store, as tables of rows. Everything else here speaks of rows.
//
// Threads:  Thread-safe.
// Errors:   those of rocksdb_status.h.
// Owns:     the RocksDB handle; closes it in the destructor, without flushing.
//
// Iterators stay inside: RocksDB tells of a read error only to who asks an iterator for its status
// after it has become invalid (693 of 2,000 events were once taken for all). Scan always asks.
#ifndef LOGBOOK_STORE_DATABASE_H_
#define LOGBOOK_STORE_DATABASE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"

#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/store/column_family.h"
#include "logbook/store/options.h"

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
class Env;
class WriteBatch;
}  // namespace rocksdb

namespace logbook::store {

enum class Fsync : bool { kNo, kYes };

struct DatabaseOptions {
  std::string directory;
  bool create_if_missing = false;
  bool read_only = false;  // writes nothing at all, also while opening
  WalRecovery recovery = WalRecovery::kTolerateTornTail;
  Logger logger;
  rocksdb::Env* env = nullptr;  // null: the operating system's
};

// Called for each row in the order of keys; the views stand during the call. False stops the scan,
// an error ends it and is passed on.
using RowVisitor = absl::FunctionRef<absl::StatusOr<bool>(std::string_view, std::string_view)>;

class RowBatch;

class Database {
 public:
  static absl::StatusOr<std::unique_ptr<Database>> Open(const DatabaseOptions& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Whether `directory` holds a database, whole or not.
  static bool Exists(const std::string& directory);

  // All of `batch` or nothing. With Fsync::kYes it and everything before it survives a power cut.
  // After an error it may or may not be there when the database is opened again.
  absl::Status Write(RowBatch& batch, Fsync fsync);

  // Errors: kNotFound.
  absl::StatusOr<std::string> Get(ColumnFamily family, std::string_view key) const;

  // Visits the rows with lower ≤ key < upper; an empty `upper` is no bound.
  absl::Status Scan(ColumnFamily family, std::string_view lower, std::string_view upper,
                    RowVisitor visit) const;

  // The greatest key; empty if there are no rows.
  absl::StatusOr<std::string> LastKey(ColumnFamily family) const;

  // Writes what is only in memory and in the log to table files, so that the next opening has no
  // log to replay. Blocks until it is done.
  absl::Status Flush();

  // Makes a copy of the database in `directory`, which must not exist: everything that was written
  // before the call, and maybe more. Table files get a second name where that goes. Blocks for a
  // flush.
  absl::Status CopyTo(const std::string& directory) const;

  // Gives the space of rows with key < upper back, which must have been deleted. Blocks for as long
  // as it takes to rewrite the table file that the boundary lies in.
  absl::Status DropDeletedBelow(ColumnFamily family, std::string_view upper);

  // Reads all table files and checks their checksums.
  absl::Status VerifyChecksums() const;

  // Of a family's table files; what is only in the log does not count.
  uint64_t TableBytes(ColumnFamily family) const;

  const std::string& directory() const { return directory_; }

 private:
  friend class RowBatch;

  explicit Database(std::string directory, const Logger& logger);

  absl::Status OpenHandles(const DatabaseOptions& options);

  rocksdb::ColumnFamilyHandle* handle(ColumnFamily family) const {
    return handles_[static_cast<size_t>(family)];
  }

  const std::string directory_;
  const Logger logger_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kColumnFamilies> handles_ = {};
  rocksdb::ColumnFamilyHandle* default_handle_ = nullptr;  // RocksDB insists on it; stays empty
};

// Rows that are written together. Confined.
class RowBatch {
 public:
  // `database` outlives the batch.
  explicit RowBatch(const Database& database);
  ~RowBatch();

  void Put(ColumnFamily family, std::string_view key, std::string_view value);
  void Delete(ColumnFamily family, std::string_view key);
  // Deletes the rows with key < upper, at the cost of one.
  void DeleteBelow(ColumnFamily family, std::string_view upper);
  void Clear();

  bool empty() const;
  size_t bytes() const;

 private:
  friend class Database;

  const Database& database_;
  const std::unique_ptr<rocksdb::WriteBatch> batch_;
};

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_DATABASE_H_
