// Events as records: the bytes that stand in the journal. docs/format.md is the specification.
//
// A record is a fixed part of 48 bytes, a header message, and a body. The fixed part holds the
// chain value, SHA-256 of (the chain value before it, the record without its own chain value), cut
// to 16 bytes: whoever knows the last value knows that all records are the ones that were written.
//
//   offset  bytes  content (integers little-endian)
//        0      1  format, kRecordFormat
//        1      1  kind, EventKind
//        2      2  flags: none defined; a reader skips those it does not know
//        4      4  size of fixed part and header together: where the body begins
//        8      8  seq
//       16      8  run
//       24      8  wall time, nanoseconds since 1970
//       32     16  chain value
//       48      …  EventHeader (proto/logbook/v1/record.proto)
#ifndef LOGBOOK_MODEL_RECORD_CODEC_H_
#define LOGBOOK_MODEL_RECORD_CODEC_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/base/hash.h"
#include "logbook/base/status.h"
#include "logbook/model/body_codec.h"
#include "logbook/model/event.h"

namespace logbook {

inline constexpr uint8_t kRecordFormat = 1;
inline constexpr size_t kRecordFixedBytes = 48;
inline constexpr size_t kRecordChainOffset = 32;

// A chain value; all zero before the first event.
using Chain = std::array<uint8_t, 16>;

// 32 lower-case hex digits.
std::string ToHex(const Chain& chain);

// Reads what ToHex wrote. Errors: kInvalidArgument.
absl::StatusOr<Chain> ChainFromHex(std::string_view hex);

// Encodes and checks the chain. Confined: keeps its hash context.
class RecordCodec {
 public:
  // The record of `event`, whose chain value follows on `chain`; sets `chain` to it. The body is
  // coded by `bodies`, or stored as it is if that is null.
  std::string Encode(const Event& event, Chain& chain, BodyEncoder* bodies = nullptr);

  // Whether `record`'s chain value follows on `chain`; sets `chain` to it if so. False also for
  // bytes too short to be a record.
  bool Follows(std::string_view record, Chain& chain);

  // `record`, which has its fixed part, with the chain value that follows on `chain`; sets `chain`
  // to it.
  std::string Relinked(std::string_view record, Chain& chain);

 private:
  Chain Link(const Chain& previous, std::string_view record);

  Sha256 sha256_;
  std::string body_;  // room for the next one
};

// Errors: kDataLoss naming what is wrong; kFailedPrecondition for a record of a newer format.
// Does not check the chain.
absl::StatusOr<Event> DecodeRecord(std::string_view record, BodyDecoder& bodies);

// The same for a record by itself. Errors: kFailedPrecondition also if its body is compressed,
// since what that takes is in the store.
absl::StatusOr<Event> DecodeRecord(std::string_view record);

// The fixed part of a record. Parsing it costs nothing, whatever the size of the record.
struct RecordFixed {
  uint8_t format = 0;
  EventKind kind = EventKind::kObserved;
  size_t body_offset = 0;
  EventSeq seq;
  RunId run;
  int64_t wall_unix_nanos = 0;
  Chain chain = {};
};

// Errors: kDataLoss if it is too short; kFailedPrecondition for a newer format.
absl::StatusOr<RecordFixed> ParseRecordFixed(std::string_view record);

// The body as it is stored, and how it is coded. `record` must outlive it. Errors: as DecodeRecord.
absl::StatusOr<CodedBody> CodedBodyOf(std::string_view record);

// Whose history `record` belongs to, without looking at its body. Errors: as DecodeRecord.
absl::StatusOr<std::vector<ObjectRef>> SubjectsOf(std::string_view record);

// The chain value that `record` carries. Errors: kDataLoss if it is too short.
absl::StatusOr<Chain> ChainOf(std::string_view record);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_RECORD_CODEC_H_
