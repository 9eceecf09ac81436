#include "logbook/store/trim.h"

#include <utility>
#include <vector>

#include "logbook/base/check.h"
#include "logbook/store/base.h"
#include "logbook/store/history_trim.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/row_series.h"
#include "logbook/store/state_rows.h"

namespace logbook::store {
namespace {

// Writes the rows of a base, and notes in `last` which older ones they stand instead of.
class BaseWriter {
 public:
  BaseWriter(Journal& journal, EventSeq to, RowBatch& last)
      : database_(journal.database()), to_(to), rows_(journal), last_(last) {}

  absl::Status Put(const std::string& row, const std::string& value) {
    LOGBOOK_RETURN_IF_ERROR(rows_.Put(ColumnFamily::kBase, BaseRowKey(row, to_), value));
    return Replace(row);
  }

  // Removes the versions of `row` before the new watermark.
  absl::Status Replace(const std::string& row) {
    return database_.Scan(ColumnFamily::kBase, BaseRowKey(row, EventSeq(0)), BaseRowKey(row, to_),
                          [&](std::string_view key, std::string_view) {
                            last_.Delete(ColumnFamily::kBase, key);
                            return true;
                          });
  }

  absl::Status Keep(EventSeq seq, std::string_view record) {
    return rows_.Put(ColumnFamily::kBase, KeptRowKey(seq), record);
  }

  absl::Status WriteOut() { return rows_.WriteOut(); }

 private:
  const Database& database_;
  const EventSeq to_;
  RowSeries rows_;
  RowBatch& last_;
};

absl::Status PutObjects(const CheckpointInput& at, const Dictionaries& dictionaries,
                        BaseWriter& base) {
  BodyCompressor bodies(dictionaries);
  for (const std::string& path : at.objects) {
    const ObjectRef ref = RefFromPath(path);
    const std::string row = ObjectRowKey(ref.resource, ref.key);
    const ObjectEntry* entry = at.state->objects.Find(path);
    LOGBOOK_RETURN_IF_ERROR(entry == nullptr ? base.Replace(row)
                                             : base.Put(row, EncodeObjectRow(*entry, &bodies)));
  }
  return absl::OkStatus();
}

absl::Status PutKeys(const CheckpointInput& at, BaseWriter& base) {
  for (const std::string& path : at.keys) {
    const std::string row = KeyRowKey(KeyFromPath(path));
    const KeyStatePtr* state = at.state->keys.Find(path);
    LOGBOOK_RETURN_IF_ERROR(state == nullptr ? base.Replace(row)
                                             : base.Put(row, EncodeKeyRow(**state)));
  }
  return absl::OkStatus();
}

absl::Status PutTombstones(const CheckpointInput& at, BaseWriter& base) {
  for (const std::string& uid : at.tombstones) {
    const std::string row = BaseTombstoneKey(uid);
    const Tombstone* tombstone = at.state->tombstones.Find(uid);
    LOGBOOK_RETURN_IF_ERROR(tombstone == nullptr ? base.Replace(row)
                                                 : base.Put(row, EncodeTombstoneRow(*tombstone)));
  }
  return absl::OkStatus();
}

absl::Status PutRest(const ViewState& state, BaseWriter& base) {
  absl::Status status;
  state.streams.ForEach([&](StreamId stream, const StreamState& row) {
    if (status.ok()) {
      status = base.Put(StreamRowKey(kBaseStreamPrefix, stream), EncodeStreamRow(row));
    }
  });
  LOGBOOK_RETURN_IF_ERROR(status);
  return base.Put(std::string(kBaseBuildPrefix), EncodeBuildRow(state.build, state.run));
}

absl::StatusOr<Position> PositionOf(const Journal& journal, EventSeq seq) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string record, journal.GetRecord(seq));
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
  return Position{.seq = seq, .run = fixed.run, .chain = fixed.chain};
}

// Whether the record outlives its block.
bool IsKept(const Event& event) {
  switch (event.kind()) {
    case EventKind::kObserved:
      return IsRemoval(std::get<Observed>(event.body).change);
    case EventKind::kAdmin:
    case EventKind::kGap:
      return true;
    default:
      return false;
  }
}

// Keeps what is to be kept of the trimmed events, and takes the history of the others.
absl::StatusOr<TrimResult> TrimEvents(const Journal& journal, EventSeq to, BaseWriter& base,
                                      HistoryTrim& history) {
  TrimResult result;
  LOGBOOK_RETURN_IF_ERROR(
      journal.Read(journal.oldest(), to, [&](const Event& event) -> absl::StatusOr<bool> {
        ++result.events;
        LOGBOOK_ASSIGN_OR_RETURN(const auto record, RecordToKeep(journal, event));
        if (!record.has_value()) {
          history.Drop(event.subjects, event.seq);
          return true;
        }
        ++result.kept;
        result.kept_bytes += record->size();
        history.Keep(event.subjects);
        LOGBOOK_RETURN_IF_ERROR(base.Keep(event.seq, *record));
        return true;
      }));
  return result;
}

}  // namespace

absl::StatusOr<std::optional<std::string>> RecordToKeep(const Journal& journal,
                                                        const Event& event) {
  if (!IsKept(event)) {
    return std::nullopt;
  }
  LOGBOOK_ASSIGN_OR_RETURN(std::string record, journal.GetRecord(event.seq));
  LOGBOOK_ASSIGN_OR_RETURN(const CodedBody body, CodedBodyOf(record));
  if (body.form.delta_base == EventSeq(0)) {
    return record;
  }
  Chain chain = {};
  return RecordCodec().Encode(event, chain);
}

absl::Status SweepBase(Journal& journal) {
  const EventSeq watermark = journal.watermark().seq;
  RowSeries rows(journal);
  LOGBOOK_RETURN_IF_ERROR(
      journal.database().Scan(ColumnFamily::kBase, "", "",
                              [&](std::string_view key, std::string_view) -> absl::StatusOr<bool> {
                                // The last eight bytes of kept records' keys are a seq, of the
                                // others a watermark.
                                LOGBOOK_ASSIGN_OR_RETURN(const BaseRow row, ParseBaseRowKey(key));
                                if (row.watermark > watermark) {
                                  LOGBOOK_RETURN_IF_ERROR(rows.Delete(ColumnFamily::kBase, key));
                                }
                                return true;
                              }));
  return rows.WriteOut();
}

absl::StatusOr<TrimResult> TrimTo(Journal& journal, const CheckpointInput& at) {
  const EventSeq to = at.state->seq;
  LOGBOOK_CHECK(to == LastBlockEnd(to) && to >= journal.oldest());
  LOGBOOK_CHECK(to <= journal.last_synced());
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq state_seq, ReadStateSeq(journal.database()));
  LOGBOOK_CHECK(to <= state_seq);
  LOGBOOK_ASSIGN_OR_RETURN(const Position position, PositionOf(journal, to));
  RowBatch last(journal.database());
  BaseWriter base(journal, to, last);
  HistoryTrim history(journal.database(), last);
  LOGBOOK_ASSIGN_OR_RETURN(const TrimResult result, TrimEvents(journal, to, base, history));
  LOGBOOK_RETURN_IF_ERROR(PutObjects(at, journal.dictionaries(), base));
  LOGBOOK_RETURN_IF_ERROR(PutKeys(at, base));
  LOGBOOK_RETURN_IF_ERROR(PutTombstones(at, base));
  LOGBOOK_RETURN_IF_ERROR(PutRest(*at.state, base));
  LOGBOOK_RETURN_IF_ERROR(base.WriteOut());
  LOGBOOK_RETURN_IF_ERROR(history.DropNames(*at.state));
  LOGBOOK_RETURN_IF_ERROR(journal.MoveWatermark(last, position));
  return result;
}

}  // namespace logbook::store
