#include "logbook/store/key_codec.h"

#include <random>
#include <tuple>

#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"

namespace logbook::store {
namespace {

using ::testing::HasSubstr;

constexpr int kRounds = 20'000;

// Names of the bytes that could confuse an escape, so that collisions are frequent.
std::string RandomField(std::mt19937_64& random) {
  static constexpr std::string_view kBytes(
      "\0\x01\x02\xfe\xff"
      "ab",
      7);
  std::string field(random() % 4, '\0');
  for (char& byte : field) {
    byte = kBytes[random() % kBytes.size()];
  }
  return field;
}

NamedSeq RandomName(std::mt19937_64& random) {
  return {.resource = RandomField(random),
          .key = {.ns = RandomField(random), .name = RandomField(random)},
          .seq = EventSeq(random() % 3 == 0 ? random() : random() % 4)};
}

auto Tuple(const NamedSeq& name) {
  return std::tie(name.resource, name.key.ns, name.key.name, name.seq);
}

std::string Encode(const NamedSeq& name) {
  return NamedSeqRowKey(name.resource, name.key, name.seq);
}

TEST(KeyCodecTest, KeysReadBackAsWhatTheyWereMadeOf) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < kRounds; ++i) {
    const NamedSeq name = RandomName(random);
    const absl::StatusOr<NamedSeq> parsed = ParseNamedSeqRowKey(Encode(name));
    ASSERT_OK(parsed);
    ASSERT_EQ(*parsed, name);
  }
}

TEST(KeyCodecTest, KeysOrderAsTheirParts) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < kRounds; ++i) {
    const NamedSeq a = RandomName(random);
    const NamedSeq b = RandomName(random);
    ASSERT_EQ(Tuple(a) < Tuple(b), Encode(a) < Encode(b));
    ASSERT_EQ(Tuple(a) == Tuple(b), Encode(a) == Encode(b));
  }
}

TEST(KeyCodecTest, PrefixOfAHoldsOnlyA) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < kRounds; ++i) {
    const NamedSeq a = RandomName(random);
    const NamedSeq b = RandomName(random);
    const std::string prefix = NamedSeqPrefix(a.resource, a.key);
    const std::string key = Encode(b);
    const bool inside = key >= prefix && key < EndOfPrefix(prefix);
    ASSERT_EQ(inside, a.resource == b.resource && a.key == b.key);
  }
}

TEST(KeyCodecTest, CutKeysAreRefused) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < kRounds; ++i) {
    const std::string key = Encode(RandomName(random));
    const std::string cut = key.substr(0, random() % key.size());
    ASSERT_THAT(ParseNamedSeqRowKey(cut), StatusIs(absl::StatusCode::kDataLoss));
  }
}

TEST(KeyCodecTest, StateKeysReadBack) {
  const ObjectKey key{.ns = "default", .name = "web"};
  const absl::StatusOr<ObjectRef> ref = ParseObjectRowKey(ObjectRowKey("pods", key));
  ASSERT_OK(ref);
  EXPECT_EQ(ref->resource, "pods");
  EXPECT_EQ(ref->key, key);
  const ControllerKey controller{.controller = "simpleapp", .object = key};
  EXPECT_EQ(*ParseKeyRowKey(KeyRowKey(controller)), controller);
}

TEST(KeyCodecTest, ObjectsAndKeysAreTold) {
  EXPECT_THAT(ParseObjectRowKey(KeyRowKey({.controller = "c", .object = {"n", "x"}})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("malformed state key 6b63")));
  EXPECT_THAT(ParseKeyRowKey(ObjectRowKey("pods", {"n", "x"}) + "z"),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST(KeyCodecTest, EventKeysAreBigEndian) {
  EXPECT_EQ(EventRowKey(EventSeq(0x0102)), std::string("\0\0\0\0\0\0\x01\x02", 8));
  EXPECT_EQ(*ParseEventRowKey(EventRowKey(EventSeq(77))), EventSeq(77));
  EXPECT_THAT(ParseEventRowKey("short"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(KeyCodecTest, StreamKeysAreReadable) {
  EXPECT_EQ(StreamRowKey(kMetaBookmarkPrefix, StreamId(12)), "bookmark/0000000012");
  EXPECT_EQ(*ParseStreamRowKey(kMetaBookmarkPrefix, "bookmark/4294967295"), StreamId(4294967295));
  for (const char* bad : {"bookmark/", "bookmark/x", "stream/0000000001", "bookmark/9999999999",
                          "bookmark/12", "bookmark/        12", "bookmark/+000000012"}) {
    EXPECT_THAT(ParseStreamRowKey(kMetaBookmarkPrefix, bad), StatusIs(absl::StatusCode::kDataLoss));
  }
}

TEST(KeyCodecTest, EndOfPrefixIsTheNextString) {
  EXPECT_EQ(EndOfPrefix("ab"), "ac");
  EXPECT_EQ(EndOfPrefix("a\xff\xff"), "b");
  EXPECT_EQ(EndOfPrefix("\xff"), "");
  EXPECT_EQ(EndOfPrefix(""), "");
}

TEST(KeyCodecTest, BaseKeysReadBackWhatTheyWereMadeOf) {
  const std::string row = ObjectRowKey("pods", {.ns = "shop", .name = "web"});
  const std::string key = BaseRowKey(row, EventSeq(4095));
  const auto parsed = ParseBaseRowKey(key);
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->row, row);
  EXPECT_EQ(parsed->watermark, EventSeq(4095));
  EXPECT_LT(BaseRowKey(row, EventSeq(4095)), BaseRowKey(row, EventSeq(8191)));
  const std::string nul("u\0id", 4);
  EXPECT_EQ(ParseBaseTombstoneKey(BaseTombstoneKey(nul)).value(), nul);
  EXPECT_EQ(ParseKeptRowKey(KeptRowKey(EventSeq(7))).value(), EventSeq(7));
}

TEST(KeyCodecTest, MalformedBaseKeysAreRefused) {
  EXPECT_THAT(ParseBaseRowKey("o1234567"), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ParseBaseTombstoneKey(""), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ParseBaseTombstoneKey("tno-end"), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ParseKeptRowKey(""), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ParseKeptRowKey(EncodeNumber(1)), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace logbook::store
