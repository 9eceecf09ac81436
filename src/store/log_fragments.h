// The form that RocksDB gives its write-ahead logs and its MANIFEST: blocks, in them fragments of
// records, each with a header of checksum, length and type.
//
// Source:   rocksdb/db/log_format.h; unchanged since LevelDB, but for types that we do not use.
#ifndef LOGBOOK_STORE_LOG_FRAGMENTS_H_
#define LOGBOOK_STORE_LOG_FRAGMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace logbook::store {

enum class FragmentType : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct Fragment {
  FragmentType type = FragmentType::kFull;
  std::string_view bytes;
  bool whole = false;  // its checksum is right
  size_t end = 0;      // offset behind it

  bool BeginsRecord() const { return type == FragmentType::kFull || type == FragmentType::kFirst; }

  bool EndsRecord() const { return type == FragmentType::kFull || type == FragmentType::kLast; }
};

// The fragments of `file` up to the first whose header does not fit, whole or not. They point into
// it.
std::vector<Fragment> FragmentsOf(std::string_view file);

// CRC-32C, changed so that a checksum over another one is no checksum itself.
uint32_t MaskedCrc32c(std::string_view bytes);

// An unsigned number, least significant byte first.
uint64_t LittleEndian(std::string_view bytes);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_LOG_FRAGMENTS_H_
