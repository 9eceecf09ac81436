#include "logbook/store/log_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "logbook/store/posix_file.h"
#include "logbook/store/rocksdb_status.h"

namespace logbook::store {
namespace {

// A log is made of blocks, a block of fragments: checksum (4), length (2), type (1), bytes. The
// first fragment of a write begins with its sequence number (8) and its number of rows (4).
constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 7;
constexpr size_t kTypeOffset = 6;
constexpr size_t kWriteHeaderBytes = 12;
constexpr int kFull = 1;
constexpr int kFirst = 2;
constexpr int kLast = 4;

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  constexpr uint32_t kCastagnoli = 0x82f63b78;
  std::array<uint32_t, 256> table = {};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ (crc % 2 == 1 ? kCastagnoli : 0);
    }
    table[i] = crc;
  }
  return table;
}

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

struct Fragment {
  std::string_view checksum;
  std::string_view checked;  // type and bytes
  int type = 0;

  bool BeginsWrite() const {
    return (type == kFull || type == kFirst) && checked.size() > kWriteHeaderBytes;
  }

  bool Whole() const { return LittleEndian(checksum) == MaskedCrc32c(checked); }

  uint64_t sequence() const { return LittleEndian(checked.substr(1, 8)); }

  uint64_t rows() const { return LittleEndian(checked.substr(9, 4)); }
};

// The fragments of a log up to the first that does not fit, not looking at checksums.
std::vector<Fragment> FragmentsOf(std::string_view log) {
  std::vector<Fragment> fragments;
  size_t at = 0;
  while (at + kHeaderBytes <= log.size()) {
    const size_t left = kBlockBytes - at % kBlockBytes;
    if (left < kHeaderBytes) {
      at += left;
      continue;
    }
    const size_t length = LittleEndian(log.substr(at + 4, 2));
    const int type = static_cast<uint8_t>(log[at + kTypeOffset]);
    if (type < kFull || type > kLast || at + kHeaderBytes + length > log.size()) {
      break;
    }
    fragments.push_back({.checksum = log.substr(at, 4),
                         .checked = log.substr(at + kTypeOffset, 1 + length),
                         .type = type});
    at += kHeaderBytes + length;
  }
  return fragments;
}

std::vector<std::string> LogsIn(const std::string& directory) {
  std::vector<std::string> logs;
  std::error_code error;  // a directory that cannot be listed is refused by whoever opens it
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".log") {
      logs.push_back(entry.path().string());
    }
  }
  std::sort(logs.begin(), logs.end(), [](const std::string& one, const std::string& other) {
    return one.size() != other.size() ? one.size() < other.size() : one < other;  // as numbers
  });
  return logs;
}

}  // namespace

uint32_t MaskedCrc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = MakeCrcTable();
  constexpr uint32_t kMask = 0xa282ead8;
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xff] ^ crc >> 8;
  }
  crc = ~crc;
  return (crc >> 15 | crc << 17) + kMask;
}

std::optional<LogRange> RangeOfLog(std::string_view log) {
  std::vector<Fragment> writes = FragmentsOf(log);
  std::erase_if(writes, [](const Fragment& fragment) { return !fragment.BeginsWrite(); });
  const auto whole = [](const Fragment& fragment) { return fragment.Whole(); };
  const auto first = std::find_if(writes.begin(), writes.end(), whole);
  if (first == writes.end()) {
    return std::nullopt;
  }
  const auto last = std::find_if(writes.rbegin(), writes.rend(), whole);
  return LogRange{.first = first->sequence(), .end = last->sequence() + last->rows()};
}

absl::Status CheckLogOrder(const std::string& directory) {
  const std::vector<std::string> logs = LogsIn(directory);
  if (logs.size() < 2) {
    return absl::OkStatus();
  }
  uint64_t end = 0;
  std::string before;
  for (const std::string& path : logs) {
    LOGBOOK_ASSIGN_OR_RETURN(const std::string log, ReadFile(path));
    const std::optional<LogRange> range = RangeOfLog(log);
    if (!range) {
      continue;
    }
    if (range->first < end) {
      return DataLoss("store ", directory, " is damaged (", path, " begins at write ", range->first,
                      ", but ", before, " before it ends at write ", end,
                      ": one of them is of another moment or another store)", kRestoreAdvice);
    }
    end = std::max(end, range->end);
    before = path;
  }
  return absl::OkStatus();
}

}  // namespace logbook::store
