// How a Journal is opened: the order of its steps is the point of this file.
#include <algorithm>
#include <utility>

#include "absl/strings/strip.h"

#include "logbook/store/journal.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/rocksdb_status.h"
#include "logbook/store/tail_recovery.h"

namespace logbook::store {
namespace {

struct OpenedDatabase {
  std::unique_ptr<Database> database;
  absl::Status damage;  // what RocksDB refused at first; OK if it did not
};

absl::StatusOr<OpenedDatabase> OpenDatabase(const JournalOptions& options,
                                            const StoreDirectory& store) {
  if (store.database_missing && !options.create_if_missing) {
    return NotFound("creating store ", store.path,
                    " was interrupted: take it up again with logbook log init");
  }
  const DatabaseOptions of_database{.directory = store.database_path(),
                                    .create_if_missing = !store.synced && !options.read_only,
                                    .read_only = options.read_only,
                                    .logger = options.logger,
                                    .env = options.env};
  OpenedDatabase opened;
  if (!options.read_only) {
    RemoveLeftOverCopy(of_database.directory);
  }
  if (!store.synced && !store.database_missing) {
    options.logger.Info("SYNCED is missing, so any break in the journal is refused",
                        {{"store", store.path}});
  }
  absl::StatusOr<std::unique_ptr<Database>> database = Database::Open(of_database);
  if (absl::IsDataLoss(database.status()) && store.synced && !options.read_only) {
    opened.damage = database.status();
    database = OpenUpToDamage(of_database, opened.damage, *store.synced);
  }
  LOGBOOK_ASSIGN_OR_RETURN(opened.database, std::move(database));
  return opened;
}

// The number in a row of meta, or 0 if there is no such row.
absl::StatusOr<uint64_t> MetaNumber(const Database& database, std::string_view key) {
  const absl::StatusOr<std::string> row = database.Get(ColumnFamily::kMeta, key);
  if (absl::IsNotFound(row.status())) {
    return 0;
  }
  LOGBOOK_RETURN_IF_ERROR(row.status());
  return DecodeNumber(*row);
}

// FORMAT and database may have been copied together from two stores.
absl::Status CheckSameStore(const StoreDirectory& store, const Database& database,
                            const Tail& tail) {
  const absl::StatusOr<std::string> uuid = database.Get(ColumnFamily::kMeta, kMetaStore);
  if (absl::IsNotFound(uuid.status()) && tail.good.seq == EventSeq(0)) {
    return absl::OkStatus();  // just made
  }
  LOGBOOK_RETURN_IF_ERROR(uuid.status());
  if (*uuid != store.format.uuid) {
    return FailedPrecondition("store ", store.path, ": FORMAT names store ", store.format.uuid,
                              ", the database is of store ", *uuid,
                              ": put together what belongs together");
  }
  return absl::OkStatus();
}

// A status of CheckTail, with the store's name and what to do.
absl::Status Refuse(const StoreDirectory& store, const absl::Status& status) {
  return absl::IsDataLoss(status)
             ? DataLoss("store ", store.path, " is damaged: ", status.message(), kRestoreAdvice)
             : status;
}

absl::StatusOr<RunId> LastRun(const StoreDirectory& store, const Database& database) {
  LOGBOOK_ASSIGN_OR_RETURN(const uint64_t run, MetaNumber(database, kMetaRun));
  // The row may have gone with a damaged tail; a number must not be given twice.
  return RunId(std::max(run, store.synced.value_or(Position()).run.value));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(JournalOptions options) {
  LOGBOOK_RETURN_IF_ERROR(options.Validate());
  LOGBOOK_ASSIGN_OR_RETURN(
      StoreDirectory store,
      options.create_if_missing
          ? OpenOrCreateStoreDirectory(options.directory, options.identity)
          : OpenStoreDirectory(options.directory, options.identity,
                               options.read_only ? StoreAccess::kRead : StoreAccess::kWrite));
  LOGBOOK_ASSIGN_OR_RETURN(OpenedDatabase opened, OpenDatabase(options, store));
  const absl::StatusOr<Position> watermark = ReadWatermark(*opened.database);
  if (!watermark.ok()) {
    return Refuse(store, watermark.status());
  }
  const absl::StatusOr<Tail> tail = CheckTail(*opened.database, store.synced, *watermark);
  if (!tail.ok()) {
    return Refuse(store, tail.status());
  }
  LOGBOOK_RETURN_IF_ERROR(CheckSameStore(store, *opened.database, *tail));
  LOGBOOK_ASSIGN_OR_RETURN(const RunId last_run, LastRun(store, *opened.database));
  LOGBOOK_ASSIGN_OR_RETURN(auto dictionaries, Dictionaries::Load(*opened.database));
  const bool read_only = options.read_only;
  std::unique_ptr<Journal> journal(new Journal(
      std::move(options), std::move(store), std::move(opened.database), std::move(dictionaries),
      *tail, *watermark, read_only ? last_run : last_run.Next()));
  if (read_only) {
    if (!tail->broken.ok()) {
      return Refuse(journal->store_, tail->broken);
    }
    absl::MutexLock lock(&journal->mu_);
    journal->closed_ = FailedPrecondition("store ", journal->directory(), " is open read-only");
  } else {
    LOGBOOK_RETURN_IF_ERROR(journal->BeginRun(*tail, opened.damage));
  }
  return journal;
}

absl::Status Journal::BeginRun(const Tail& tail, const absl::Status& damage) {
  RowBatch batch(*database_);
  batch.Put(ColumnFamily::kMeta, kMetaRun, EncodeNumber(run_.value));
  batch.Put(ColumnFamily::kMeta, kMetaStore, store_.format.uuid);
  Position end{.seq = tail.good.seq, .run = run_, .chain = tail.good.chain};
  const absl::Status& why = tail.broken.ok() ? damage : tail.broken;
  if (!why.ok()) {
    LOGBOOK_RETURN_IF_ERROR(CutTail(*database_, tail, batch));
    const Event gap = GapAfter(end.seq, why);
    batch.Put(ColumnFamily::kEvents, EventRowKey(gap.seq), codec_.Encode(gap, end.chain));
    end.seq = gap.seq;
    options_.logger.Error(
        "Unsynced tail of the journal was cut off",
        {{"after", tail.good.seq.value}, {"reason", std::get<Gap>(gap.body).reason}});
  }
  LOGBOOK_RETURN_IF_ERROR(Commit(batch, end, Fsync::kYes));
  return RecordSynced();
}

Event Journal::GapAfter(EventSeq good, const absl::Status& why) const {
  return Event{
      .seq = good.Next(),
      .run = run_,
      .wall_time = options_.clock->Now(),
      .stream = {},
      .subjects = {},
      .resource_version = {},
      .causes = {},
      .marks = {},
      .body = Gap{.reason = Concat("unsynced tail cut off: ",
                                   absl::StripSuffix(why.message(), ToAbsl(kRestoreAdvice))),
                  .first_missing = good.Next(),
                  .last_missing = {}}};
}

}  // namespace logbook::store
