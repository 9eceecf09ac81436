// The column families of a store: one table per kind of row (docs/format.md).
#ifndef LOGBOOK_STORE_COLUMN_FAMILY_H_
#define LOGBOOK_STORE_COLUMN_FAMILY_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace logbook::store {

// Numbers index tables in memory; on disk a family is known by its name.
enum class ColumnFamily : size_t {
  kEvents,      // seq → record: the journal itself
  kState,       // checkpoint of objects and keys
  kBase,        // the view at the watermark; empty until events are trimmed
  kHistory,     // name and seq → what the event was
  kNames,       // name and first seq → incarnation
  kTombstones,  // uid → when it went
  kMeta,        // run, bookmarks, streams, state_seq, …
};

inline constexpr size_t kColumnFamilies = 7;

// Durable: adding a family raises the format's major version, since RocksDB refuses to open a
// database for writing that has families it was not told of.
inline constexpr std::array<std::string_view, kColumnFamilies> kColumnFamilyNames = {
    "events", "state", "base", "history", "names", "tombstones", "meta"};

constexpr std::string_view NameOf(ColumnFamily family) {
  return kColumnFamilyNames[static_cast<size_t>(family)];
}

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_COLUMN_FAMILY_H_
