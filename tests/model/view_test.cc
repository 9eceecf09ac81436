#include "logbook/model/view.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

class ViewTest : public testing::Test {
 protected:
  void Put(std::string_view resource, std::string_view ns, std::string_view name,
           std::string_view owner_uid = "") {
    std::string owners;
    if (!owner_uid.empty()) {
      owners = Concat(R"(,"ownerReferences":[{"uid":")", owner_uid, R"(","controller":true}])");
    }
    absl::StatusOr<ObjectPtr> object =
        Object::FromJson(Concat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns, "\"",
                                owners, R"(},"spec":{"replicas":3}})"));
    ASSERT_OK(object);
    state_->PutObject(resource, {.object = *object});
  }

  View MakeView() const { return View(state_, scope_, now_); }

  static std::vector<std::string> Names(const std::vector<ObjectPtr>& objects) {
    std::vector<std::string> names;
    for (const ObjectPtr& object : objects) {
      names.push_back(object->key().ToString());
    }
    return names;
  }

  const absl::Time now_ = absl::FromUnixSeconds(1779765240);
  const ViewScope scope_{.controller = "simpleapp", .resources = {"pods", "deployments.apps"}};
  std::shared_ptr<ViewState> state_ = std::make_shared<ViewState>();
};

using Strings = std::vector<std::string>;

TEST_F(ViewTest, TimeAndSeqAreThoseGiven) {
  state_->seq = EventSeq(42);
  EXPECT_EQ(MakeView().Now(), now_);
  EXPECT_EQ(MakeView().seq(), EventSeq(42));
}

TEST_F(ViewTest, GetBuildsTheTree) {
  Put("pods", "shop", "web");
  const View view = MakeView();
  const Json* pod = view.Get("pods", {.ns = "shop", .name = "web"});
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(JsonInt(*pod, {"spec", "replicas"}), 3);
  EXPECT_EQ(view.Get("pods", {.ns = "shop", .name = "web"}), pod) << "built once";
  EXPECT_EQ(view.Get("pods", {.ns = "shop", .name = "other"}), nullptr);
  EXPECT_OK(view.status());
}

TEST_F(ViewTest, ListIsOneNamespaceInOrderOfNames) {
  Put("pods", "shop", "web-2");
  Put("pods", "shop", "web-10");
  Put("pods", "shop", "app");
  Put("pods", "shop2", "other");
  Put("pods", "sho", "other");
  Put("deployments.apps", "shop", "web");
  const View view = MakeView();
  EXPECT_EQ(Names(view.List("pods", "shop")), (Strings{"shop/app", "shop/web-10", "shop/web-2"}));
  EXPECT_EQ(Names(view.List("pods", "none")), Strings());
  EXPECT_EQ(Names(view.List("deployments.apps", "shop")), Strings{"shop/web"});
}

TEST_F(ViewTest, ListOwnedFollowsTheControllerReference) {
  Put("pods", "shop", "b", "u-1");
  Put("pods", "shop", "a", "u-1");
  Put("pods", "apps", "z", "u-1");
  Put("pods", "shop", "c", "u-11");
  Put("pods", "shop", "d");
  Put("deployments.apps", "shop", "e", "u-1");
  const View view = MakeView();
  EXPECT_EQ(Names(view.ListOwned("pods", "u-1")), (Strings{"apps/z", "shop/a", "shop/b"}));
  EXPECT_EQ(Names(view.ListOwned("deployments.apps", "u-1")), Strings{"shop/e"});
  EXPECT_EQ(Names(view.ListOwned("pods", "u-2")), Strings());
  EXPECT_EQ(Names(view.ListOwned("pods", "")), Strings()) << "an object without uid owns nothing";
}

TEST_F(ViewTest, ReadingAnUndeclaredKindIsAnErrorThatNamesIt) {
  Put("secrets", "shop", "s", "u-1");
  for (int read = 0; read < 4; ++read) {
    const View view = MakeView();
    switch (read) {
      case 0:
        EXPECT_EQ(view.Find("secrets", {.ns = "shop", .name = "s"}), nullptr);
        break;
      case 1:
        EXPECT_EQ(view.Get("secrets", {.ns = "shop", .name = "s"}), nullptr);
        break;
      case 2:
        EXPECT_TRUE(view.List("secrets", "shop").empty());
        break;
      default:
        EXPECT_TRUE(view.ListOwned("secrets", "u-1").empty());
    }
    EXPECT_THAT(view.status(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        testing::AllOf(testing::HasSubstr("secrets"),
                                                       testing::HasSubstr("simpleapp"))));
  }
}

TEST_F(ViewTest, TheFirstUndeclaredReadIsReported) {
  const View view = MakeView();
  view.Find("secrets", {});
  view.Find("nodes", {});
  EXPECT_THAT(view.status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, testing::HasSubstr("secrets")));
}

TEST_F(ViewTest, ACopyStartsWithoutErrors) {
  const View view = MakeView();
  view.Find("secrets", {});
  const View copy = view;
  EXPECT_OK(copy.status());
  EXPECT_EQ(copy.Now(), view.Now());
}

TEST_F(ViewTest, AHeldViewStaysWhatItWas) {
  Put("pods", "shop", "web");
  const View view(std::make_shared<ViewState>(*state_), scope_, now_);
  state_->RemoveObject("pods", {.ns = "shop", .name = "web"});
  EXPECT_NE(view.Find("pods", {.ns = "shop", .name = "web"}), nullptr);
}

TEST_F(ViewTest, LastEffectIsThatOfThisControllersPlan) {
  const ObjectKey app{.ns = "shop", .name = "app"};
  auto key_state = std::make_shared<KeyState>();
  key_state->effects.push_back(
      {.effect = {.kind = EffectKind::kApply,
                  .resource = {.group = "apps", .version = "v1", .plural = "deployments"},
                  .target = app},
       .recorded = true,
       .kind = OutcomeKind::kFailed,
       .failure_class = "Invalid"});
  state_->keys.Set(KeyPath({.controller = "simpleapp", .object = app}), key_state);
  const View view = MakeView();
  ASSERT_NE(view.KeyOf(app), nullptr);
  const EffectState* effect = view.LastEffect(app, EffectKind::kApply, "deployments.apps", app);
  ASSERT_NE(effect, nullptr);
  EXPECT_EQ(effect->failure_class, "Invalid");
  EXPECT_EQ(view.LastEffect(app, EffectKind::kDelete, "deployments.apps", app), nullptr);
  EXPECT_EQ(view.LastEffect(app, EffectKind::kApply, "services", app), nullptr);
  EXPECT_EQ(view.LastEffect(app, EffectKind::kApply, "deployments.apps", {}), nullptr);
  EXPECT_EQ(view.LastEffect({}, EffectKind::kApply, "deployments.apps", app), nullptr);
  EXPECT_EQ(view.KeyOf({}), nullptr);
}

}  // namespace
}  // namespace logbook
