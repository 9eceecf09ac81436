// The reading half of body_codec.h.
#include <algorithm>
#include <utility>

#include "logbook/model/record_codec.h"
#include "logbook/store/body_codec.h"
#include "logbook/store/key_codec.h"

namespace logbook::store {
namespace {

absl::Status InEvent(EventSeq seq, const absl::Status& status) {
  return WithContext(status, Concat("event ", seq.value));
}

}  // namespace

absl::StatusOr<std::string_view> BodyReader::Decode(EventSeq seq, const CodedBody& coded) {
  no_base_ = seq;
  if (coded.form.delta_base != EventSeq(0)) {
    return DecodeDelta(seq, coded);
  }
  LOGBOOK_ASSIGN_OR_RETURN(const std::string_view body, DecodeFull(seq, coded));
  if (MayBeBase(body.size(), coded.bytes.size())) {
    no_base_ = EventSeq(0);
  }
  return body;
}

absl::StatusOr<std::string_view> BodyReader::DecodeFull(EventSeq seq, const CodedBody& coded) {
  if (dictionary_ == nullptr || dictionary_->id != coded.form.dictionary) {
    const absl::StatusOr<const Dictionary*> dictionary = dictionaries_.Get(coded.form.dictionary);
    if (!dictionary.ok()) {
      return InEvent(seq, dictionary.status());
    }
    dictionary_ = *dictionary;
  }
  absl::StatusOr<std::string_view> body = zstd_.Decompress(coded.bytes, *dictionary_->zstd);
  return body.ok() ? body : InEvent(seq, body.status());
}

absl::StatusOr<std::string_view> BodyReader::DecodeDelta(EventSeq seq, const CodedBody& coded) {
  const EventSeq base = coded.form.delta_base;
  if (base >= seq || BlockOf(base) != BlockOf(seq)) {
    return DataLoss("event ", seq.value, ": a delta to event ", base.value,
                    ", which is not before it in its block");
  }
  const absl::StatusOr<std::string_view> plain = BaseOf(base);
  if (!plain.ok()) {
    return InEvent(seq, plain.status());
  }
  absl::StatusOr<std::string_view> body = zstd_.DecompressDelta(coded.bytes, *plain);
  return body.ok() ? body : InEvent(seq, body.status());
}

absl::StatusOr<std::string_view> BodyReader::BaseOf(EventSeq base) {
  const size_t place = base.value % kBlockEvents;
  if (BlockOf(base) == block_ && place < bases_.size() && bases_[place] != nullptr) {
    return bases_[place]->json();
  }
  if (base == found_seq_) {
    return found_;
  }
  const absl::StatusOr<std::string> record =
      database_.Get(ColumnFamily::kEvents, EventRowKey(base));
  if (absl::IsNotFound(record.status())) {
    return DataLoss("it is a delta to event ", base.value, ", which is missing");
  }
  LOGBOOK_RETURN_IF_ERROR(record.status());
  LOGBOOK_ASSIGN_OR_RETURN(const CodedBody coded, CodedBodyOf(*record));
  if (coded.form.delta_base != EventSeq(0)) {
    return DataLoss("it is a delta to event ", base.value, ", which is one itself");
  }
  std::string_view plain = coded.bytes;
  if (coded.form.codec != BodyCodec::kStored) {
    LOGBOOK_ASSIGN_OR_RETURN(plain, DecodeFull(base, coded));
  }
  found_ = plain;
  found_seq_ = base;
  return found_;
}

void BodyReader::Remember(const Event& event) {
  const auto* observed = std::get_if<Observed>(&event.body);
  if (observed == nullptr || event.seq == no_base_) {
    return;
  }
  const size_t bytes = observed->object->json().size();
  if (bytes < BodyCompressor::kBytesMin) {
    return;
  }
  if (BlockOf(event.seq) != block_ || base_bytes_ + bytes > kBaseBytesMax) {
    std::fill(bases_.begin(), bases_.end(), nullptr);
    base_bytes_ = 0;
    block_ = BlockOf(event.seq);
  }
  bases_.resize(kBlockEvents);
  bases_[event.seq.value % kBlockEvents] = observed->object;
  base_bytes_ += bytes;
}

}  // namespace logbook::store
