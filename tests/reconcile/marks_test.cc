#include "logbook/reconcile/marks.h"

#include "builders.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<OperatorSpec> Specs(Predicate predicate = nullptr) {
  const absl::StatusOr<OperatorSpec> spec =
      Operator("simpleapp")
          .For("apps.bootcamp.local/v1/simpleapps", "SimpleApp", std::move(predicate))
          .Owns("apps/v1/deployments")
          .Watches("v1/configmaps", {.mapper = [](const Object& object) -> std::vector<ObjectKey> {
                     return {{"elsewhere", std::string(object.name())},
                             {"elsewhere", std::string(object.name())}};
                   }})
          .Reconciles([](const View&, const ObjectKey&) { return Plan(); })
          .Build();
  LOGBOOK_CHECK(spec.ok());
  return {*spec};
}

// A view that knows the keys which the tests speak of.
ViewState WithKeys() {
  ViewState view;
  for (const ControllerKey& key :
       {Key("web"), Key("old"), Key("new"), ControllerKey{"simpleapp", {"elsewhere", "web"}}}) {
    view.keys.Set(KeyPath(key), std::make_shared<const KeyState>());
  }
  return view;
}

TEST(MarkTableTest, KeyOfAnObjectThatIsNotThereIsNotMarked) {
  const std::vector<OperatorSpec> specs = Specs();
  EXPECT_THAT(MarkTable(specs).Marks(ViewState(), "deployments.apps", nullptr,
                                     MakeObject(DeploymentOf("web", "u1", "d1", 1)).get()),
              IsEmpty());
}

TEST(MarkTableTest, ObjectMarksItself) {
  const std::vector<OperatorSpec> specs = Specs();
  EXPECT_THAT(
      MarkTable(specs).Marks(WithKeys(), kApps, nullptr, MakeObject(App("web", "u1", 1)).get()),
      ElementsAre(MarkOf("web")));
}

TEST(MarkTableTest, OwnedObjectMarksItsOwner) {
  const std::vector<OperatorSpec> specs = Specs();
  const ObjectPtr deployment = MakeObject(DeploymentOf("web", "u1", "d1", 1));
  EXPECT_THAT(MarkTable(specs).Marks(WithKeys(), "deployments.apps", deployment.get(), nullptr),
              ElementsAre(MarkOf("web", MarkReason::kOwned)));
}

TEST(MarkTableTest, ChangedOwnerMarksBoth) {
  const std::vector<OperatorSpec> specs = Specs();
  const ObjectPtr before = MakeObject(DeploymentOf("old", "u1", "d1", 1));
  const ObjectPtr after = MakeObject(DeploymentOf("new", "u2", "d1", 2));
  EXPECT_THAT(MarkTable(specs).Marks(WithKeys(), "deployments.apps", before.get(), after.get()),
              ElementsAre(MarkOf("new", MarkReason::kOwned), MarkOf("old", MarkReason::kOwned)));
}

TEST(MarkTableTest, HandMadeChildWithoutAReferenceMarksNobody) {
  const std::vector<OperatorSpec> specs = Specs();
  Json orphan = DeploymentOf("web", "u1", "d1", 1);
  orphan["metadata"].erase("ownerReferences");
  EXPECT_THAT(
      MarkTable(specs).Marks(WithKeys(), "deployments.apps", nullptr, MakeObject(orphan).get()),
      IsEmpty());
}

TEST(MarkTableTest, OwnerOfAnotherGroupIsNotOurs) {
  const std::vector<OperatorSpec> specs = Specs();
  Json foreign = DeploymentOf("web", "u1", "d1", 1);
  foreign["metadata"]["ownerReferences"][0]["apiVersion"] = "other.example/v1";
  EXPECT_THAT(
      MarkTable(specs).Marks(WithKeys(), "deployments.apps", nullptr, MakeObject(foreign).get()),
      IsEmpty());
}

TEST(MarkTableTest, MapperMayNameKeysInOtherNamespacesAndIsDeduplicated) {
  const std::vector<OperatorSpec> specs = Specs();
  Json config = {{"kind", "ConfigMap"}, {"metadata", {{"name", "web"}, {"namespace", "shop"}}}};
  EXPECT_THAT(
      MarkTable(specs).Marks(WithKeys(), "configmaps", nullptr, MakeObject(config).get()),
      ElementsAre(Mark{.key = {"simpleapp", {"elsewhere", "web"}}, .reason = MarkReason::kMapped}));
}

TEST(MarkTableTest, PredicateKeepsChangesAway) {
  const std::vector<OperatorSpec> specs = Specs([](const Object* before, const Object* after) {
    return before == nullptr || after == nullptr || before->generation() != after->generation();
  });
  const ObjectPtr app = MakeObject(App("web", "u1", 1));
  const ObjectPtr labelled = MakeObject(App("web", "u1", 2));
  EXPECT_THAT(MarkTable(specs).Marks(WithKeys(), kApps, app.get(), labelled.get()), IsEmpty());
  EXPECT_THAT(MarkTable(specs).Marks(WithKeys(), kApps, app.get(), nullptr),
              ElementsAre(MarkOf("web")));
}

TEST(MarkTableTest, MapperThatThrowsNamesNobody) {
  const absl::StatusOr<OperatorSpec> spec =
      Operator("simpleapp")
          .For("apps.bootcamp.local/v1/simpleapps", "SimpleApp")
          .Watches("v1/configmaps", {.mapper = [](const Object&) -> std::vector<ObjectKey> {
                     throw std::out_of_range("no such label");
                   }})
          .Reconciles([](const View&, const ObjectKey&) { return Plan(); })
          .Build();
  ASSERT_TRUE(spec.ok());
  const ObjectPtr config = MakeObject(App("web", "u1", 1));
  EXPECT_THAT(MarkTable({*spec}).Marks(WithKeys(), "configmaps", nullptr, config.get()), IsEmpty());
}

TEST(MarkTableTest, PredicateThatThrowsLetsTheChangeThrough) {
  const std::vector<OperatorSpec> specs =
      Specs([](const Object*, const Object*) -> bool { throw std::out_of_range("no such label"); });
  EXPECT_THAT(
      MarkTable(specs).Marks(WithKeys(), kApps, nullptr, MakeObject(App("web", "u1", 1)).get()),
      ElementsAre(MarkOf("web")));
}

TEST(MarkTableTest, UnregisteredKindMarksNobody) {
  const std::vector<OperatorSpec> specs = Specs();
  EXPECT_THAT(
      MarkTable(specs).Marks(WithKeys(), "pods", nullptr, MakeObject(App("web", "u1", 1)).get()),
      IsEmpty());
}

}  // namespace
}  // namespace logbook::reconcile
