#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "logbook/base/json_peek.h"
#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr std::string_view kPage =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"42",)"
    R"("continue":"abc\u003d","remainingItemCount":7},)"
    R"("items":[{"metadata":{"name":"a"}}, {"metadata":{"name":"b"}}]})";

TEST(JsonPeekListTest, PageGivesItsItems) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedList> list = peeker.List(kPage);
  ASSERT_OK(list);
  EXPECT_EQ(list->kind, "PodList");
  EXPECT_EQ(list->resource_version, "42");
  EXPECT_EQ(list->continue_token, "abc=");
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->items[1], R"({"metadata":{"name":"b"}})");
}

// All items of a page are looked at one after the other, in the page's own buffer.
TEST(JsonPeekListTest, ItemsStandWhileTheyAreLookedAt) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedList> list = peeker.List(kPage);
  ASSERT_OK(list);
  std::vector<std::string> names;
  for (std::string_view item : list->items) {
    const absl::StatusOr<PeekedObject> object = peeker.Object(item);
    ASSERT_OK(object);
    names.emplace_back(object->name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
}

TEST(JsonPeekListTest, LastPageHasNoToken) {
  JsonPeeker peeker;
  for (std::string_view metadata :
       {R"({"resourceVersion":"1"})", R"({"continue":""})", R"({"continue":null})", "{}"}) {
    const absl::StatusOr<PeekedList> list =
        peeker.List(Concat(R"({"metadata":)", metadata, R"(,"items":[]})"));
    ASSERT_OK(list);
    EXPECT_EQ(list->continue_token, "") << metadata;
  }
}

TEST(JsonPeekListTest, NoItemsAreNoItems) {
  JsonPeeker peeker;
  for (std::string_view page : {R"({"items":null})", R"({"items":[]})", "{}"}) {
    ASSERT_OK(peeker.List(page));
    EXPECT_TRUE(peeker.List(page)->items.empty()) << page;
  }
}

TEST(JsonPeekListTest, WhatIsNoListIsRefused) {
  JsonPeeker peeker;
  for (std::string_view page : {"", "[]", "null", R"({"items":{}})", R"({"items":7})",
                                R"({"metadata":[]})", R"({"metadata":{"continue":7}})",
                                R"({"items":[{})", R"({"items":[1,)", "{\"items\":[\"\xff\"]}"}) {
    EXPECT_THAT(StatusOf(peeker.List(page)), StatusIs(kInvalid)) << page;
  }
}

TEST(JsonPeekListTest, EveryPrefixOfAPageIsRefused) {
  JsonPeeker peeker;
  for (size_t size = 0; size < kPage.size(); ++size) {
    EXPECT_FALSE(peeker.List(kPage.substr(0, size)).ok()) << size;
  }
}

TEST(JsonPeekIdentityTest, IsToldAsFarAsItCanBe) {
  JsonPeeker peeker;
  const std::string deep =
      Concat(R"({"metadata":{"name":"n","uid":"u","resourceVersion":"7"},"spec":)",
             std::string(200, '['), std::string(200, ']'), "}");
  EXPECT_FALSE(peeker.Object(deep).ok());
  const PeekedObject identity = peeker.Identity(deep);
  EXPECT_EQ(identity.name, "n");
  EXPECT_EQ(identity.uid, "u");
  EXPECT_EQ(identity.resource_version, "7");
}

TEST(JsonPeekIdentityTest, NonsenseHasNone) {
  JsonPeeker peeker;
  for (std::string_view text :
       {"", "x", "[", "{", "{\"metadata\":", "\xff\xfe", "{\"metadata\":5}"}) {
    EXPECT_EQ(peeker.Identity(text).name, "") << text;
  }
}

}  // namespace
}  // namespace logbook
