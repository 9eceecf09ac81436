// An export: a journal, or a slice of it, in one file. What it is made of; export_writer.h and
// export_reader.h write and read it.
//
// Shape:    a first line that names format and version, then frames: header, dictionaries, rows of
//           the base, of names, kept records, records, footer, in this order. A frame has a
//           checksum, records their chain, the footer counts and the SHA-256 of all before it.
// Source:   docs/format.md, "Exports".
#ifndef LOGBOOK_STORE_EXPORT_FILE_H_
#define LOGBOOK_STORE_EXPORT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "logbook/base/hash.h"
#include "logbook/base/status.h"
#include "logbook/model/object_key.h"
#include "logbook/store/format_file.h"
#include "logbook/store/position.h"

namespace logbook::store {

// Durable. Readers take this version only.
inline constexpr std::string_view kExportMagic = "LOGBOOK-EXPORT ";
inline constexpr std::string_view kExportVersion = "1.0";

// A frame: length and type, 4 bytes each, payload, checksum; integers are little-endian. The
// checksum is the low half of XXH3-128 over all before it.
inline constexpr size_t kFrameHeadBytes = 8;
inline constexpr size_t kFrameChecksumBytes = 8;
inline constexpr size_t kFramePayloadMax = size_t{64} << 20;

// Durable: never renumber. Frames come in this order.
enum class FrameType : uint32_t {
  kHeader = 1,
  kDictionary = 2,
  kBase = 3,
  kName = 4,
  kKept = 5,
  kRecord = 6,
  kFooter = 7,
};

struct ExportHeader {
  std::string uuid;  // of the store
  StoreIdentity identity;
  EventSeq first;                   // event
  EventSeq last;                    // first - 1: no event
  Position base;                    // of the event before the first
  std::optional<ObjectRef> object;  // of a slice: whom it is about
  std::string version;              // of the program
  std::string store_format;

  friend bool operator==(const ExportHeader&, const ExportHeader&) = default;
};

struct ExportFooter {
  uint64_t dictionaries = 0;
  uint64_t base_rows = 0;
  uint64_t names = 0;
  uint64_t kept = 0;
  uint64_t events = 0;
  Chain chain = {};  // of the last event, in the store the export is of
  Sha256Digest sha256 = {};

  // The count of what stands in frames of `type`; null for header and footer.
  uint64_t* CountOf(FrameType type);

  friend bool operator==(const ExportFooter&, const ExportFooter&) = default;
};

// Appends a frame to `out`.
void AppendFrame(FrameType type, std::string_view payload, std::string& out);

// The checksum of a frame's bytes before it.
uint64_t FrameChecksum(std::string_view head_and_payload);

// Payloads. Errors of decoding: kDataLoss saying what is wrong.
std::string EncodeExportHeader(const ExportHeader& header);
absl::StatusOr<ExportHeader> DecodeExportHeader(std::string_view payload);

std::string EncodeExportFooter(const ExportFooter& footer);
absl::StatusOr<ExportFooter> DecodeExportFooter(std::string_view payload);

struct ExportRow {
  std::string key;
  std::string value;
};

std::string EncodeExportRow(std::string_view key, std::string_view value);
absl::StatusOr<ExportRow> DecodeExportRow(std::string_view payload);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_EXPORT_FILE_H_
