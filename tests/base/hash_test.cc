#include "logbook/base/hash.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace logbook {
namespace {

Hash128 PartsOf(const std::vector<std::string_view>& parts) {
  PartsHasher hasher;
  for (std::string_view part : parts) {
    hasher.Add(part);
  }
  return hasher.Finish();
}

// Published test vectors of XXH3: what is stored must mean the same in every build.
TEST(HashTest, HashBytesIsXxh3) {
  EXPECT_EQ(HashBytes(""), (Hash128{.low = 0x6001c324468d497f, .high = 0x99aa06d3014798d8}));
  EXPECT_EQ(HashBytes("a"), (Hash128{.low = 0xe6c632b61e964e1f, .high = 0xa96faf705af16834}));
}

TEST(HashTest, BordersOfPartsCount) {
  EXPECT_NE(PartsOf({"ab", "c"}), PartsOf({"a", "bc"}));
  EXPECT_NE(PartsOf({"abc"}), PartsOf({"abc", ""}));
  EXPECT_NE(PartsOf({}), PartsOf({""}));
  EXPECT_EQ(PartsOf({"ab", "c"}), PartsOf({"ab", "c"}));
}

TEST(HashTest, ResetForgets) {
  PartsHasher hasher;
  hasher.Add("something");
  hasher.Reset();
  hasher.Add("a");
  EXPECT_EQ(hasher.Finish(), PartsOf({"a"}));
}

// FIPS 180-2, appendix B.
TEST(HashTest, Sha256OfKnownTexts) {
  EXPECT_EQ(HexDigest("", 64), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HexDigest("abc", 64),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexDigest("abc", 8), "ba7816bf");
  EXPECT_EQ(HexDigest("abc", 0), "");
}

TEST(HashTest, Sha256StreamTellsTheDigestOfWhatWasAddedSoFar) {
  Sha256Stream stream;
  EXPECT_EQ(stream.Digest(), Sha256().Digest({""}));
  stream.Add("a");
  stream.Add("bc");
  EXPECT_EQ(stream.Digest(), Sha256().Digest({"abc"}));
  stream.Add("d");
  EXPECT_EQ(stream.Digest(), Sha256().Digest({"abcd"}));
}

TEST(HashTest, Sha256IsOverTheConcatenation) {
  Sha256 sha256;
  const Sha256Digest whole = sha256.Digest({"abc"});
  EXPECT_EQ(sha256.Digest({"a", "", "bc"}), whole);
  EXPECT_EQ(sha256.Digest({"abc"}), whole) << "an instance may be used again";
}

TEST(HashTest, NoCollisionAmongSmallTexts) {
  std::set<std::pair<uint64_t, uint64_t>> seen;
  for (int i = 0; i < 10'000; ++i) {
    const Hash128 hash = HashBytes(std::to_string(i));
    seen.insert({hash.low, hash.high});
  }
  EXPECT_EQ(seen.size(), 10'000U);
}

}  // namespace
}  // namespace logbook
