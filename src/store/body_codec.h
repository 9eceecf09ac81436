// How a store codes the bodies of its records: zstd with the newest dictionary, or as a delta to an
// earlier body of the same object.
//
// Shape:    a delta's base is a record of its own, never a delta itself, and stands in the same
// block
//           of kBlockEvents, so that removing whole blocks never takes a base from under a delta.
// Threads:  all Confined; what is named const is shared.
// Source:   docs/format.md, "Bodies".
#ifndef LOGBOOK_STORE_BODY_CODEC_H_
#define LOGBOOK_STORE_BODY_CODEC_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "logbook/base/zstd.h"
#include "logbook/model/body_codec.h"
#include "logbook/store/body_sampler.h"
#include "logbook/store/database.h"
#include "logbook/store/dictionaries.h"

namespace logbook::store {

// Durable: events of one block have the same seq / kBlockEvents.
inline constexpr uint64_t kBlockEvents = 4'096;

constexpr uint64_t BlockOf(EventSeq seq) {
  return seq.value / kBlockEvents;
}

// A delta comes to some 30 bytes. It takes half as long again to make as what the dictionary does,
// and half as long to read: worth it where the dictionary leaves more than a twelfth.
constexpr bool MayBeBase(size_t plain_bytes, size_t coded_bytes) {
  return coded_bytes * 12 > plain_bytes;
}

// Compresses one text at a time with the newest dictionary.
class BodyCompressor {
 public:
  // Smaller ones are left alone: what zstd saves of them is less than a microsecond's worth.
  static constexpr size_t kBytesMin = 256;

  // `dictionaries` outlives this.
  explicit BodyCompressor(const Dictionaries& dictionaries)
      : dictionaries_(dictionaries), zstd_(kBodyCompressionLevel) {}

  // As it is if it is small, if there is no dictionary, or if nothing would be won.
  CodedBody Compress(std::string_view body);

  ZstdCompressor& zstd() { return zstd_; }

 private:
  const Dictionaries& dictionaries_;
  ZstdCompressor zstd_;
};

// The journal's: codes the bodies of what is appended, in order.
class BodyWriter : public BodyEncoder {
 public:
  // Bases that are kept for deltas: those of one block, of objects that come a second time in it,
  // and no more bytes than this. Keeping every object costs more than the first delta to it saves.
  static constexpr size_t kBaseBytesMax = size_t{16} << 20;
  // Larger bodies are no deltas: base and body together fill zstd's window.
  static constexpr size_t kDeltaBytesMax = size_t{256} << 10;

  // Both outlive this.
  BodyWriter(const Dictionaries& dictionaries, BodySampler& sampler)
      : compressor_(dictionaries), sampler_(sampler) {}

  CodedBody Encode(const Event& event, std::string_view body) override;

 private:
  // The last body of an object that is not a delta.
  struct Base {
    EventSeq seq;
    ObjectPtr object;
    size_t coded_bytes;
  };

  CodedBody EncodeObserved(EventSeq seq, const ObjectPtr& object);
  std::optional<CodedBody> EncodeDelta(const Object& object);
  bool SeenInBlock(const Object& object);
  void Remember(EventSeq seq, const ObjectPtr& object, size_t coded_bytes);
  void ForgetBases();

  BodyCompressor compressor_;
  BodySampler& sampler_;
  uint64_t block_ = 0;
  std::array<uint32_t, kBlockEvents> seen_ = {};  // hashes of uids in this block, by their ends
  absl::flat_hash_map<std::string_view, Base> bases_;  // by uid, which is the object's own
  size_t base_bytes_ = 0;
};

// Reads bodies: of rows, of single records, and of many in order.
class BodyReader : public BodyDecoder {
 public:
  // Bases that are kept for the deltas behind them: those of one block, and no more bytes than
  // this.
  static constexpr size_t kBaseBytesMax = size_t{64} << 20;

  // Both outlive this.
  BodyReader(const Database& database, const Dictionaries& dictionaries)
      : database_(database), dictionaries_(dictionaries) {}

  absl::StatusOr<std::string_view> Decode(EventSeq seq, const CodedBody& coded) override;

  // Keeps the body of `event`, which was decoded last, if there may be deltas to it. Who does not
  // call this for each event pays with a look into the database for each base.
  void Remember(const Event& event);

 private:
  absl::StatusOr<std::string_view> DecodeFull(EventSeq seq, const CodedBody& coded);
  absl::StatusOr<std::string_view> DecodeDelta(EventSeq seq, const CodedBody& coded);

  // The body of event `base`, which a delta is to.
  absl::StatusOr<std::string_view> BaseOf(EventSeq base);

  const Database& database_;
  const Dictionaries& dictionaries_;
  const Dictionary* dictionary_ = nullptr;  // the last one used
  ZstdDecompressor zstd_;
  EventSeq no_base_;  // the event decoded last, if no delta is to it
  uint64_t block_ = 0;
  std::vector<ObjectPtr> bases_;  // of events of block_, by place in it
  size_t base_bytes_ = 0;
  EventSeq found_seq_;  // of a base that had not been kept; 0: none
  std::string found_;   // and its body
};

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_BODY_CODEC_H_
