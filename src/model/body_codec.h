// How the body of a record is coded, and who does it: record_codec.h knows the form, the store has
// what it takes (dictionaries, other records).
//
// Threads:  Confined.
// Source:   docs/format.md, "Bodies".
#ifndef LOGBOOK_MODEL_BODY_CODEC_H_
#define LOGBOOK_MODEL_BODY_CODEC_H_

#include <cstdint>
#include <string_view>

#include "logbook/base/status.h"
#include "logbook/model/event.h"

namespace logbook {

// Durable: never renumber. Another one raises the format's major version.
enum class BodyCodec : uint32_t { kStored = 0, kZstd = 1 };

// What a record's header says of its body.
struct BodyForm {
  BodyCodec codec = BodyCodec::kStored;
  uint32_t dictionary = 0;  // id; 0: none
  EventSeq delta_base;      // seq of the event to whose body this is a delta; 0: none

  friend bool operator==(const BodyForm&, const BodyForm&) = default;
};

struct CodedBody {
  BodyForm form;
  std::string_view bytes;
};

class BodyEncoder {
 public:
  virtual ~BodyEncoder() = default;

  // What stands in the record of `event` for `body`, maybe `body` itself. Called once per record,
  // in the order of seq. The result stands until the next call.
  virtual CodedBody Encode(const Event& event, std::string_view body) = 0;
};

class BodyDecoder {
 public:
  virtual ~BodyDecoder() = default;

  // The body of event `seq`; not called for those that are stored as they are. The result stands
  // until the next call. Errors: kDataLoss naming the event and what it lacks.
  virtual absl::StatusOr<std::string_view> Decode(EventSeq seq, const CodedBody& coded) = 0;
};

}  // namespace logbook

#endif  // LOGBOOK_MODEL_BODY_CODEC_H_
