// What Journal reads; everything here is thread-safe.
#include <algorithm>
#include <utility>

#include "logbook/store/journal.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/rocksdb_status.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

absl::Status Missing(const std::string& directory, EventSeq seq) {
  return DataLoss("store ", directory, ": event ", seq.value, " is missing", kRestoreAdvice);
}

absl::Status TrimmedStatus(const std::string& directory, EventSeq seq, EventSeq oldest) {
  return OutOfRange("event ", seq.value, " of store ", directory,
                    " was trimmed: the oldest is event ", oldest.value);
}

}  // namespace

EventSeq Journal::OldestOnDisk() const {
  const absl::StatusOr<Position> watermark = ReadWatermark(*database_);
  return watermark.ok() ? watermark->seq.Next() : oldest();
}

absl::Status Journal::UnlessTrimmed(EventSeq seq, const absl::Status& status) const {
  if (!absl::IsDataLoss(status)) {
    return status;
  }
  const EventSeq oldest = OldestOnDisk();
  return seq < oldest ? TrimmedStatus(directory(), seq, oldest) : status;
}

absl::StatusOr<std::map<StreamId, Bookmark>> Journal::Bookmarks() const {
  std::map<StreamId, Bookmark> bookmarks;
  LOGBOOK_RETURN_IF_ERROR(
      database_->Scan(ColumnFamily::kMeta, kMetaBookmarkPrefix, EndOfPrefix(kMetaBookmarkPrefix),
                      [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
                        LOGBOOK_ASSIGN_OR_RETURN(const StreamId stream,
                                                 ParseStreamRowKey(kMetaBookmarkPrefix, key));
                        v1::BookmarkRow row;
                        if (!row.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
                          return DataLoss("store ", directory(), ": unreadable bookmark of stream ",
                                          stream.value, ": restore the store from a copy");
                        }
                        bookmarks[stream] = {.resource_version = row.resource_version(),
                                             .seq = EventSeq(row.seq())};
                        return true;
                      }));
  return bookmarks;
}

absl::StatusOr<std::string> Journal::GetRecord(EventSeq seq) const {
  const EventSeq last = this->last();
  if (seq == EventSeq(0) || seq > last) {
    return NotFound("no event ", seq.value, " in store ", directory(), ": the last is ",
                    last.value);
  }
  absl::StatusOr<std::string> record = database_->Get(ColumnFamily::kEvents, EventRowKey(seq));
  if (!absl::IsNotFound(record.status())) {
    return record;
  }
  if (seq < OldestOnDisk()) {
    record = database_->Get(ColumnFamily::kBase, KeptRowKey(seq));
  }
  return absl::IsNotFound(record.status()) ? UnlessTrimmed(seq, Missing(directory(), seq))
                                           : std::move(record);
}

absl::StatusOr<Event> Journal::Get(EventSeq seq) const {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string record, GetRecord(seq));
  BodyReader bodies(*database_, *dictionaries_);
  absl::StatusOr<Event> event = DecodeRecord(record, bodies);
  return event.ok() ? std::move(event) : UnlessTrimmed(seq, event.status());
}

absl::Status Journal::ReadRecords(EventSeq from, EventSeq to, RecordVisitor visit) const {
  EventSeq next = std::max(from, EventSeq(1));
  const EventSeq end = std::min(to, last()).Next();
  if (next >= end) {
    return absl::OkStatus();
  }
  if (next < oldest()) {
    return TrimmedStatus(directory(), next, oldest());
  }
  bool stopped = false;
  LOGBOOK_RETURN_IF_ERROR(
      database_->Scan(ColumnFamily::kEvents, EventRowKey(next), EventRowKey(end),
                      [&](std::string_view key, std::string_view record) -> absl::StatusOr<bool> {
                        LOGBOOK_ASSIGN_OR_RETURN(const EventSeq seq, ParseEventRowKey(key));
                        if (seq != next) {
                          return UnlessTrimmed(next, Missing(directory(), next));
                        }
                        next = seq.Next();
                        LOGBOOK_ASSIGN_OR_RETURN(const bool go_on, visit(seq, record));
                        stopped = !go_on;
                        return go_on;
                      }));
  return stopped || next == end ? absl::OkStatus()
                                : UnlessTrimmed(next, Missing(directory(), next));
}

absl::Status Journal::Read(EventSeq from, EventSeq to, EventVisitor visit) const {
  BodyReader bodies(*database_, *dictionaries_);
  return ReadRecords(from, to, [&](EventSeq seq, std::string_view record) -> absl::StatusOr<bool> {
    const absl::StatusOr<Event> event = DecodeRecord(record, bodies);
    if (!event.ok()) {
      return UnlessTrimmed(seq, event.status());  // what it is a delta to may be gone
    }
    bodies.Remember(*event);
    return visit(*event);
  });
}

}  // namespace logbook::store
