#include "logbook/store/tail_recovery.h"

#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

#include "absl/strings/strip.h"

#include "logbook/store/key_codec.h"
#include "logbook/store/manifest.h"
#include "logbook/store/posix_file.h"
#include "logbook/store/rocksdb_status.h"

namespace logbook::store {
namespace {

namespace fs = std::filesystem;

// A directory that is gone when this is.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) { Remove(); }

  ~TemporaryDirectory() { Remove(); }

  const std::string& path() const { return path_; }

 private:
  void Remove() {
    std::error_code ignored;  // what is left over is removed the next time
    fs::remove_all(path_, ignored);
  }

  const std::string path_;
};

std::string CopyPath(const std::string& database) {
  return database + ".copy";
}

// Table files are never changed once written, so a second name for them will do.
absl::Status CopyDatabase(const std::string& from, const std::string& to) {
  LOGBOOK_RETURN_IF_ERROR(MakeDirectory(to));
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(from, error)) {
    const fs::path target = fs::path(to) / entry.path().filename();
    if (entry.path().extension() == ".sst") {
      fs::create_hard_link(entry.path(), target, error);
    } else {
      fs::copy_file(entry.path(), target, error);
    }
    if (error) {
      return FileError("copy", entry.path().string(), error.value());
    }
  }
  return error ? FileError("list", from, error.value()) : absl::OkStatus();
}

absl::Status DeleteRows(const Database& database, ColumnFamily family, std::string_view lower,
                        std::string_view upper, RowBatch& batch) {
  return database.Scan(family, lower, upper, [&](std::string_view key, std::string_view) {
    batch.Delete(family, key);
    return true;
  });
}

absl::Status DeleteRowsAbove(const Database& database, ColumnFamily family, EventSeq last,
                             RowBatch& batch) {
  return database.Scan(family, "", "",
                       [&](std::string_view key, std::string_view) -> absl::StatusOr<bool> {
                         LOGBOOK_ASSIGN_OR_RETURN(const NamedSeq name, ParseNamedSeqRowKey(key));
                         if (name.seq > last) {
                           batch.Delete(family, key);
                         }
                         return true;
                       });
}

// The state checkpoint goes as a whole, since each row of it may be ahead of `last`.
absl::Status DeleteDerived(const Database& database, EventSeq last, RowBatch& batch) {
  batch.Delete(ColumnFamily::kMeta, kMetaStateSeq);
  batch.Delete(ColumnFamily::kMeta, kMetaBuild);
  for (ColumnFamily family : {ColumnFamily::kState, ColumnFamily::kTombstones}) {
    LOGBOOK_RETURN_IF_ERROR(DeleteRows(database, family, "", "", batch));
  }
  LOGBOOK_RETURN_IF_ERROR(DeleteRows(database, ColumnFamily::kMeta, kMetaStreamPrefix,
                                     EndOfPrefix(kMetaStreamPrefix), batch));
  LOGBOOK_RETURN_IF_ERROR(DeleteRowsAbove(database, ColumnFamily::kHistory, last, batch));
  return DeleteRowsAbove(database, ColumnFamily::kNames, last, batch);
}

}  // namespace

void RemoveLeftOverCopy(const std::string& database) {
  const TemporaryDirectory left_over(CopyPath(database));
}

absl::StatusOr<std::unique_ptr<Database>> OpenUpToDamage(const DatabaseOptions& options,
                                                         const absl::Status& refusal,
                                                         const Position& synced) {
  DatabaseOptions up_to_damage = options;
  up_to_damage.recovery = WalRecovery::kPointInTime;
  {
    const TemporaryDirectory copy(CopyPath(options.directory));
    LOGBOOK_RETURN_IF_ERROR(CopyDatabase(options.directory, copy.path()));
    const absl::StatusOr<bool> cut = CutManifest(copy.path());
    if (!cut.ok()) {
      return absl::IsNotFound(cut.status()) ? refusal : cut.status();
    }
    DatabaseOptions of_copy = up_to_damage;
    of_copy.directory = copy.path();
    const absl::StatusOr<std::unique_ptr<Database>> database = Database::Open(of_copy);
    if (absl::IsDataLoss(database.status())) {
      return refusal;  // more is damaged than the end of the log
    }
    LOGBOOK_RETURN_IF_ERROR(database.status());
    const absl::StatusOr<Position> watermark = ReadWatermark(**database);
    // Without a record of MANIFEST whole tables may be missing, and those are of any age.
    const uint64_t records = *cut ? std::numeric_limits<uint64_t>::max() : kTailRecords;
    const absl::StatusOr<Tail> tail = watermark.ok()
                                          ? CheckTail(**database, synced, *watermark, records)
                                          : absl::StatusOr<Tail>(watermark.status());
    if (absl::IsDataLoss(tail.status())) {
      return DataLoss(absl::StripSuffix(refusal.message(), ToAbsl(kRestoreAdvice)),
                      "; up to there, ", tail.status().message(), kRestoreAdvice);
    }
    LOGBOOK_RETURN_IF_ERROR(tail.status());
  }
  LOGBOOK_RETURN_IF_ERROR(CutManifest(options.directory).status());
  return Database::Open(up_to_damage);
}

absl::Status CutTail(const Database& database, const Tail& tail, RowBatch& batch) {
  if (!tail.broken.ok()) {
    LOGBOOK_RETURN_IF_ERROR(
        DeleteRows(database, ColumnFamily::kEvents, EventRowKey(tail.good.seq.Next()), "", batch));
    LOGBOOK_RETURN_IF_ERROR(DeleteDerived(database, tail.good.seq, batch));
  }
  return DeleteRows(database, ColumnFamily::kMeta, kMetaBookmarkPrefix,
                    EndOfPrefix(kMetaBookmarkPrefix), batch);
}

}  // namespace logbook::store
