#include "logbook/store/log_fragments.h"

#include <array>

namespace logbook::store {
namespace {

constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 7;  // checksum (4), length (2), type (1)
constexpr size_t kLengthOffset = 4;
constexpr size_t kTypeOffset = 6;

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

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

std::vector<Fragment> FragmentsOf(std::string_view file) {
  std::vector<Fragment> fragments;
  size_t at = 0;
  while (at + kHeaderBytes <= file.size()) {
    const size_t left = kBlockBytes - at % kBlockBytes;
    if (left < kHeaderBytes) {
      at += left;  // filled: too small for a header
      continue;
    }
    const size_t length = LittleEndian(file.substr(at + kLengthOffset, 2));
    const auto type = static_cast<uint8_t>(file[at + kTypeOffset]);
    const size_t end = at + kHeaderBytes + length;
    if (type < static_cast<uint8_t>(FragmentType::kFull) ||
        type > static_cast<uint8_t>(FragmentType::kLast) || end > file.size() ||
        kHeaderBytes + length > left) {
      break;
    }
    const std::string_view checked = file.substr(at + kTypeOffset, 1 + length);
    fragments.push_back(
        {.type = static_cast<FragmentType>(type),
         .bytes = checked.substr(1),
         .whole = LittleEndian(file.substr(at, kLengthOffset)) == MaskedCrc32c(checked),
         .end = end});
    at = end;
  }
  return fragments;
}

}  // namespace logbook::store
