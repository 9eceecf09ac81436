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

absl::Status Trimmed(const std::string& directory, EventSeq seq, EventSeq oldest) {
  return OutOfRange("event ", seq.value, " of store ", directory,
                    " was trimmed: the oldest is event ", oldest.value);
}

}  // namespace

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
  const EventSeq oldest = this->oldest();  // asked after the look, during which it may have moved
  if (seq >= oldest) {
    return Missing(directory(), seq);
  }
  record = database_->Get(ColumnFamily::kBase, KeptRowKey(seq));
  return absl::IsNotFound(record.status()) ? Trimmed(directory(), seq, oldest) : std::move(record);
}

absl::StatusOr<Event> Journal::Get(EventSeq seq) const {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string record, GetRecord(seq));
  BodyReader bodies(*database_, *dictionaries_);
  return DecodeRecord(record, bodies);
}

absl::Status Journal::ReadRecords(EventSeq from, EventSeq to, RecordVisitor visit) const {
  EventSeq next = std::max(from, EventSeq(1));
  const EventSeq end = std::min(to, last()).Next();
  if (next >= end) {
    return absl::OkStatus();
  }
  if (next < oldest()) {
    return Trimmed(directory(), next, oldest());
  }
  bool stopped = false;
  LOGBOOK_RETURN_IF_ERROR(
      database_->Scan(ColumnFamily::kEvents, EventRowKey(next), EventRowKey(end),
                      [&](std::string_view key, std::string_view record) -> absl::StatusOr<bool> {
                        LOGBOOK_ASSIGN_OR_RETURN(const EventSeq seq, ParseEventRowKey(key));
                        if (seq != next) {
                          return next < oldest() ? Trimmed(directory(), next, oldest())
                                                 : Missing(directory(), next);
                        }
                        next = seq.Next();
                        LOGBOOK_ASSIGN_OR_RETURN(const bool go_on, visit(seq, record));
                        stopped = !go_on;
                        return go_on;
                      }));
  return stopped || next == end ? absl::OkStatus() : Missing(directory(), next);
}

absl::Status Journal::Read(EventSeq from, EventSeq to, EventVisitor visit) const {
  BodyReader bodies(*database_, *dictionaries_);
  return ReadRecords(from, to, [&](EventSeq, std::string_view record) -> absl::StatusOr<bool> {
    LOGBOOK_ASSIGN_OR_RETURN(const Event event, DecodeRecord(record, bodies));
    bodies.Remember(event);
    return visit(event);
  });
}

}  // namespace logbook::store
