#include "logbook/base/json.h"

#include <string>

#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

std::string Nested(size_t depth, char open, char close) {
  return std::string(depth, open) + std::string(depth, close);
}

TEST(JsonTest, MalformedTextIsRefusedWithItsPosition) {
  for (std::string_view text :
       {"", " ", "{", "}", "[1,]", "{\"a\":}", "{\"a\" 1}", "{a:1}", "nul", "1 2", "{} x", "\"\n\"",
        "\"\\q\"", "\"\\ud800\"", "01", "1e999", "\xff", "\"\xc3\"", "\"\xed\xa0\x80\""}) {
    EXPECT_THAT(ParseJson(text), StatusIs(kInvalid, HasSubstr("malformed JSON"))) << text;
  }
}

TEST(JsonTest, DepthIsLimited) {
  EXPECT_OK(ParseJson(Nested(100, '[', ']')));
  EXPECT_THAT(ParseJson(Nested(101, '[', ']')),
              StatusIs(kInvalid, "JSON nested deeper than 100 levels"));
  EXPECT_OK(ParseJson(Nested(3, '[', ']'), {.depth_max = 3}));
  EXPECT_THAT(ParseJson(Nested(4, '[', ']'), {.depth_max = 3}), StatusIs(kInvalid));
}

// nlohmann overflows the stack when it destroys such a value.
TEST(JsonTest, HundredThousandLevelsAreRefusedWithoutACrash) {
  EXPECT_THAT(ParseJson(Nested(100'000, '[', ']')), StatusIs(kInvalid));
  EXPECT_THAT(ParseJson(std::string(100'000, '[')), StatusIs(kInvalid));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += "{\"a\":";
  }
  EXPECT_THAT(ParseJson(objects + "1" + std::string(100'000, '}')), StatusIs(kInvalid));
}

TEST(JsonTest, ClosingBracketsDoNotBuyDepth) {
  EXPECT_THAT(ParseJson(std::string(200, ']') + Nested(150, '[', ']')), StatusIs(kInvalid));
}

TEST(JsonTest, BracketsInsideStringsAreText) {
  const std::string text = "\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"";
  const absl::StatusOr<Json> value = ParseJson(text);
  ASSERT_OK(value);
  EXPECT_EQ(value->get<std::string>().size(), 2001U);
}

TEST(JsonTest, SizeIsLimited) {
  EXPECT_OK(ParseJson("[1,2]", {.bytes_max = 5}));
  EXPECT_THAT(ParseJson("[1,23]", {.bytes_max = 5}),
              StatusIs(kInvalid, "JSON of 6 bytes exceeds the limit of 5"));
}

TEST(JsonTest, DumpIsCanonical) {
  const absl::StatusOr<Json> a = ParseJson(R"( {"b": 1, "a": [1.5, true, null, "x"]} )");
  ASSERT_OK(a);
  EXPECT_EQ(DumpJson(*a), R"({"a":[1.5,true,null,"x"],"b":1})");
}

TEST(JsonTest, IntegersKeepTheirDigits) {
  const std::string text = "[9223372036854775807,-9223372036854775808,18446744073709551615]";
  const absl::StatusOr<Json> value = ParseJson(text);
  ASSERT_OK(value);
  EXPECT_EQ(DumpJson(*value), text);
}

TEST(JsonTest, DumpReplacesWhatIsNotUtf8) {
  EXPECT_EQ(DumpJson(Json(std::string("a\xff"
                                      "b"))),
            "\"a\xEF\xBF\xBD"
            "b\"");
}

TEST(JsonTest, PathsLeadToMembers) {
  const Json value =
      Json::parse(R"({"spec":{"replicas":3,"image":"nginx","paused":true,"list":[1]},"n":null})");
  ASSERT_NE(JsonAt(value, {"spec", "replicas"}), nullptr);
  EXPECT_EQ(*JsonAt(value, {"spec", "replicas"}), 3);
  EXPECT_EQ(JsonAt(value, {}), &value);
  EXPECT_EQ(JsonAt(value, {"spec", "missing"}), nullptr);
  EXPECT_EQ(JsonAt(value, {"spec", "replicas", "deeper"}), nullptr);
  EXPECT_EQ(JsonAt(value, {"spec", "list", "0"}), nullptr);
  EXPECT_TRUE(JsonAt(value, {"n"})->is_null());
}

TEST(JsonTest, ReadersFallBackOnAbsenceAndOnOtherTypes) {
  const Json value = Json::parse(R"({"i":3,"s":"text","b":true,"f":1.5,"n":null})");
  EXPECT_EQ(JsonInt(value, {"i"}), 3);
  EXPECT_EQ(JsonInt(value, {"s"}, 7), 7);
  EXPECT_EQ(JsonInt(value, {"f"}, 7), 7);
  EXPECT_EQ(JsonInt(value, {"n"}, 7), 7);
  EXPECT_EQ(JsonInt(value, {"missing"}), 0);
  EXPECT_EQ(JsonString(value, {"s"}), "text");
  EXPECT_EQ(JsonString(value, {"i"}, "none"), "none");
  EXPECT_EQ(JsonString(value, {"missing"}), "");
  EXPECT_TRUE(JsonBool(value, {"b"}));
  EXPECT_TRUE(JsonBool(value, {"i"}, true));
  EXPECT_FALSE(JsonBool(value, {"missing"}));
}

// A number that does not fit is another type, not another number.
TEST(JsonTest, IntegersBeyondInt64FallBack) {
  const Json value = Json::parse(R"({"i":18446744073709551615})");
  EXPECT_EQ(JsonInt(value, {"i"}, 7), 7);
}

}  // namespace
}  // namespace logbook
