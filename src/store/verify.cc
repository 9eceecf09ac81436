#include "logbook/store/verify.h"

#include <memory>
#include <optional>

#include "logbook/store/checkpoint.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/tail.h"
#include "logbook/store/verify_checks.h"

namespace logbook::store {
namespace {

// An error that is damage becomes a finding; any other is passed on.
absl::Status NoteDamage(VerifyReport& report, std::string_view check, const absl::Status& status) {
  if (!absl::IsDataLoss(status)) {
    return status;
  }
  report.findings.push_back({.check = std::string(check), .text = std::string(status.message())});
  return absl::OkStatus();
}

// FORMAT and SYNCED, as far as they can be read.
absl::StatusOr<VerifiedFiles> ReadFiles(const std::string& directory, VerifyReport& report) {
  VerifiedFiles files;
  const absl::StatusOr<StoreFormat> format = CheckFormat(directory, {});
  LOGBOOK_RETURN_IF_ERROR(NoteDamage(report, "files", format.status()));
  if (format.ok()) {
    files.store = format->uuid;
  }
  // After FORMAT: a store of a newer format is not even locked.
  LOGBOOK_ASSIGN_OR_RETURN(files.lock, LockFile::AcquireForReading(directory));
  const absl::StatusOr<std::optional<Position>> synced = ReadSynced(directory);
  LOGBOOK_RETURN_IF_ERROR(NoteDamage(report, "synced", synced.status()));
  files.synced_is_damaged = !synced.ok();
  files.synced = synced.value_or(std::nullopt);
  return files;
}

// The database, or null if that is damaged.
absl::StatusOr<std::unique_ptr<Database>> OpenDatabase(const VerifyOptions& options,
                                                       const VerifiedFiles& files,
                                                       VerifyReport& report) {
  const std::string path = StoreDirectory::DatabasePath(options.directory);
  const absl::Status there = CheckDatabaseIsThere(options.directory, files.synced);
  if (!there.ok()) {
    LOGBOOK_RETURN_IF_ERROR(NoteDamage(report, "files", there));
    return nullptr;
  }
  if (!Database::Exists(path) && report.ok()) {
    return NotFound("creating store ", options.directory,
                    " was interrupted: take it up again with logbook log init");
  }
  absl::StatusOr<std::unique_ptr<Database>> database =
      Database::Open({.directory = path,
                      .read_only = true,
                      .recovery = WalRecovery::kTolerateTornTail,
                      .logger = options.logger});
  if (!database.ok()) {
    LOGBOOK_RETURN_IF_ERROR(NoteDamage(report, "database", database.status()));
    return nullptr;
  }
  return database;
}

}  // namespace

absl::StatusOr<VerifyReport> VerifyStore(const VerifyOptions& options) {
  VerifyReport damage;
  LOGBOOK_ASSIGN_OR_RETURN(const VerifiedFiles files, ReadFiles(options.directory, damage));
  LOGBOOK_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                           OpenDatabase(options, files, damage));
  if (database == nullptr) {
    return damage;
  }
  const auto dictionaries = Dictionaries::Load(*database);
  if (!dictionaries.ok()) {
    LOGBOOK_RETURN_IF_ERROR(NoteDamage(damage, "dictionaries", dictionaries.status()));
    return damage;  // without them hardly anything can be read
  }
  Verification verification(options, files, *database, **dictionaries);
  verification.report = std::move(damage);
  CheckStateSeq(verification);
  CheckWatermark(verification);
  CheckDictionaries(verification);
  CheckEvents(verification);
  CheckMeta(verification);
  CheckSynced(verification);
  CheckBookmarks(verification);
  CheckStateRows(verification);
  CheckBaseRows(verification);
  CheckHistoryRows(verification);
  CheckNameRows(verification);
  verification.FoundIfError("tables", database->VerifyChecksums());
  return std::move(verification.report);
}

void CheckStateSeq(Verification& verification) {
  const absl::StatusOr<EventSeq> state_seq = ReadStateSeq(verification.database);
  verification.FoundIfError("meta", state_seq.status());
  verification.state_seq = state_seq.value_or(EventSeq(0));
}

void CheckWatermark(Verification& verification) {
  const absl::StatusOr<Position> watermark = ReadWatermark(verification.database);
  verification.FoundIfError("meta", watermark.status());
  verification.watermark = watermark.value_or(Position());
  // Without a checkpoint, which a damaged tail may have taken along, a start folds from the base.
  if (verification.state_seq > EventSeq(0) && verification.watermark.seq > verification.state_seq) {
    verification.Found("meta", "events up to ", verification.watermark.seq.value,
                       " were trimmed, but state_seq is ", verification.state_seq.value);
  }
}

void CheckMeta(Verification& verification) {
  const Database& database = verification.database;
  const EventSeq last = verification.report.position.seq;
  const absl::StatusOr<std::string> uuid = database.Get(ColumnFamily::kMeta, kMetaStore);
  verification.FoundIfError("meta", uuid.status());
  const std::optional<std::string>& store = verification.files.store;
  if (uuid.ok() && store && *uuid != *store) {
    verification.Found("meta", "FORMAT names store ", *store, ", the database is of store ", *uuid);
  }
  const absl::StatusOr<std::string> row = database.Get(ColumnFamily::kMeta, kMetaRun);
  const absl::StatusOr<uint64_t> run =
      row.ok() ? DecodeNumber(*row) : absl::StatusOr<uint64_t>(row.status());
  verification.FoundIfError("meta", run.status());
  if (run.ok() && *run < verification.report.position.run.value) {
    verification.Found("meta", "run is ", *run, ", but event ", last.value, " is of run ",
                       verification.report.position.run.value);
  }
  if (verification.state_seq > last) {
    verification.Found("meta", "state_seq is ", verification.state_seq.value,
                       ", but the last event is ", last.value);
  }
}

void CheckSynced(Verification& verification) {
  const std::optional<Position>& synced = verification.files.synced;
  const EventSeq last = verification.report.position.seq;
  if (verification.files.synced_is_damaged) {
    return;  // found already
  }
  if (!synced) {
    verification.Found("synced", "SYNCED is missing");
  } else if (synced->seq > last) {
    verification.Found("synced", "event ", synced->seq.value,
                       " had been synced (SYNCED), but the last event is ", last.value);
  } else if (synced->seq == verification.watermark.seq) {
    if (synced->chain != verification.watermark.chain) {
      verification.Found("synced", "event ", synced->seq.value,
                         " is not the one that was synced (SYNCED)");
    }
  } else if (synced->seq > verification.watermark.seq) {
    const absl::StatusOr<std::string> record =
        verification.database.Get(ColumnFamily::kEvents, EventRowKey(synced->seq));
    const absl::StatusOr<Chain> chain =
        record.ok() ? ChainOf(*record) : absl::StatusOr<Chain>(record.status());
    verification.FoundIfError("synced", chain.status());
    if (chain.ok() && *chain != synced->chain) {
      verification.Found("synced", "event ", synced->seq.value,
                         " is not the one that was synced (SYNCED)");
    }
  }
}

}  // namespace logbook::store
