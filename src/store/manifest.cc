#include "logbook/store/manifest.h"

#include <array>
#include <cerrno>
#include <cstdint>

#include "absl/strings/strip.h"
#include <fcntl.h>
#include <unistd.h>

#include "logbook/store/posix_file.h"

namespace logbook::store {
namespace {

// RocksDB's log format: blocks, in them fragments of records, each with a header of checksum, size
// and type; what is left of a block too small for a header is filled.
constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 7;
constexpr uint8_t kFull = 1;
constexpr uint8_t kLast = 4;

// CRC-32C, bit by bit: this is for some kilobytes, once after a power cut.
uint32_t Crc32c(std::string_view bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
    }
  }
  return ~crc;
}

uint32_t LittleEndian(std::string_view bytes) {
  uint32_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    number = number << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return number;
}

// Checksums are stored so that one over another is no checksum itself.
uint32_t Masked(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

// The size of the fragment that `bytes` begin with, its header included; 0 if it is not whole.
size_t FragmentBytes(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes) {
    return 0;
  }
  const size_t size = kHeaderBytes + LittleEndian(bytes.substr(4, 2));
  const auto type = static_cast<uint8_t>(bytes[6]);
  if (type < kFull || type > kLast || size > bytes.size()) {
    return 0;
  }
  const bool right = LittleEndian(bytes.substr(0, 4)) == Masked(Crc32c(bytes.substr(6, size - 6)));
  return right ? size : 0;
}

}  // namespace

size_t WholeRecordBytes(std::string_view manifest) {
  size_t whole = 0;
  for (size_t at = 0; at < manifest.size();) {
    const size_t left = kBlockBytes - at % kBlockBytes;
    if (left < kHeaderBytes) {
      at += left;
      continue;
    }
    const size_t size = FragmentBytes(manifest.substr(at, left));
    if (size == 0) {
      break;
    }
    const auto type = static_cast<uint8_t>(manifest[at + kHeaderBytes - 1]);
    at += size;
    whole = type == kFull || type == kLast ? at : whole;
  }
  return whole;
}

absl::Status CutManifest(const std::string& directory) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string current, ReadFile(directory + "/CURRENT"));
  const std::string path = Concat(directory, "/", ToStd(absl::StripSuffix(ToAbsl(current), "\n")));
  LOGBOOK_ASSIGN_OR_RETURN(const std::string manifest, ReadFile(path));
  const size_t whole = WholeRecordBytes(manifest);
  if (whole == 0 || whole == manifest.size()) {
    return absl::OkStatus();
  }
  LOGBOOK_ASSIGN_OR_RETURN(const FileHandle file, OpenFile(path, O_WRONLY));
  if (::ftruncate(file.fd(), static_cast<off_t>(whole)) != 0 || ::fsync(file.fd()) != 0) {
    return FileError("truncate", path, errno);
  }
  return absl::OkStatus();
}

}  // namespace logbook::store
