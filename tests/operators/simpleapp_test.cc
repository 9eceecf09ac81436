#include "logbook/operators/simpleapp/simpleapp.h"

#include <string>
#include <vector>

#include "world.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/base/hash.h"

namespace logbook::operators {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Json kReady = {{"observedGeneration", 1},
                     {"replicas", 3},
                     {"updatedReplicas", 3},
                     {"readyReplicas", 3},
                     {"availableReplicas", 3}};

// "apply deployments", "external release": what a plan does, in order.
std::vector<std::string> Steps(const Plan& plan) {
  std::vector<std::string> steps;
  for (const Effect& effect : plan.effects) {
    steps.push_back(Concat(ToString(effect.kind), " ",
                           effect.resource.plural.empty() ? effect.step : effect.resource.plural));
  }
  return steps;
}

// The tests in the patch are left out: for the API server null is the value of what is not there.
Json PatchedStatus(const Json& object, const Effect& effect) {
  const Json patch = *ParseJson(effect.body);
  Json changes = Json::array();
  for (const Json& operation : patch) {
    if (operation["op"] != "test") {
      changes.push_back(operation);
    }
  }
  return object.patch(changes)["status"];
}

// The app after the status patch of `plan` was carried out.
Json AfterStatus(Json app, const Plan& plan) {
  app["status"] = PatchedStatus(app, plan.effects.back());
  return app;
}

Json WithHost(Json app, const std::string& host) {
  app["spec"]["host"] = host;
  return app;
}

class ReconcileTest : public ::testing::Test {
 protected:
  // A world in which everything is as `app` wants it, and says so.
  void Settle(const Json& app) {
    world_.PutApp(app).PutDeployment(app, kReady).PutService(app);
    if (app["spec"].contains("host")) {
      world_.PutIngress(app);
    }
    world_.PutApp(AfterStatus(app, Reconcile()));
  }

  Plan Reconcile(absl::Duration later = absl::ZeroDuration()) {
    const View view = world_.AsView(FakeClock::Start() + later);
    Plan plan = ReconcileSimpleApp(view, world_.key());
    EXPECT_TRUE(view.status().ok()) << view.status();
    return plan;
  }

  Plan CleanUp() { return CleanUpSimpleApp(world_.AsView(), world_.key()); }

  // The key after its last plan was just `effect`, and the server refused it.
  static KeyState AfterRefusal(const Effect& effect) {
    KeyState state;
    state.effects.push_back({.effect = effect,
                             .recorded = true,
                             .kind = OutcomeKind::kFailed,
                             .failure_class = "Invalid",
                             .message = "spec.rules[0].host: Invalid value",
                             .body_hash = HashBytes(effect.body).low});
    return state;
  }

  World world_;
};

TEST_F(ReconcileTest, NewAppGetsItsChildrenInOrderThenItsStatus) {
  world_.PutApp(WithHost(AppObject(), "web.example"));
  EXPECT_THAT(Steps(Reconcile()), ElementsAre("apply deployments", "apply services",
                                              "apply ingresses", "patch-status simpleapps"));
}

TEST_F(ReconcileTest, WithoutAHostThereIsNoIngress) {
  world_.PutApp(AppObject());
  EXPECT_THAT(Steps(Reconcile()),
              ElementsAre("apply deployments", "apply services", "patch-status simpleapps"));
}

TEST_F(ReconcileTest, EmptyHostIsNoHost) {
  world_.PutApp(WithHost(AppObject(), ""));
  EXPECT_THAT(Steps(Reconcile()),
              ElementsAre("apply deployments", "apply services", "patch-status simpleapps"));
}

TEST_F(ReconcileTest, SettledAppNeedsNothing) {
  Settle(WithHost(AppObject(), "web.example"));
  const Plan plan = Reconcile(absl::Hours(1));
  EXPECT_THAT(plan.effects, IsEmpty());
  EXPECT_EQ(plan.requeue_after, absl::InfiniteDuration());
}

TEST_F(ReconcileTest, AppThatIsNotAvailableLooksAgainAfterHalfAMinute) {
  world_.PutApp(AppObject());
  EXPECT_EQ(Reconcile().requeue_after, absl::Seconds(30));
}

// Where the apply changes metadata alone, no controller acts, and no change of status would follow.
TEST_F(ReconcileTest, AfterARepairOfTheDeploymentItLooksAgainAtOnce) {
  Settle(AppObject());
  Json other_replicas = AppObject();
  other_replicas["spec"]["replicas"] = 1;
  world_.PutDeployment(other_replicas, kReady);
  const Plan plan = Reconcile();
  EXPECT_THAT(Steps(plan), ElementsAre("apply deployments", "patch-status simpleapps"));
  EXPECT_EQ(plan.requeue_after, absl::ZeroDuration());
}

TEST_F(ReconcileTest, ClearedHostTakesTheIngressAway) {
  Settle(WithHost(AppObject(), "web.example"));
  world_.PutApp(AppObject());
  const Plan plan = Reconcile();
  EXPECT_THAT(Steps(plan), ElementsAre("delete ingresses", "patch-status simpleapps"));
  EXPECT_EQ(plan.effects[0].uid, "ingresses.networking.k8s.io/web");
  EXPECT_EQ(plan.effects[0].resource_version, "1");
}

TEST_F(ReconcileTest, ForeignDeploymentIsNeverTouched) {
  Json foreign = DesiredDeployment(ParseSimpleApp(AppObject()));
  foreign["metadata"].erase("ownerReferences");
  world_.PutApp(AppObject()).Put("deployments.apps", foreign);
  const Plan plan = Reconcile();
  EXPECT_THAT(Steps(plan), ElementsAre("apply services", "patch-status simpleapps"));
  const Json status = PatchedStatus(AppObject(), plan.effects.back());
  EXPECT_EQ(status["phase"], "Failed");
  EXPECT_THAT(status["message"].get<std::string>(), HasSubstr("Deployment web exists"));
}

TEST_F(ReconcileTest, ChildrenOfAnEarlierIncarnationAreWaitedFor) {
  Json old = AppObject();
  old["metadata"]["uid"] = "app-0";
  world_.PutApp(AppObject()).PutDeployment(old, kReady).PutService(AppObject());
  const Plan plan = Reconcile();
  EXPECT_THAT(Steps(plan), ElementsAre("patch-status simpleapps"));
  EXPECT_EQ(PatchedStatus(AppObject(), plan.effects.back())["phase"], "Pending");
}

TEST_F(ReconcileTest, ChildThatIsBeingDeletedIsNotApplied) {
  Json leaving = DesiredDeployment(ParseSimpleApp(AppObject()));
  leaving["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:00Z";
  world_.PutApp(AppObject()).Put("deployments.apps", leaving).PutService(AppObject());
  EXPECT_THAT(Steps(Reconcile()), ElementsAre("patch-status simpleapps"));
}

TEST_F(ReconcileTest, ChangedImageIsAppliedByForceToTheSameIncarnation) {
  Settle(AppObject());
  Json changed = AppObject();
  changed["spec"]["image"] = "nginx:1.28";
  world_.PutApp(changed);
  const Plan plan = Reconcile();
  ASSERT_EQ(plan.effects.front().kind, EffectKind::kApply);
  EXPECT_TRUE(plan.effects.front().force);
  EXPECT_EQ(plan.effects.front().uid, "deployments.apps/web");
  EXPECT_THAT(plan.reason, HasSubstr("image"));
}

TEST_F(ReconcileTest, RefusedIngressIsShownInTheStatus) {
  Settle(AppObject());
  const Json app = WithHost(AppObject(), "Foo_Bar");
  world_.PutApp(app);
  world_.PutKey(AfterRefusal(Reconcile().effects.front()));
  const Json status = PatchedStatus(app, Reconcile().effects.back());
  EXPECT_EQ(status["phase"], "Failed");
  EXPECT_THAT(status["message"].get<std::string>(), HasSubstr("spec.rules[0].host"));
}

TEST_F(ReconcileTest, RefusalOfAnEarlierHostSaysNothingOfThisOne) {
  Settle(AppObject());
  world_.PutApp(WithHost(AppObject(), "Foo_Bar"));
  const KeyState refused = AfterRefusal(Reconcile().effects.front());
  const Json app = WithHost(AppObject(), "good.example");
  world_.PutApp(app).PutKey(refused);
  EXPECT_EQ(PatchedStatus(app, Reconcile().effects.back())["phase"], "Available");
}

TEST_F(ReconcileTest, ApplyThatCannotReachItsGoalIsNotRepeated) {
  Settle(AppObject());
  Json rewritten = DesiredService(ParseSimpleApp(AppObject()));
  rewritten["spec"]["type"] = "LoadBalancer";  // by a webhook, whatever we send
  world_.Put("services", rewritten);
  const Effect apply = Reconcile().effects.front();
  KeyState state;
  state.effects.push_back({.effect = apply,
                           .recorded = true,
                           .kind = OutcomeKind::kSucceeded,
                           .body_hash = HashBytes(apply.body).low,
                           .resource_version = "1"});
  world_.PutKey(state);
  EXPECT_THAT(Reconcile().effects, IsEmpty());
  rewritten["metadata"]["resourceVersion"] = "2";
  world_.Put("services", rewritten);
  EXPECT_THAT(Steps(Reconcile()), ElementsAre("apply services"));
}

TEST_F(ReconcileTest, ChangedPortNumberIsPutBackInPlace) {
  Settle(AppObject());
  Json edited = DesiredService(ParseSimpleApp(AppObject()));
  edited["spec"]["ports"][0]["port"] = 9999;
  world_.Put("services", edited);
  const Plan plan = Reconcile();
  EXPECT_THAT(Steps(plan), ElementsAre("patch services"));
  edited["metadata"]["uid"] = "services/web";
  EXPECT_EQ(edited.patch(*ParseJson(plan.effects.front().body))["spec"]["ports"],
            DesiredService(ParseSimpleApp(AppObject()))["spec"]["ports"]);
}

TEST_F(ReconcileTest, LastUpdatedMovesOnlyWithSomethingElse) {
  Settle(AppObject());
  EXPECT_THAT(Reconcile(absl::Hours(24)).effects, IsEmpty());
}

TEST_F(ReconcileTest, DetailsWithinAPhaseAreHeldBackForAWhile) {
  Json status = kReady;
  status["readyReplicas"] = 1;
  status["availableReplicas"] = 1;
  world_.PutApp(AppObject()).PutDeployment(AppObject(), status).PutService(AppObject());
  world_.PutApp(AfterStatus(AppObject(), Reconcile()));
  status["readyReplicas"] = 2;
  world_.PutDeployment(AppObject(), status);
  const Plan held_back = Reconcile(absl::Seconds(2));
  EXPECT_THAT(held_back.effects, IsEmpty());
  EXPECT_EQ(held_back.requeue_after, absl::Seconds(3));
  EXPECT_THAT(Steps(Reconcile(absl::Seconds(5))), ElementsAre("patch-status simpleapps"));
}

TEST_F(ReconcileTest, PhaseIsNeverHeldBack) {
  Json status = kReady;
  status["availableReplicas"] = 2;
  world_.PutApp(AppObject()).PutDeployment(AppObject(), status).PutService(AppObject());
  const Json progressing = AfterStatus(AppObject(), Reconcile());
  world_.PutApp(progressing);
  world_.PutDeployment(AppObject(), kReady);
  const Plan plan = Reconcile();
  EXPECT_EQ(PatchedStatus(progressing, plan.effects.back())["phase"], "Available");
}

TEST_F(ReconcileTest, ForeignConditionSurvives) {
  Json app = AppObject();
  app["status"]["conditions"] = Json::array({{{"type", "Foreign"}, {"status", "True"}}});
  world_.PutApp(app);
  const Json status = PatchedStatus(app, Reconcile().effects.back());
  EXPECT_EQ(status["conditions"][0], app["status"]["conditions"][0]);
}

TEST_F(ReconcileTest, SamePlanTwiceEqualsOnce) {
  world_.PutApp(AppObject());
  EXPECT_EQ(Reconcile().effects, Reconcile().effects);
}

TEST_F(ReconcileTest, AuditComesBeforeTheRelease) {
  Json app = AppObject();
  app["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:04Z";
  world_.PutApp(app);
  const Plan plan = CleanUp();
  EXPECT_THAT(Steps(plan),
              ElementsAre("patch-status simpleapps", "create configmaps", "external release"));
  EXPECT_EQ(plan.effects[1].target.name, "audit-deleted-web-1779765244");
  const Json audit = *ParseJson(plan.effects[1].body);
  EXPECT_EQ(audit["data"], (Json{{"deletedAt", "2026-05-26T03:14:04Z"},
                                 {"finalReplicas", "3"},
                                 {"image", "nginx:1.27"},
                                 {"namespace", "shop"}}));
  EXPECT_EQ(audit["metadata"]["labels"]["audit.bootcamp.local/source"], "simpleapp-operator");
  EXPECT_FALSE(audit["metadata"].contains("ownerReferences"));
}

TEST_F(ReconcileTest, ReleaseThatSucceededIsNotRepeated) {
  Json app = AppObject();
  app["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:04Z";
  KeyState state;
  state.uid = "app-1";
  state.steps_done = {"release"};
  world_.PutApp(app).PutKey(state);
  EXPECT_THAT(Steps(CleanUp()), ElementsAre("patch-status simpleapps", "create configmaps"));
}

TEST_F(ReconcileTest, TakenAuditNameIsAvoidedByTheUid) {
  Json app = AppObject();
  app["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:04Z";
  app["metadata"]["uid"] = "0123456789";
  KeyState state;
  state.effects.push_back({.effect = {.kind = EffectKind::kCreate,
                                      .resource = Known(kConfigMapResource, "ConfigMap"),
                                      .target = {"shop", "audit-deleted-web-1779765244"}},
                           .recorded = true,
                           .kind = OutcomeKind::kFailed,
                           .failure_class = std::string(kClassNameTaken)});
  world_.PutApp(app).PutKey(state);
  EXPECT_EQ(CleanUp().effects[1].target.name, "audit-deleted-web-1779765244-01234567");
}

TEST_F(ReconcileTest, CleanupThatKeepsFailingSaysSo) {
  Json app = AppObject();
  app["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:04Z";
  KeyState state;
  state.uid = "app-1";
  state.attempts = 10;
  state.effects.push_back({.effect = {.kind = EffectKind::kCreate},
                           .recorded = true,
                           .kind = OutcomeKind::kFailed,
                           .failure_class = "Forbidden",
                           .message = "cannot create configmaps"});
  world_.PutApp(app).PutKey(state);
  const Json status = PatchedStatus(app, CleanUp().effects.front());
  EXPECT_EQ(status["conditions"][0]["type"], "Terminating");
  EXPECT_EQ(status["conditions"][0]["reason"], "CleanupFailing");
  EXPECT_THAT(status["conditions"][0]["message"].get<std::string>(),
              HasSubstr("cannot create configmaps"));
}

}  // namespace
}  // namespace logbook::operators
