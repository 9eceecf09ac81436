#include "logbook/store/restore.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>

#include "logbook/model/record_codec.h"
#include "logbook/store/database.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/lock_file.h"
#include "logbook/store/posix_file.h"
#include "logbook/store/staged_directory.h"
#include "logbook/store/store_directory.h"
#include "logbook/store/tail.h"
#include "logbook/store/verify.h"

namespace logbook::store {
namespace {

namespace fs = std::filesystem;

absl::Status CheckBackup(const std::string& backup, const Logger& logger) {
  LOGBOOK_ASSIGN_OR_RETURN(const VerifyReport report,
                           VerifyStore({.directory = backup, .logger = logger, .progress = {}}));
  if (report.ok()) {
    return absl::OkStatus();
  }
  const Finding& first = report.findings.front();
  return DataLoss("backup ", backup, " is not sound (", first.check, ": ", first.text,
                  "): take another one");
}

absl::Status CopyDatabase(const std::string& from, const std::string& to) {
  LOGBOOK_RETURN_IF_ERROR(MakeDirectory(to));
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(from, error)) {
    const std::string copy = to + "/" + entry.path().filename().string();
    fs::copy_file(entry.path(), copy, error);
    if (error) {
      return FileError("copy", entry.path().string(), error.value());
    }
    LOGBOOK_ASSIGN_OR_RETURN(const FileHandle file, OpenFile(copy, O_RDONLY));
    LOGBOOK_RETURN_IF_ERROR(SyncFile(file, copy));
  }
  return error ? FileError("list", from, error.value()) : SyncDirectory(to);
}

Event GapOf(const std::string& old_uuid, EventSeq seq, RunId run, absl::Time now) {
  return Event{.seq = seq,
               .run = run,
               .wall_time = now,
               .stream = {},
               .subjects = {},
               .resource_version = {},
               .causes = {},
               .marks = {},
               .body = Gap{.reason = Concat("restored from a backup of store ", old_uuid,
                                            ", which ends at event ", seq.value - 1,
                                            ": what came after it is missing"),
                           .first_missing = seq,
                           .last_missing = {}}};
}

// The original may have gone on with the runs after the backup's, and operation ids name run and
// seq: handlers must not take ours for theirs. No store was opened once for each second since 1970.
RunId RunOf(uint64_t last_run, absl::Time now) {
  return RunId(std::max(last_run + 1,
                        static_cast<uint64_t>(std::max<int64_t>(0, absl::ToUnixSeconds(now)))));
}

// Makes the copied database one of `uuid`; returns the position of its Gap event.
absl::StatusOr<Position> TurnInto(const std::string& uuid, const std::string& old_uuid,
                                  const std::string& path, absl::Time now, const Logger& logger) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                           Database::Open({.directory = path, .logger = logger}));
  LOGBOOK_ASSIGN_OR_RETURN(const Position watermark, ReadWatermark(*database));
  LOGBOOK_ASSIGN_OR_RETURN(const Tail tail, CheckTail(*database, std::nullopt, watermark));
  LOGBOOK_ASSIGN_OR_RETURN(const std::string row, database->Get(ColumnFamily::kMeta, kMetaRun));
  LOGBOOK_ASSIGN_OR_RETURN(const uint64_t last_run, DecodeNumber(row));
  Position end{.seq = tail.good.seq.Next(), .run = RunOf(last_run, now), .chain = tail.good.chain};
  RowBatch batch(*database);
  const Event gap = GapOf(old_uuid, end.seq, end.run, now);
  batch.Put(ColumnFamily::kEvents, EventRowKey(gap.seq), RecordCodec().Encode(gap, end.chain));
  batch.Put(ColumnFamily::kMeta, kMetaStore, uuid);
  batch.Put(ColumnFamily::kMeta, kMetaRun, EncodeNumber(end.run.value));
  LOGBOOK_RETURN_IF_ERROR(database->Scan(ColumnFamily::kMeta, kMetaBookmarkPrefix,
                                         EndOfPrefix(kMetaBookmarkPrefix),
                                         [&](std::string_view key, std::string_view) {
                                           batch.Delete(ColumnFamily::kMeta, key);
                                           return true;
                                         }));
  LOGBOOK_RETURN_IF_ERROR(database->Write(batch, Fsync::kYes));
  LOGBOOK_RETURN_IF_ERROR(database->Flush());
  return end;
}

// What was made of a store that is not finished.
class Leftovers {
 public:
  explicit Leftovers(std::string directory)
      : directory_(std::move(directory)), was_there_(fs::exists(directory_)) {}

  ~Leftovers() {
    if (finished_) {
      return;
    }
    std::error_code ignored;  // without FORMAT it is refused anyway
    for (const char* name : {"FORMAT", "SYNCED", "db", "LOGBOOK_LOCK"}) {
      fs::remove_all(directory_ + "/" + name, ignored);
    }
    if (!was_there_) {
      fs::remove(directory_, ignored);
    }
  }

  void Keep() { finished_ = true; }

 private:
  const std::string directory_;
  const bool was_there_;
  bool finished_ = false;
};

}  // namespace

absl::StatusOr<RestoreReport> Restore(const std::string& backup, const std::string& directory,
                                      const Clock& clock, const Logger& logger) {
  LOGBOOK_RETURN_IF_ERROR(CheckFresh(directory));
  LOGBOOK_RETURN_IF_ERROR(CheckBackup(backup, logger));
  LOGBOOK_ASSIGN_OR_RETURN(const StoreDirectory from,
                           OpenStoreDirectory(backup, {}, StoreAccess::kRead));
  Leftovers leftovers(directory);
  LOGBOOK_RETURN_IF_ERROR(MakeDirectory(directory));
  LOGBOOK_ASSIGN_OR_RETURN(const LockFile lock, LockFile::Acquire(directory));
  const std::string database = StoreDirectory::DatabasePath(directory);
  LOGBOOK_RETURN_IF_ERROR(CopyDatabase(from.database_path(), database));
  RestoreReport report{.format = from.format, .last = {}};
  report.format.uuid = NewUuid();
  LOGBOOK_ASSIGN_OR_RETURN(const Position end, TurnInto(report.format.uuid, from.format.uuid,
                                                        database, clock.Now(), logger));
  report.last = EventSeq(end.seq.value - 1);
  report.format.restored = RestoredFrom{.uuid = from.format.uuid, .seq = end.seq};
  LOGBOOK_RETURN_IF_ERROR(WriteSynced(directory, end));
  LOGBOOK_RETURN_IF_ERROR(WriteFormat(directory, report.format));  // last: now it is a store
  leftovers.Keep();
  return report;
}

}  // namespace logbook::store
