#include "logbook/model/object.h"

#include <string>

#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

constexpr std::string_view kJson =
    R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"shop",)"
    R"("uid":"u-1","resourceVersion":"42","generation":7,"labels":{"a":"b"},)"
    R"("annotations":{"c":"d"},"deletionTimestamp":"2026-05-26T03:14:00Z","finalizers":["x/y"],)"
    R"("ownerReferences":[{"apiVersion":"apps.bootcamp.local/v1","kind":"SimpleApp","name":"app",)"
    R"("uid":"u-9","controller":true}]},"spec":{"replicas":3}})";

TEST(ObjectTest, IdentityStandsAtHand) {
  const absl::StatusOr<ObjectPtr> object = Object::FromJson(kJson);
  ASSERT_OK(object);
  EXPECT_EQ((*object)->json(), kJson);
  EXPECT_EQ((*object)->key(), (ObjectKey{.ns = "shop", .name = "web"}));
  EXPECT_EQ((*object)->uid(), "u-1");
  EXPECT_EQ((*object)->resource_version(), "42");
  EXPECT_EQ((*object)->generation(), 7);
  EXPECT_TRUE((*object)->deleting());
  EXPECT_EQ((*object)->deletion_timestamp(), "2026-05-26T03:14:00Z");
  EXPECT_TRUE((*object)->has_finalizers());
  EXPECT_EQ((*object)->controller_uid(), "u-9");
  EXPECT_EQ((*object)->controller_kind(), "SimpleApp");
  EXPECT_EQ((*object)->controller_name(), "app");
  EXPECT_EQ((*object)->controller_api_version(), "apps.bootcamp.local/v1");
  EXPECT_EQ((*object)->labels(), R"({"a":"b"})");
  EXPECT_EQ((*object)->annotations(), R"({"c":"d"})");
  EXPECT_GE((*object)->MemoryBytes(), kJson.size());
}

TEST(ObjectTest, WhatIsAbsentIsEmpty) {
  const absl::StatusOr<ObjectPtr> object = Object::FromJson(R"({"metadata":{"name":"n"}})");
  ASSERT_OK(object);
  EXPECT_EQ((*object)->ns(), "");
  EXPECT_EQ((*object)->uid(), "");
  EXPECT_EQ((*object)->labels(), "");
  EXPECT_EQ((*object)->controller_uid(), "");
  EXPECT_FALSE((*object)->deleting());
  EXPECT_FALSE((*object)->has_finalizers());
}

TEST(ObjectTest, BytesAreCopied) {
  std::string json(kJson);
  const absl::StatusOr<ObjectPtr> object = Object::FromJson(json);
  ASSERT_OK(object);
  json.assign(json.size(), 'x');
  EXPECT_EQ((*object)->json(), kJson);
  EXPECT_EQ((*object)->name(), "web");
}

TEST(ObjectTest, TreeIsTheWholeObject) {
  const absl::StatusOr<ObjectPtr> object = Object::FromJson(kJson);
  ASSERT_OK(object);
  EXPECT_EQ(JsonInt((*object)->Tree(), {"spec", "replicas"}), 3);
}

TEST(ObjectTest, WithoutANameItIsRefused) {
  for (std::string_view json : {"{}", R"({"metadata":{}})", R"({"metadata":{"name":""}})",
                                R"({"metadata":{"name":7}})", R"({"name":"n"})", "[]", ""}) {
    EXPECT_THAT(Object::FromJson(json), StatusIs(absl::StatusCode::kInvalidArgument)) << json;
  }
}

std::string Completed(std::string_view json) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedObject> peeked = peeker.Object(json);
  EXPECT_OK(peeked);
  return WithTypeMeta(
      peeked->json, *peeked,
      {.group = "apps", .version = "v1", .plural = "deployments", .kind = "Deployment"});
}

TEST(ObjectTest, ItemsOfTypedListsGetTheirKind) {
  EXPECT_EQ(Completed(R"({"metadata":{"name":"n"}})"),
            R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"n"}})");
}

TEST(ObjectTest, ObjectsWithAKindStayAsTheyAre) {
  EXPECT_EQ(Completed(kJson), kJson);
}

// An item that was completed equals the same object off the watch.
TEST(ObjectTest, CompletedItemHasTheSameContent) {
  const absl::StatusOr<ObjectPtr> listed =
      Object::FromJson(Completed(R"({"metadata":{"name":"n","uid":"u"},"spec":{}})"));
  const absl::StatusOr<ObjectPtr> watched = Object::FromJson(
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"n","uid":"u"},"spec":{}})");
  ASSERT_OK(listed);
  ASSERT_OK(watched);
  EXPECT_EQ((*listed)->content(), (*watched)->content());
}

}  // namespace
}  // namespace logbook
