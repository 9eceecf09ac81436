#include "logbook/store/tail.h"

#include <algorithm>
#include <string>

#include "logbook/store/key_codec.h"

namespace logbook::store {
namespace {

absl::StatusOr<EventSeq> LastSeq(const Database& database) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string key, database.LastKey(ColumnFamily::kEvents));
  return key.empty() ? EventSeq(0) : ParseEventRowKey(key);
}

// The position after event `seq`, by the record's own word.
absl::StatusOr<Position> PositionAt(const Database& database, EventSeq seq) {
  if (seq == EventSeq(0)) {
    return Position();
  }
  const absl::StatusOr<std::string> record = database.Get(ColumnFamily::kEvents, EventRowKey(seq));
  if (absl::IsNotFound(record.status())) {
    return DataLoss("event ", seq.value, " is missing");
  }
  LOGBOOK_RETURN_IF_ERROR(record.status());
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(*record));
  return Position{.seq = seq, .run = fixed.run, .chain = fixed.chain};
}

// Why `record` under `key` is not the one that follows `at`; OK if it is, and then moves `at`.
absl::Status Advance(RecordCodec& codec, std::string_view key, std::string_view record,
                     Position& at) {
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq seq, ParseEventRowKey(key));
  if (seq != at.seq.Next()) {
    return DataLoss("event ", at.seq.value + 1, " is missing");
  }
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
  if (fixed.seq != seq) {
    return DataLoss("event ", seq.value, " calls itself ", fixed.seq.value);
  }
  if (!codec.Follows(record, at.chain)) {
    return DataLoss("event ", seq.value, " does not follow the one before it (chain)");
  }
  at.seq = seq;
  at.run = fixed.run;
  return absl::OkStatus();
}

absl::Status CheckSynced(const Database& database, const Position& synced, EventSeq last) {
  if (last < synced.seq) {
    return DataLoss("it ends at event ", last.value, ", but event ", synced.seq.value,
                    " had been synced (SYNCED)");
  }
  LOGBOOK_ASSIGN_OR_RETURN(const Position found, PositionAt(database, synced.seq));
  if (found.chain != synced.chain) {
    return DataLoss("event ", synced.seq.value, " is not the one that was synced (SYNCED)");
  }
  return absl::OkStatus();
}

// Where to start so that both rules of CheckTail are kept; the record before it is taken as read.
EventSeq FirstToCheck(EventSeq last, const std::optional<Position>& synced) {
  const uint64_t first = last.value > kTailRecords ? last.value - kTailRecords + 1 : 1;
  return EventSeq(synced ? std::clamp<uint64_t>(synced->seq.value, 1, first) : first);
}

}  // namespace

absl::StatusOr<Tail> CheckTail(const Database& database, const std::optional<Position>& synced) {
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq last, LastSeq(database));
  if (synced) {
    LOGBOOK_RETURN_IF_ERROR(CheckSynced(database, *synced, last));
  }
  const EventSeq first = FirstToCheck(last, synced);
  Tail tail;
  LOGBOOK_ASSIGN_OR_RETURN(tail.good, PositionAt(database, EventSeq(first.value - 1)));
  RecordCodec codec;
  LOGBOOK_RETURN_IF_ERROR(database.Scan(ColumnFamily::kEvents, EventRowKey(first), "",
                                        [&](std::string_view key, std::string_view record) {
                                          tail.broken = Advance(codec, key, record, tail.good);
                                          // A record of a newer build is not damage.
                                          return absl::IsFailedPrecondition(tail.broken)
                                                     ? absl::StatusOr<bool>(tail.broken)
                                                     : tail.broken.ok();
                                        }));
  if (!tail.broken.ok() && (!synced || tail.good.seq < synced->seq)) {
    return tail.broken;
  }
  return tail;
}

}  // namespace logbook::store
