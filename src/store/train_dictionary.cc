#include "logbook/store/train_dictionary.h"

#include <string_view>
#include <utility>
#include <vector>

namespace logbook::store {
namespace {

// One sample in so many is kept back to measure with.
constexpr size_t kHeldOut = 8;

struct Split {
  std::vector<std::string_view> train;
  std::vector<std::string_view> measure;
  uint64_t measure_bytes = 0;
};

Split SplitSamples(std::span<const ObjectPtr> samples) {
  Split split;
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::string_view text = samples[i]->json();
    if (i % kHeldOut == 0) {
      split.measure.push_back(text);
      split.measure_bytes += text.size();
    } else {
      split.train.push_back(text);
    }
  }
  return split;
}

uint64_t CodedBytes(const std::vector<std::string_view>& texts, const ZstdDictionary& dictionary) {
  ZstdCompressor compressor(kBodyCompressionLevel);
  uint64_t bytes = 0;
  for (std::string_view text : texts) {
    bytes += compressor.Compress(text, dictionary).size();
  }
  return bytes;
}

}  // namespace

absl::StatusOr<TrainedDictionary> TrainDictionary(uint32_t id, std::span<const ObjectPtr> samples,
                                                  const Dictionary* current) {
  const Split split = SplitSamples(samples);
  TrainedDictionary trained;
  LOGBOOK_ASSIGN_OR_RETURN(trained.bytes, TrainZstdDictionary(split.train, kDictionaryBytesMax));
  LOGBOOK_ASSIGN_OR_RETURN(auto zstd,
                           ZstdDictionary::Prepare(trained.bytes, kBodyCompressionLevel));
  const uint64_t coded_bytes = CodedBytes(split.measure, *zstd);
  // By a fifth at least: it takes its room for good.
  if (current != nullptr && coded_bytes * 5 > CodedBytes(split.measure, *current->zstd) * 4) {
    return AlreadyExists("dictionary ", current->id, " does about as well");
  }
  trained.dictionary =
      std::make_unique<const Dictionary>(Dictionary{.id = id,
                                                    .zstd = std::move(zstd),
                                                    .plain_bytes = split.measure_bytes,
                                                    .coded_bytes = coded_bytes});
  return trained;
}

}  // namespace logbook::store
