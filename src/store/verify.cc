#include "logbook/store/verify.h"

#include <memory>
#include <optional>

#include "logbook/store/checkpoint.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/verify_checks.h"

namespace logbook::store {
namespace {

VerifyReport OneFinding(std::string_view check, const absl::Status& status) {
  VerifyReport report;
  report.findings.push_back({.check = std::string(check), .text = std::string(status.message())});
  return report;
}

}  // namespace

absl::StatusOr<VerifyReport> VerifyStore(const VerifyOptions& options) {
  const absl::StatusOr<StoreDirectory> store = OpenStoreDirectory(options.directory, {});
  if (absl::IsDataLoss(store.status())) {
    return OneFinding("files", store.status());
  }
  LOGBOOK_RETURN_IF_ERROR(store.status());
  const absl::StatusOr<std::unique_ptr<Database>> database =
      Database::Open({.directory = store->database_path(),
                      .read_only = true,
                      .recovery = WalRecovery::kTolerateTornTail,
                      .logger = options.logger});
  if (absl::IsDataLoss(database.status())) {
    return OneFinding("database", database.status());
  }
  LOGBOOK_RETURN_IF_ERROR(database.status());
  LOGBOOK_ASSIGN_OR_RETURN(const auto dictionaries, Dictionaries::Load(**database));
  Verification verification(options, *store, **database, *dictionaries);
  CheckStateSeq(verification);
  CheckDictionaries(verification);
  CheckEvents(verification);
  CheckMeta(verification);
  CheckSynced(verification);
  CheckBookmarks(verification);
  CheckStateRows(verification);
  CheckHistoryRows(verification);
  CheckNameRows(verification);
  verification.FoundIfError("tables", (*database)->VerifyChecksums());
  return std::move(verification.report);
}

void CheckStateSeq(Verification& verification) {
  const absl::StatusOr<EventSeq> state_seq = ReadStateSeq(verification.database);
  verification.FoundIfError("meta", state_seq.status());
  verification.state_seq = state_seq.value_or(EventSeq(0));
}

void CheckMeta(Verification& verification) {
  const Database& database = verification.database;
  const EventSeq last = verification.report.position.seq;
  const absl::StatusOr<std::string> uuid = database.Get(ColumnFamily::kMeta, kMetaStore);
  verification.FoundIfError("meta", uuid.status());
  if (uuid.ok() && *uuid != verification.store.format.uuid) {
    verification.Found("meta", "FORMAT names store ", verification.store.format.uuid,
                       ", the database is of store ", *uuid);
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
  const std::optional<Position>& synced = verification.store.synced;
  const EventSeq last = verification.report.position.seq;
  if (!synced) {
    verification.Found("synced", "SYNCED is missing");
  } else if (synced->seq > last) {
    verification.Found("synced", "event ", synced->seq.value,
                       " had been synced (SYNCED), but the last event is ", last.value);
  } else if (synced->seq > EventSeq(0)) {
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
