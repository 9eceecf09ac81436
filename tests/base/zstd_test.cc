#include "logbook/base/zstd.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

using ::testing::HasSubstr;

// Texts that are alike, as objects of one kind are.
std::string Text(int i) {
  std::string text = Concat("{\"kind\":\"SimpleApp\",\"name\":\"app-", i, "\",\"numbers\":[");
  for (int n = 0; n < 40; ++n) {
    text += Concat("{\"replicas\":", (i * 31 + n) % 97, ",\"image\":\"nginx:1.", n, "\"},");
  }
  return text + "]}";
}

std::string Train(int from) {
  std::vector<std::string> texts;
  for (int i = 0; i < 600; ++i) {
    texts.push_back(Text(from + i));
  }
  const std::vector<std::string_view> samples(texts.begin(), texts.end());
  absl::StatusOr<std::string> dictionary = TrainZstdDictionary(samples, 4'096);
  EXPECT_OK(dictionary);
  return dictionary.value_or("");
}

class ZstdTest : public ::testing::Test {
 protected:
  const std::unique_ptr<const ZstdDictionary> dictionary_ = *ZstdDictionary::Prepare(Train(0), 1);
  ZstdCompressor compressor_{1};
  ZstdDecompressor decompressor_;
};

TEST_F(ZstdTest, DictionaryMakesSimilarTextsSmall) {
  const std::string text = Text(7'000);
  const std::string frame(compressor_.Compress(text, *dictionary_));
  EXPECT_LT(frame.size() * 4, text.size());
  EXPECT_EQ(*decompressor_.Decompress(frame, *dictionary_), text);
}

TEST_F(ZstdTest, AnotherDictionaryIsRefused) {
  const auto other = *ZstdDictionary::Prepare(Train(10'000), 1);
  const std::string frame(compressor_.Compress(Text(1), *dictionary_));
  EXPECT_THAT(decompressor_.Decompress(frame, *other), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(ZstdTest, DeltaIsReadWithItsBase) {
  std::mt19937_64 random(TestSeed());
  for (size_t size : {0u, 1u, 300u, 5'000u, 200'000u}) {
    std::string base;
    while (base.size() < size) {
      base += static_cast<char>(random());
    }
    std::string text = base;
    for (size_t i = 0; i < size; i += 1'000) {
      text[i] = static_cast<char>(random());
    }
    const std::string frame(compressor_.CompressDelta(text, base));
    EXPECT_EQ(*decompressor_.DecompressDelta(frame, base), text);
    EXPECT_LT(frame.size(), 64 + size / 10);
  }
}

TEST_F(ZstdTest, BothWaysTakeTurnsInOneContext) {
  for (int i = 0; i < 10; ++i) {
    const std::string full(compressor_.Compress(Text(i), *dictionary_));
    const std::string delta(compressor_.CompressDelta(Text(i + 1), Text(i)));
    EXPECT_EQ(*decompressor_.Decompress(full, *dictionary_), Text(i));
    EXPECT_EQ(*decompressor_.DecompressDelta(delta, Text(i)), Text(i + 1));
  }
}

TEST_F(ZstdTest, DamagedFramesAreRefusedOrReadButDoNotCrash) {
  std::mt19937_64 random(TestSeed());
  const std::string frame(compressor_.Compress(Text(3), *dictionary_));
  const std::string delta(compressor_.CompressDelta(Text(4), Text(3)));
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = round % 2 == 0 ? frame : delta;
    damaged.resize(random() % (damaged.size() + 1));
    for (uint64_t flips = random() % 4; flips > 0 && !damaged.empty(); --flips) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    (void)decompressor_.Decompress(damaged, *dictionary_);
    (void)decompressor_.DecompressDelta(damaged, Text(3));
  }
}

TEST_F(ZstdTest, FramesThatClaimTooMuchAreRefused) {
  // Magic number; one segment, size in 8 bytes; 64 MiB and one byte.
  const std::string frame("\x28\xb5\x2f\xfd\xe0\x01\x00\x00\x04\x00\x00\x00\x00", 13);
  EXPECT_THAT(decompressor_.Decompress(frame, *dictionary_),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("67108865 bytes, more than")));
  EXPECT_THAT(decompressor_.DecompressDelta("", ""), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(ZstdDictionaryTest, OnlyTrainedOnesAreTaken) {
  EXPECT_THAT(ZstdDictionary::Prepare("", 1), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ZstdDictionary::Prepare("any text", 1), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(ZstdDictionaryTest, NothingComesOfFewSamples) {
  const std::vector<std::string_view> samples = {"one", "two"};
  EXPECT_THAT(TrainZstdDictionary(samples, 4'096),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("from 2 samples")));
}

}  // namespace
}  // namespace logbook
