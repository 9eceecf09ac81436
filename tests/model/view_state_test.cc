#include "logbook/model/view_state.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

ObjectPtr MakeObject(std::string_view ns, std::string_view name, std::string_view owner_uid = "") {
  std::string owners;
  if (!owner_uid.empty()) {
    owners = Concat(R"(,"ownerReferences":[{"uid":")", owner_uid, R"(","controller":true}])");
  }
  absl::StatusOr<ObjectPtr> object = Object::FromJson(
      Concat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns, "\"", owners, "}}"));
  EXPECT_OK(object);
  return *object;
}

std::vector<std::string> Children(const ViewState& state) {
  std::vector<std::string> paths;
  state.children.ForEach([&](const std::string& path, char) { paths.push_back(path); });
  return paths;
}

std::string Child(std::string_view uid, std::string_view resource, const ObjectKey& key) {
  return Concat(uid, std::string_view("\0", 1), ObjectPath(resource, key));
}

const ObjectKey kWeb{.ns = "shop", .name = "web"};

TEST(ViewStateTest, ObjectsAreFoundByResourceAndKey) {
  ViewState state;
  state.PutObject("pods", {.object = MakeObject("shop", "web"), .seq = EventSeq(4)});
  ASSERT_NE(state.FindObject("pods", kWeb), nullptr);
  EXPECT_EQ(state.FindObject("pods", kWeb)->seq, EventSeq(4));
  EXPECT_EQ(state.FindObject("services", kWeb), nullptr);
  EXPECT_EQ(state.FindObject("pods", {.ns = "shop", .name = "we"}), nullptr);
  EXPECT_EQ(state.FindObject("pods", {.ns = "", .name = "web"}), nullptr);
}

TEST(ViewStateTest, ChildrenFollowTheirOwner) {
  ViewState state;
  state.PutObject("pods", {.object = MakeObject("shop", "web", "u-1")});
  EXPECT_EQ(Children(state), std::vector{Child("u-1", "pods", kWeb)});
  state.PutObject("pods", {.object = MakeObject("shop", "web", "u-1")});
  EXPECT_EQ(Children(state), std::vector{Child("u-1", "pods", kWeb)}) << "the same owner again";
  state.PutObject("pods", {.object = MakeObject("shop", "web", "u-2")});
  EXPECT_EQ(Children(state), std::vector{Child("u-2", "pods", kWeb)}) << "adopted by another";
  state.PutObject("pods", {.object = MakeObject("shop", "web")});
  EXPECT_EQ(Children(state), std::vector<std::string>()) << "orphaned";
  state.PutObject("pods", {.object = MakeObject("shop", "web", "u-3")});
  EXPECT_EQ(Children(state), std::vector{Child("u-3", "pods", kWeb)}) << "adopted again";
  state.RemoveObject("pods", kWeb);
  EXPECT_EQ(Children(state), std::vector<std::string>());
  EXPECT_TRUE(state.objects.empty());
}

TEST(ViewStateTest, RemovingWhatIsNotThereDoesNothing) {
  ViewState state;
  state.RemoveObject("pods", kWeb);
  state.PutObject("pods", {.object = MakeObject("shop", "web", "u-1")});
  state.RemoveObject("pods", {.ns = "shop", .name = "other"});
  state.RemoveObject("services", kWeb);
  EXPECT_EQ(state.objects.size(), 1U);
  EXPECT_EQ(state.children.size(), 1U);
}

TEST(ViewStateTest, ACopyStaysWhatItWas) {
  ViewState state;
  state.PutObject("pods", {.object = MakeObject("shop", "web", "u-1")});
  const ViewState copy = state;
  state.RemoveObject("pods", kWeb);
  EXPECT_NE(copy.FindObject("pods", kWeb), nullptr);
  EXPECT_EQ(copy.children.size(), 1U);
}

TEST(ViewStateTest, KeysAreFoundByControllerAndObject) {
  ViewState state;
  auto key_state = std::make_shared<KeyState>();
  key_state->attempts = 3;
  const ControllerKey key{.controller = "simpleapp", .object = kWeb};
  state.keys.Set(KeyPath(key), key_state);
  ASSERT_NE(state.FindKey(key), nullptr);
  EXPECT_EQ(state.FindKey(key)->attempts, 3U);
  EXPECT_EQ(state.FindKey({.controller = "other", .object = kWeb}), nullptr);
}

TEST(ViewStateTest, PathsAreReadBack) {
  for (const ObjectKey& key : {kWeb, ObjectKey{.ns = "", .name = "node-1"},
                               ObjectKey{.ns = "a", .name = std::string(253, 'x')}}) {
    const ObjectRef ref = RefFromPath(ObjectPath("deployments.apps", key));
    EXPECT_EQ(ref.resource, "deployments.apps");
    EXPECT_EQ(ref.key, key);
    EXPECT_EQ(KeyFromPath(KeyPath({.controller = "c", .object = key})),
              (ControllerKey{.controller = "c", .object = key}));
  }
}

TEST(ViewStateTest, PathsOfOneKindOrNamespaceStandTogether) {
  EXPECT_LT(ObjectPath("pods", {.ns = "a", .name = "z"}), ObjectPath("pods", {.ns = "a-b"}));
  EXPECT_LT(ObjectPath("pods", {.ns = "z", .name = "z"}), ObjectPath("pods.metrics", {.ns = "a"}));
  EXPECT_EQ(ObjectPath("pods", kWeb).find(ObjectPathPrefix("pods", "shop")), 0U);
  EXPECT_EQ(ObjectPath("pods", kWeb).find(ObjectPathPrefix("pods")), 0U);
  EXPECT_NE(ObjectPath("pods", {.ns = "shop2", .name = "x"}).find(ObjectPathPrefix("pods", "shop")),
            0U);
}

}  // namespace
}  // namespace logbook
