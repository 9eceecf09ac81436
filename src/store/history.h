// History: which events are about an object, and which incarnations a name has had.
//
// Shape:    rows written by state checkpoints answer for the events they cover, the journal itself
//           for those since; so the answer is complete at any time, and slower the longer ago the
//           last checkpoint was (some 2 µs per event since then).
// Threads:  as Journal: reading is thread-safe.
// Why:      rows are ordered by name and then by seq, with the uid as their value, so that a name's
//           history is one stretch over all incarnations, decisions about a missing object among
//           them.
#ifndef LOGBOOK_STORE_HISTORY_H_
#define LOGBOOK_STORE_HISTORY_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/base/status.h"
#include "logbook/model/event.h"
#include "logbook/store/journal.h"
#include "logbook/store/row_series.h"

namespace logbook::store {

// One event about an object.
struct HistoryEntry {
  EventSeq seq;
  EventKind kind = EventKind::kObserved;
  std::string uid;  // the incarnation; empty where the event does not know it

  friend bool operator==(const HistoryEntry&, const HistoryEntry&) = default;
};

// The first `entries_max` events about `object` from seq `from` to `to`, oldest first. With an
// empty uid: about all incarnations of that name. Errors: those of Journal.
absl::StatusOr<std::vector<HistoryEntry>> ReadHistory(const Journal& journal,
                                                      const ObjectRef& object, EventSeq from,
                                                      size_t entries_max,
                                                      EventSeq to = EventSeq(UINT64_MAX - 1));

// One object that had a name, and the first event that is about it.
struct Incarnation {
  EventSeq first;
  std::string uid;

  friend bool operator==(const Incarnation&, const Incarnation&) = default;
};

// Oldest first. Errors: those of Journal.
absl::StatusOr<std::vector<Incarnation>> ReadIncarnations(const Journal& journal,
                                                          std::string_view resource,
                                                          const ObjectKey& key);

// Adds the rows of the events `from` to `to` inclusive; a part of every state checkpoint.
absl::Status PutHistory(const Journal& journal, EventSeq from, EventSeq to, RowSeries& rows);

// The row of an event about an incarnation, for who writes it without the event's journal.
std::string EncodeHistoryRow(EventKind kind, const std::string& uid);
std::string EncodeNameRow(const std::string& uid);

// Decoders of the rows, for who checks them. Errors: kDataLoss.
absl::StatusOr<HistoryEntry> DecodeHistoryRow(EventSeq seq, std::string_view value);
absl::StatusOr<Incarnation> DecodeNameRow(EventSeq first, std::string_view value);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_HISTORY_H_
