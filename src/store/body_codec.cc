#include "logbook/store/body_codec.h"

#include <algorithm>
#include <utility>

#include "logbook/base/hash.h"

namespace logbook::store {

CodedBody BodyCompressor::Compress(std::string_view body) {
  const Dictionary* dictionary = dictionaries_.newest();
  if (dictionary == nullptr || body.size() < kBytesMin || body.size() > kZstdBytesMax) {
    return {.form = {}, .bytes = body};  // too small to be worth it, or too large to be read again
  }
  const std::string_view coded = zstd_.Compress(body, *dictionary->zstd);
  if (coded.size() >= body.size()) {
    return {.form = {}, .bytes = body};
  }
  return {.form = {.codec = BodyCodec::kZstd, .dictionary = dictionary->id, .delta_base = {}},
          .bytes = coded};
}

CodedBody BodyWriter::Encode(const Event& event, std::string_view body) {
  if (BlockOf(event.seq) != block_) {
    ForgetBases();
    seen_.fill(0);
    block_ = BlockOf(event.seq);
  }
  const auto* observed = std::get_if<Observed>(&event.body);
  return observed == nullptr || body.size() < BodyCompressor::kBytesMin
             ? compressor_.Compress(body)
             : EncodeObserved(event.seq, observed->object);
}

CodedBody BodyWriter::EncodeObserved(EventSeq seq, const ObjectPtr& object) {
  const std::optional<CodedBody> delta = EncodeDelta(*object);
  if (delta.has_value()) {
    sampler_.Offer(object, 0);
    return *delta;
  }
  const CodedBody full = compressor_.Compress(object->json());
  sampler_.Offer(object, full.form.dictionary == 0 ? 0 : full.bytes.size());
  if (SeenInBlock(*object)) {
    Remember(seq, object, full.bytes.size());
  }
  return full;
}

// Only if there is something to win, and only if it is won: the next delta would otherwise be as
// bad, so that the body becomes the new base.
std::optional<CodedBody> BodyWriter::EncodeDelta(const Object& object) {
  const auto found = bases_.find(object.uid());
  if (found == bases_.end() || object.json().size() > kDeltaBytesMax) {
    return std::nullopt;
  }
  const Base& base = found->second;
  const std::string_view coded =
      compressor_.zstd().CompressDelta(object.json(), base.object->json());
  if (coded.size() * 2 > std::min(base.coded_bytes, object.json().size())) {
    return std::nullopt;
  }
  return CodedBody{.form = {.codec = BodyCodec::kZstd, .dictionary = 0, .delta_base = base.seq},
                   .bytes = coded};
}

// Two objects may share a place, and then miss a delta.
bool BodyWriter::SeenInBlock(const Object& object) {
  const auto hash = static_cast<uint32_t>(HashBytes(object.uid()).low);
  uint32_t& place = seen_[hash % kBlockEvents];
  const bool seen = place == hash;
  place = hash;
  return seen;
}

void BodyWriter::Remember(EventSeq seq, const ObjectPtr& object, size_t coded_bytes) {
  const auto found = bases_.find(object->uid());
  if (found != bases_.end()) {
    base_bytes_ -= found->second.object->json().size();
    bases_.erase(found);
  }
  const size_t bytes = object->json().size();
  if (object->uid().empty() || bytes > kDeltaBytesMax || !MayBeBase(bytes, coded_bytes)) {
    return;
  }
  if (base_bytes_ + bytes > kBaseBytesMax) {
    ForgetBases();
  }
  base_bytes_ += bytes;
  bases_.emplace(object->uid(), Base{.seq = seq, .object = object, .coded_bytes = coded_bytes});
}

void BodyWriter::ForgetBases() {
  bases_.clear();
  base_bytes_ = 0;
}

}  // namespace logbook::store
