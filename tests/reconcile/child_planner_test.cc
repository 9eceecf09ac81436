#include "logbook/reconcile/child_planner.h"

#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/base/hash.h"
#include "logbook/reconcile/service_ports.h"

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Owner kOwner{.resource = AppResource(), .key = {"shop", "web"}, .uid = "u1"};

Json Desired(std::string_view name) {
  Json desired = DeploymentOf(name, "u1", "", 2);
  desired["metadata"].erase("uid");
  desired["metadata"].erase("resourceVersion");
  return desired;
}

class ChildPlannerTest : public ::testing::Test {
 protected:
  void Put(const Json& object) {
    const ObjectPtr made = MakeObject(object);
    state_.PutObject(kDeployments, {.object = made, .seq = EventSeq(1)});
  }

  // The last plan tried to apply `name`, and it failed with `failure_class`.
  void Refused(std::string_view name, std::string_view failure_class) {
    const Json desired = Desired(name);
    const EffectState last{.effect = {.kind = EffectKind::kApply,
                                      .resource = DeploymentResource(),
                                      .target = {"shop", std::string(name)}},
                           .recorded = true,
                           .kind = OutcomeKind::kFailed,
                           .failure_class = std::string(failure_class),
                           .message = "why",
                           .body_hash = HashBytes(DumpJson(desired)).low};
    state_.keys.Set(KeyPath(Key("web")),
                    std::make_shared<const KeyState>(KeyState{.effects = {last}}));
  }

  View MakeView() const {
    return View(std::make_shared<const ViewState>(state_), spec_.scope, FakeClock::Start());
  }

  OperatorSpec spec_ = TestOperator();
  ViewState state_;
};

TEST_F(ChildPlannerTest, EffectsComeInTheOrderOfTheCallsAndTheFirstIsTheReason) {
  Put(DeploymentOf("old", "u1", "d1", 5));
  const View view = MakeView();
  ChildPlanner children(view, kOwner, kManager);
  children.Remove(DeploymentResource(), {"shop", "old"});
  children.Apply(DeploymentResource(), Desired("new"));
  const Plan plan = children.TakePlan();
  EXPECT_THAT(plan.effects, ElementsAre(Field(&Effect::kind, EffectKind::kDelete),
                                        Field(&Effect::kind, EffectKind::kApply)));
  EXPECT_EQ(plan.reason, "Deployment is not wanted");
}

TEST_F(ChildPlannerTest, WhatIsAsWantedAddsNothing) {
  Put(DeploymentOf("web", "u1", "d1", 2));
  const View view = MakeView();
  ChildPlanner children(view, kOwner, kManager);
  EXPECT_EQ(children.Apply(DeploymentResource(), Desired("web")).state, ChildState::kCurrent);
  children.Remove(DeploymentResource(), {"shop", "not-there"});
  EXPECT_FALSE(children.refusal().has_value());
  EXPECT_THAT(children.TakePlan().effects, IsEmpty());
}

TEST_F(ChildPlannerTest, TakenNameIsARefusalThatNamesBothKinds) {
  Put(DeploymentOf("web", "somebody", "d1", 2));
  Json theirs = DeploymentOf("web", "somebody", "d1", 2);
  theirs["metadata"].erase("ownerReferences");
  Put(theirs);
  const View view = MakeView();
  ChildPlanner children(view, kOwner, kManager);
  children.Apply(DeploymentResource(), Desired("web"));
  ASSERT_TRUE(children.refusal().has_value());
  EXPECT_EQ(children.refusal()->reason, kClassNameTaken);
  EXPECT_THAT(children.refusal()->message, HasSubstr("Deployment web"));
  EXPECT_THAT(children.refusal()->message, HasSubstr("SimpleApp"));
}

TEST_F(ChildPlannerTest, OnlyRefusalsOfTheServerAreShownAndTheFirstOfThem) {
  const struct {
    std::string_view failure_class;
    bool refusal;
  } cases[] = {{"Invalid", true},   {"Forbidden", true},     {"BadRequest", true},
               {"NameTaken", true}, {kClassConflict, false}, {kClassTransport, false}};

  for (const auto& c : cases) {
    Refused("a", c.failure_class);
    const View view = MakeView();
    ChildPlanner children(view, kOwner, kManager);
    children.Apply(DeploymentResource(), Desired("a"));
    children.Apply(DeploymentResource(), Desired("b"));
    ASSERT_EQ(children.refusal().has_value(), c.refusal) << c.failure_class;
    if (c.refusal) {
      EXPECT_EQ(children.refusal()->reason, c.failure_class);
      EXPECT_EQ(children.refusal()->message, "Deployment a: why");
    }
  }
}

Json Service(const Json& ports) {
  return {{"metadata", {{"name", "web"}, {"uid", "s1"}}}, {"spec", {{"ports", ports}}}};
}

TEST(ServicePortsTest, PortWhoseNumberWasChangedIsReplacedWhereItStands) {
  const Json http = {{"name", "http"}, {"port", 80}, {"protocol", "TCP"}};
  const Json moved = {{"name", "http"}, {"port", 8080}, {"protocol", "TCP"}};
  const Json udp = {{"name", "dns"}, {"port", 80}, {"protocol", "UDP"}};
  const Json test_uid = {{"op", "test"}, {"path", "/metadata/uid"}, {"value", "s1"}};
  EXPECT_EQ(RepairPorts(Service({udp, moved}), Service({http, udp})),
            (Json{test_uid,
                  {{"op", "test"}, {"path", "/spec/ports/1"}, {"value", moved}},
                  {{"op", "replace"}, {"path", "/spec/ports/1"}, {"value", http}}}));
}

TEST(ServicePortsTest, PortsThatAnApplyCanPutRightNeedNoPatch) {
  const Json http = {{"name", "http"}, {"port", 80}};
  const Json http_live = {{"name", "http"}, {"port", 80}, {"protocol", "TCP"}};
  const Json metrics = {{"name", "metrics"}, {"port", 9090}, {"protocol", "TCP"}};
  EXPECT_EQ(RepairPorts(Service(Json::array({http_live})), Service(Json::array({http}))),
            std::nullopt);
  EXPECT_EQ(RepairPorts(Service(Json::array({metrics})), Service(Json::array({http}))),
            std::nullopt);
  EXPECT_EQ(RepairPorts(Json::object(), Service(Json::array({http}))), std::nullopt);
  EXPECT_EQ(RepairPorts(Service(Json::array({http_live})), Json::object()), std::nullopt);
}

}  // namespace
}  // namespace logbook::reconcile
