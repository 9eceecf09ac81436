// What people and the admin API ask a store about itself; the numbers behind `logbook log info` and
// `logbook log tail`.
//
// Offline, the store is locked and opened read-only; on a store that is in use that gives
// kFailedPrecondition, which says to ask its server.
#ifndef LOGBOOK_STORE_INSPECT_H_
#define LOGBOOK_STORE_INSPECT_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/store/holds.h"
#include "logbook/store/journal.h"
#include "logbook/store/trim.h"

namespace logbook::store {

struct StoreInfo {
  std::string directory;
  StoreFormat format;
  RunId run;
  Position position;   // of the last event
  Position synced;     // of the last event known to be synced
  Position watermark;  // of the last event that was trimmed
  KeptSize kept;       // records of trimmed events that are kept
  std::vector<Hold> holds;
  EventSeq state_seq;  // of the last state checkpoint; 0: none
  std::map<StreamId, Bookmark> bookmarks;
  std::array<uint64_t, kColumnFamilies> table_bytes = {};  // by ColumnFamily
  uint64_t disk_bytes = 0;                                 // of all files, the log among them
};

// Makes an empty store for `identity`, or finishes making it; an existing one of the same identity
// is left as it is.
absl::Status InitStore(const std::string& directory, const StoreIdentity& identity,
                       const Logger& logger);

// Opens a store that nobody uses, read-only.
absl::StatusOr<std::unique_ptr<Journal>> OpenOffline(const std::string& directory,
                                                     const Logger& logger);

// Of an open store, whether in use or offline.
absl::StatusOr<StoreInfo> ReadInfo(const Journal& journal);

// Visits the last `events_max` events.
absl::Status ReadTail(const Journal& journal, uint64_t events_max, EventVisitor visit);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_INSPECT_H_
