#include "logbook/store/tail.h"

#include <algorithm>
#include <string>

#include "logbook/store/key_codec.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

absl::StatusOr<EventSeq> LastSeq(const Database& database, const Position& watermark) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string key, database.LastKey(ColumnFamily::kEvents));
  return key.empty() ? watermark.seq : ParseEventRowKey(key);
}

// The position after event `seq`, by the record's own word.
absl::StatusOr<Position> PositionAt(const Database& database, EventSeq seq,
                                    const Position& watermark) {
  if (seq == watermark.seq) {
    return watermark;
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

absl::Status CheckSynced(const Database& database, const Position& synced, EventSeq last,
                         const Position& watermark) {
  if (last < synced.seq) {
    return DataLoss("it ends at event ", last.value, ", but event ", synced.seq.value,
                    " had been synced (SYNCED)");
  }
  LOGBOOK_ASSIGN_OR_RETURN(const Position found, PositionAt(database, synced.seq, watermark));
  if (found.chain != synced.chain) {
    return DataLoss("event ", synced.seq.value, " is not the one that was synced (SYNCED)");
  }
  return absl::OkStatus();
}

// Where to start so that both rules of CheckTail are kept; the record before it is taken as read.
EventSeq FirstToCheck(EventSeq last, const std::optional<Position>& synced, EventSeq oldest,
                      uint64_t records) {
  const uint64_t first = last.value > records ? last.value - records + 1 : 1;
  const EventSeq wanted(synced ? std::clamp<uint64_t>(synced->seq.value, 1, first) : first);
  return std::max(wanted, oldest);
}

// Whether the events begin where trimming has ended: a table file of old ones may be gone as a
// whole.
absl::Status CheckOldest(const Database& database, const Position& watermark) {
  const EventSeq oldest = watermark.seq.Next();
  const absl::StatusOr<std::string> record =
      database.Get(ColumnFamily::kEvents, EventRowKey(oldest));
  if (absl::IsNotFound(record.status())) {
    return DataLoss("event ", oldest.value, " is missing");
  }
  LOGBOOK_RETURN_IF_ERROR(record.status());
  RecordCodec codec;
  Position at = watermark;
  return Advance(codec, EventRowKey(oldest), *record, at);
}

}  // namespace

absl::StatusOr<Position> ReadWatermark(const Database& database) {
  const absl::StatusOr<std::string> found = database.Get(ColumnFamily::kMeta, kMetaWatermark);
  if (absl::IsNotFound(found.status())) {
    return Position();
  }
  LOGBOOK_RETURN_IF_ERROR(found.status());
  v1::WatermarkRow row;
  Position watermark;
  if (!row.ParseFromString(*found) || row.chain().size() != watermark.chain.size()) {
    return DataLoss("the watermark is unreadable");
  }
  watermark.seq = EventSeq(row.seq());
  watermark.run = RunId(row.run());
  std::copy(row.chain().begin(), row.chain().end(), watermark.chain.begin());
  return watermark;
}

absl::StatusOr<Tail> CheckTail(const Database& database, const std::optional<Position>& synced,
                               const Position& watermark, uint64_t records) {
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq last, LastSeq(database, watermark));
  // SYNCED may be some seconds old, and what it names trimmed since.
  const bool named = synced && synced->seq >= watermark.seq;
  if (named) {
    LOGBOOK_RETURN_IF_ERROR(CheckSynced(database, *synced, last, watermark));
  }
  const EventSeq known_synced = named ? synced->seq : watermark.seq;
  const EventSeq first = FirstToCheck(last, synced, watermark.seq.Next(), records);
  if (first > watermark.seq.Next()) {
    LOGBOOK_RETURN_IF_ERROR(CheckOldest(database, watermark));
  }
  Tail tail;
  LOGBOOK_ASSIGN_OR_RETURN(tail.good, PositionAt(database, EventSeq(first.value - 1), watermark));
  RecordCodec codec;
  LOGBOOK_RETURN_IF_ERROR(database.Scan(ColumnFamily::kEvents, EventRowKey(first), "",
                                        [&](std::string_view key, std::string_view record) {
                                          tail.broken = Advance(codec, key, record, tail.good);
                                          // A record of a newer build is not damage.
                                          return absl::IsFailedPrecondition(tail.broken)
                                                     ? absl::StatusOr<bool>(tail.broken)
                                                     : tail.broken.ok();
                                        }));
  if (!tail.broken.ok() && (!synced || tail.good.seq < known_synced)) {
    return tail.broken;
  }
  return tail;
}

}  // namespace logbook::store
