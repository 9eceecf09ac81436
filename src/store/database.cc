#include "logbook/store/database.h"

#include <filesystem>
#include <utility>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include "logbook/base/check.h"
#include "logbook/store/info_log.h"
#include "logbook/store/log_order.h"
#include "logbook/store/posix_file.h"
#include "logbook/store/rocksdb_status.h"

namespace logbook::store {
namespace {

rocksdb::Slice ToSlice(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view ToView(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

std::vector<rocksdb::ColumnFamilyDescriptor> Descriptors() {
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  const auto families = MakeColumnFamilyOptions();
  for (size_t i = 0; i < kColumnFamilies; ++i) {
    descriptors.emplace_back(std::string(kColumnFamilyNames[i]), families[i]);
  }
  descriptors.emplace_back(rocksdb::kDefaultColumnFamilyName, families[0]);
  return descriptors;
}

}  // namespace

Database::Database(std::string directory, const Logger& logger)
    : directory_(std::move(directory)), logger_(logger) {}

Database::~Database() {
  if (db_ == nullptr) {
    return;
  }
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    (void)db_->DestroyColumnFamilyHandle(handle);
  }
  (void)db_->DestroyColumnFamilyHandle(default_handle_);
  const absl::Status closed = FromRocksDb(db_->Close(), directory_);
  if (!closed.ok()) {  // nobody is left to be told; what was acknowledged is on disk
    logger_.Error("Database closed with an error", {{"error", closed}});
  }
}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  std::unique_ptr<Database> database(new Database(options.directory, options.logger));
  LOGBOOK_RETURN_IF_ERROR(database->OpenHandles(options));
  return database;
}

absl::Status Database::OpenHandles(const DatabaseOptions& options) {
  if (options.create_if_missing) {
    // RocksDB would make it too, and report that as an error.
    LOGBOOK_RETURN_IF_ERROR(MakeDirectory(directory_));
  }
  LOGBOOK_RETURN_IF_ERROR(CheckLogOrder(directory_));
  const std::shared_ptr<rocksdb::Logger> info_log = MakeInfoLog(options.logger);
  rocksdb::DBOptions db_options = MakeDbOptions(info_log, options.env, options.recovery);
  db_options.create_if_missing = options.create_if_missing;
  db_options.create_missing_column_families = options.create_if_missing;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status opened =
      options.read_only
          ? rocksdb::DB::OpenForReadOnly(db_options, directory_, Descriptors(), &handles, &db)
          : rocksdb::DB::Open(db_options, directory_, Descriptors(), &handles, &db);
  if (!opened.ok()) {
    return FromRocksDb(opened, directory_, FirstDamage(*info_log));
  }
  db_.reset(db);
  LOGBOOK_CHECK(handles.size() == kColumnFamilies + 1);
  std::copy_n(handles.begin(), kColumnFamilies, handles_.begin());
  default_handle_ = handles.back();
  // A log whose damaged end was cut off must not come back after a power cut, behind which new
  // writes then seem to overlap it.
  return options.read_only ? absl::OkStatus() : SyncDirectory(directory_);
}

bool Database::Exists(const std::string& directory) {
  std::error_code ignored;
  return std::filesystem::exists(directory, ignored) &&
         !std::filesystem::is_empty(directory, ignored);
}

absl::Status Database::Write(RowBatch& batch, Fsync fsync) {
  rocksdb::WriteOptions options;
  options.sync = fsync == Fsync::kYes;
  return FromRocksDb(db_->Write(options, batch.batch_.get()), directory_);
}

absl::StatusOr<std::string> Database::Get(ColumnFamily family, std::string_view key) const {
  std::string value;
  const rocksdb::Status status =
      db_->Get(rocksdb::ReadOptions(), handle(family), ToSlice(key), &value);
  if (!status.ok()) {
    return FromRocksDb(status, directory_);
  }
  return value;
}

absl::Status Database::Scan(ColumnFamily family, std::string_view lower, std::string_view upper,
                            RowVisitor visit) const {
  const rocksdb::Slice upper_bound = ToSlice(upper);
  rocksdb::ReadOptions options;
  options.fill_cache = false;  // long scans would sweep the small cache, and cost a third more
  if (!upper.empty()) {
    options.iterate_upper_bound = &upper_bound;
  }
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator(options, handle(family)));
  for (rows->Seek(ToSlice(lower)); rows->Valid(); rows->Next()) {
    LOGBOOK_ASSIGN_OR_RETURN(const bool go_on, visit(ToView(rows->key()), ToView(rows->value())));
    if (!go_on) {
      return absl::OkStatus();
    }
  }
  return FromRocksDb(rows->status(), directory_);
}

absl::StatusOr<std::string> Database::LastKey(ColumnFamily family) const {
  const std::unique_ptr<rocksdb::Iterator> rows(
      db_->NewIterator(rocksdb::ReadOptions(), handle(family)));
  rows->SeekToLast();
  if (!rows->Valid()) {
    LOGBOOK_RETURN_IF_ERROR(FromRocksDb(rows->status(), directory_));
    return std::string();
  }
  return std::string(ToView(rows->key()));
}

absl::Status Database::Flush() {
  const std::vector<rocksdb::ColumnFamilyHandle*> all(handles_.begin(), handles_.end());
  return FromRocksDb(db_->Flush(rocksdb::FlushOptions(), all), directory_);
}

absl::Status Database::CopyTo(const std::string& directory) const {
  rocksdb::Checkpoint* made = nullptr;
  LOGBOOK_RETURN_IF_ERROR(FromRocksDb(rocksdb::Checkpoint::Create(db_.get(), &made), directory_));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  return FromRocksDb(checkpoint->CreateCheckpoint(directory, 0), directory);
}

absl::Status Database::DropDeletedBelow(ColumnFamily family, std::string_view upper) {
  // Files are removed at once, whatever the log says: so the deletion must be in a table first.
  LOGBOOK_RETURN_IF_ERROR(Flush());
  const rocksdb::Slice end = ToSlice(upper);
  LOGBOOK_RETURN_IF_ERROR(FromRocksDb(
      rocksdb::DeleteFilesInRange(db_.get(), handle(family), nullptr, &end, false), directory_));
  return FromRocksDb(
      db_->CompactRange(rocksdb::CompactRangeOptions(), handle(family), nullptr, &end), directory_);
}

absl::Status Database::VerifyChecksums() const {
  return FromRocksDb(db_->VerifyChecksum(), directory_);
}

uint64_t Database::TableBytes(ColumnFamily family) const {
  uint64_t bytes = 0;
  (void)db_->GetIntProperty(handle(family), rocksdb::DB::Properties::kTotalSstFilesSize, &bytes);
  return bytes;
}

RowBatch::RowBatch(const Database& database)
    : database_(database), batch_(std::make_unique<rocksdb::WriteBatch>()) {}

RowBatch::~RowBatch() = default;

// A batch in memory takes every row, so its statuses say nothing.
void RowBatch::Put(ColumnFamily family, std::string_view key, std::string_view value) {
  const rocksdb::Status status =
      batch_->Put(database_.handle(family), ToSlice(key), ToSlice(value));
  LOGBOOK_CHECK(status.ok());
}

void RowBatch::Delete(ColumnFamily family, std::string_view key) {
  const rocksdb::Status status = batch_->Delete(database_.handle(family), ToSlice(key));
  LOGBOOK_CHECK(status.ok());
}

void RowBatch::DeleteBelow(ColumnFamily family, std::string_view upper) {
  const rocksdb::Status status =
      batch_->DeleteRange(database_.handle(family), rocksdb::Slice(), ToSlice(upper));
  LOGBOOK_CHECK(status.ok());
}

void RowBatch::Clear() {
  batch_->Clear();
}

bool RowBatch::empty() const {
  return batch_->Count() == 0;
}

size_t RowBatch::bytes() const {
  return batch_->GetDataSize();
}

}  // namespace logbook::store
