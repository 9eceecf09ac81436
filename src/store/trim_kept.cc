// The end of what trimming has kept.
#include "logbook/store/history_trim.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/trim.h"

namespace logbook::store {
namespace {

constexpr uint64_t kBatchRecords = 1000;

// Adds the removal of the oldest kept records to `batch`, as many as one batch may have; `left`
// becomes what remains. Returns how many that were.
absl::StatusOr<uint64_t> ExpireSome(const Database& database, EventSeq watermark,
                                    const KeptLimits& limits, KeptSize& left, RowBatch& batch,
                                    HistoryTrim& history) {
  uint64_t expired = 0;
  LOGBOOK_RETURN_IF_ERROR(database.Scan(
      ColumnFamily::kBase, kBaseKeptPrefix, EndOfPrefix(kBaseKeptPrefix),
      [&](std::string_view key, std::string_view record) -> absl::StatusOr<bool> {
        LOGBOOK_ASSIGN_OR_RETURN(const EventSeq seq, ParseKeptRowKey(key));
        LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
        if (seq > watermark) {
          return false;  // of a trimming that was cut short: the event is still there
        }
        const bool old = absl::FromUnixNanos(fixed.wall_unix_nanos) < limits.oldest;
        if ((!old && left.bytes <= limits.bytes_max) || expired == kBatchRecords) {
          return false;
        }
        LOGBOOK_ASSIGN_OR_RETURN(const std::vector<ObjectRef> subjects, SubjectsOf(record));
        batch.Delete(ColumnFamily::kBase, key);
        history.Drop(subjects, seq);
        left.bytes -= record.size();
        ++expired;
        return true;
      }));
  return expired;
}

}  // namespace

absl::Status ExpireKept(Journal& journal, const ViewState& view, const KeptLimits& limits) {
  LOGBOOK_ASSIGN_OR_RETURN(KeptSize left, ReadKeptSize(journal.database()));
  uint64_t expired = kBatchRecords;
  while (expired == kBatchRecords) {
    RowBatch batch(journal.database());
    HistoryTrim history(journal.database(), batch);
    LOGBOOK_ASSIGN_OR_RETURN(expired, ExpireSome(journal.database(), journal.watermark().seq,
                                                 limits, left, batch, history));
    LOGBOOK_RETURN_IF_ERROR(history.DropNames(view));
    if (!batch.empty()) {
      LOGBOOK_RETURN_IF_ERROR(journal.WriteDerived(batch));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<KeptSize> ReadKeptSize(const Database& database) {
  KeptSize size;
  LOGBOOK_RETURN_IF_ERROR(database.Scan(ColumnFamily::kBase, kBaseKeptPrefix,
                                        EndOfPrefix(kBaseKeptPrefix),
                                        [&](std::string_view, std::string_view record) {
                                          ++size.records;
                                          size.bytes += record.size();
                                          return true;
                                        }));
  return size;
}

}  // namespace logbook::store
