#include "logbook/reconcile/children.h"

#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/base/hash.h"

namespace logbook::reconcile {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::Not;
using ::testing::NotNull;

const Owner kOwner{.resource = AppResource(), .key = {"shop", "web"}, .uid = "u1"};

Json Reference(std::string_view uid, std::string_view name = "web",
               std::string_view api_version = "apps.bootcamp.local/v1",
               std::string_view kind = "SimpleApp") {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"name", name},
          {"uid", uid},
          {"controller", true}};
}

// What we want: a Deployment of two replicas.
Json Desired() {
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata",
           {{"name", "web"},
            {"namespace", "shop"},
            {"ownerReferences", Json::array({ControllerReference(kOwner)})}}},
          {"spec", {{"replicas", 2}}}};
}

// As it is after our apply.
Json Live() {
  Json live = Desired();
  live["metadata"]["uid"] = "d1";
  live["metadata"]["resourceVersion"] = "12";
  live["metadata"]["managedFields"] =
      Json::array({{{"manager", kManager},
                    {"operation", "Apply"},
                    {"fieldsV1", {{"f:spec", {{"f:replicas", Json::object()}}}}}}});
  return live;
}

Json OwnedBy(const Json& reference) {
  Json live = Live();
  live["metadata"]["ownerReferences"] = Json::array({reference});
  return live;
}

Json Deleting(Json object) {
  object["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:00Z";
  return object;
}

// Calls one of the functions on a view with `live` in it (null: not there).
class ChildrenTest : public ::testing::Test {
 protected:
  const View& ViewWith(const Json& live) {
    ViewState state;
    if (!live.is_null()) {
      state.PutObject(kDeployments, {.object = MakeObject(live), .seq = EventSeq(1)});
    }
    if (last_.has_value()) {
      state.keys.Set(KeyPath(Key("web")),
                     std::make_shared<const KeyState>(KeyState{.effects = {*last_}}));
    }
    view_ = std::make_unique<View>(std::make_shared<const ViewState>(std::move(state)), spec_.scope,
                                   FakeClock::Start());
    return *view_;
  }

  Child PlanFor(const Json& live, const Json& desired = Desired()) {
    return PlanChild(ViewWith(live), kOwner, DeploymentResource(), kManager, desired);
  }

  Child RemovalOf(const Json& live) {
    return PlanRemoval(ViewWith(live), kOwner, DeploymentResource(), {"shop", "web"});
  }

  OperatorSpec spec_ = TestOperator();
  std::optional<EffectState> last_;  // of the last plan
  std::unique_ptr<View> view_;
};

// As if somebody else had made it.
Json Unmanaged(Json live) {
  live["metadata"].erase("managedFields");
  return live;
}

TEST_F(ChildrenTest, ControllerReferenceBlocksTheOwnersDeletion) {
  EXPECT_EQ(ControllerReference(kOwner), (Json{{"apiVersion", "apps.bootcamp.local/v1"},
                                               {"kind", "SimpleApp"},
                                               {"name", "web"},
                                               {"uid", "u1"},
                                               {"controller", true},
                                               {"blockOwnerDeletion", true}}));
}

TEST_F(ChildrenTest, PossessionDecidesWhatMayBeDone) {
  const struct {
    std::string_view name;
    Json live;
    ChildState wanted;    // PlanChild
    ChildState unwanted;  // PlanRemoval
  } cases[] = {
      {"not there", Json(), ChildState::kMissing, ChildState::kMissing},
      {"ours", Live(), ChildState::kCurrent, ChildState::kCurrent},
      {"ours, going", Deleting(Live()), ChildState::kLeaving, ChildState::kLeaving},
      {"of an earlier incarnation", OwnedBy(Reference("u0")), ChildState::kPredecessors,
       ChildState::kPredecessors},
      {"of an earlier incarnation and version of the kind",
       OwnedBy(Reference("u0", "web", "apps.bootcamp.local/v1beta1")), ChildState::kPredecessors,
       ChildState::kPredecessors},
      {"of another app", OwnedBy(Reference("u9", "other")), ChildState::kNameTaken,
       ChildState::kNameTaken},
      {"of the same name in another group", OwnedBy(Reference("u9", "web", "example.org/v1")),
       ChildState::kNameTaken, ChildState::kNameTaken},
      {"of another kind", OwnedBy(Reference("u9", "web", "apps.bootcamp.local/v1", "Other")),
       ChildState::kNameTaken, ChildState::kNameTaken},
      {"somebody's without a controller", Unmanaged(OwnedBy({{"uid", "u1"}, {"name", "web"}})),
       ChildState::kNameTaken, ChildState::kNameTaken},
  };

  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.name));
    Child child = PlanFor(c.live);
    EXPECT_EQ(child.state, c.wanted);
    EXPECT_EQ(child.effects.empty(), c.wanted != ChildState::kMissing);
    EXPECT_EQ(child.live == nullptr, c.live.is_null());
    child = RemovalOf(c.live);
    EXPECT_EQ(child.state, c.unwanted);
    EXPECT_EQ(child.effects.empty(), c.unwanted != ChildState::kCurrent);
  }
}

TEST_F(ChildrenTest, OrphanThatWeAppliedIsAdopted) {
  Json orphan = Live();
  orphan["metadata"].erase("ownerReferences");
  const Child child = PlanFor(orphan);
  EXPECT_EQ(child.state, ChildState::kDifferent);
  ASSERT_EQ(child.effects.size(), 1u);
  EXPECT_TRUE(child.effects.front().force);
  EXPECT_EQ(child.effects.front().uid, JsonString(orphan, {"metadata", "uid"}));
  EXPECT_EQ(PlanFor(Unmanaged(orphan)).state, ChildState::kNameTaken);
}

TEST_F(ChildrenTest, MissingChildIsAppliedWithoutForce) {
  const Child child = PlanFor(Json());
  ASSERT_EQ(child.effects.size(), 1u);
  const Effect& effect = child.effects.front();
  EXPECT_EQ(effect.kind, EffectKind::kApply);
  EXPECT_FALSE(effect.force);
  EXPECT_EQ(effect.uid, "");
  EXPECT_EQ(effect.target, (ObjectKey{"shop", "web"}));
  EXPECT_EQ(effect.body, DumpJson(Desired()));
}

TEST_F(ChildrenTest, DifferentChildIsAppliedByForceToItsIncarnation) {
  Json live = Live();
  live["spec"]["replicas"] = 1;
  const Child child = PlanFor(live);
  EXPECT_EQ(child.state, ChildState::kDifferent);
  EXPECT_THAT(child.difference, HasSubstr("replicas"));
  ASSERT_EQ(child.effects.size(), 1u);
  EXPECT_TRUE(child.effects.front().force);
  EXPECT_EQ(child.effects.front().uid, "d1");
  Json body = Desired();
  body["metadata"]["uid"] = "d1";
  EXPECT_EQ(child.effects.front().body, DumpJson(body));
}

TEST_F(ChildrenTest, ForeignFieldsAreNoDifferenceAndOursThatWeGaveUpAre) {
  Json foreign = Live();
  foreign["spec"]["paused"] = true;
  EXPECT_EQ(PlanFor(foreign).state, ChildState::kCurrent);
  Json stale = foreign;
  stale["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:paused"] = Json::object();
  EXPECT_EQ(PlanFor(stale).state, ChildState::kDifferent);
}

TEST_F(ChildrenTest, ApplyThatDidNotReachWhatIsWantedIsNotRepeatedUntilSomethingChanges) {
  Json live = Live();
  live["spec"]["replicas"] = 1;
  const Effect apply = PlanFor(live).effects.front();
  last_ = EffectState{.effect = apply,
                      .recorded = true,
                      .kind = OutcomeKind::kSucceeded,
                      .body_hash = HashBytes(apply.body).low,
                      .resource_version = "12"};
  EXPECT_THAT(PlanFor(live).effects, IsEmpty());
  Json other = Desired();
  other["spec"]["replicas"] = 3;
  EXPECT_THAT(PlanFor(live, other).effects, Not(IsEmpty()));
  live["metadata"]["resourceVersion"] = "13";
  EXPECT_THAT(PlanFor(live).effects, Not(IsEmpty()));
  live["metadata"]["resourceVersion"] = "12";
  last_->kind = OutcomeKind::kFailed;
  EXPECT_THAT(PlanFor(live).effects, Not(IsEmpty()));
}

TEST_F(ChildrenTest, WhatWeOnceWroteByUpdateIsAdoptedBeforeItIsApplied) {
  Json live = Live();
  live["metadata"]["managedFields"].push_back(
      {{"manager", kManager},
       {"operation", "Update"},
       {"fieldsV1", {{"f:spec", {{"f:paused", Json::object()}}}}}});
  const Child child = PlanFor(live);
  EXPECT_EQ(child.state, ChildState::kDifferent);
  EXPECT_THAT(
      child.effects,
      ElementsAre(AllOf(Field(&Effect::kind, EffectKind::kPatch), Field(&Effect::uid, "d1")),
                  AllOf(Field(&Effect::kind, EffectKind::kApply), Field(&Effect::force, true))));
}

TEST_F(ChildrenTest, ManagedFieldsOfACopiedObjectAreNotApplied) {
  Json copied = Desired();
  copied["metadata"]["managedFields"] = Live()["metadata"]["managedFields"];
  EXPECT_EQ(PlanFor(Json(), copied).effects.front().body, DumpJson(Desired()));
  Json live = Live();
  live["spec"]["replicas"] = 1;
  EXPECT_EQ(PlanFor(live, copied).effects.front().body, PlanFor(live).effects.front().body);
}

TEST_F(ChildrenTest, UnwantedChildIsDeletedAsItWasSeen) {
  const Child child = RemovalOf(Live());
  ASSERT_EQ(child.effects.size(), 1u);
  const Effect& effect = child.effects.front();
  EXPECT_EQ(effect.kind, EffectKind::kDelete);
  EXPECT_EQ(effect.uid, "d1");
  EXPECT_EQ(effect.resource_version, "12");
  EXPECT_EQ(effect.propagation, "Background");
}

TEST_F(ChildrenTest, LastTryIsOfTheSameBodyOnly) {
  const Effect apply = PlanFor(Json()).effects.front();
  last_ = EffectState{.effect = apply, .body_hash = HashBytes(apply.body).low};
  const View& view = ViewWith(Json());
  EXPECT_THAT(LastTry(view, kOwner.key, apply), NotNull());
  Effect other = apply;
  other.body = "{}";
  EXPECT_THAT(LastTry(view, kOwner.key, other), IsNull());
  other = apply;
  other.target.name = "other";
  EXPECT_THAT(LastTry(view, kOwner.key, other), IsNull());
}

}  // namespace
}  // namespace logbook::reconcile
