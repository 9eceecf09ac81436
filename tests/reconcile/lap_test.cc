// Several parts of a lap together, without threads of workers: what is recorded, and what is
// decided on it next. The numbers are those of the test cases in Kubernetes' contract.
#include "ingester_fixture.h"
#include "runner_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/model/conditions.h"
#include "logbook/model/json_patch.h"
#include "logbook/reconcile/children.h"
#include "logbook/reconcile/decide.h"

namespace logbook::reconcile {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::NotNull;
using ::testing::Return;

class LapTest : public RunnerTest {
 protected:
  View NewestView() const { return View(view(), specs_.front().scope, clock_.Now()); }

  // What would be done about the Deployment of "web".
  Child PlanDeployment() const {
    Json desired = DeploymentOf("web", "u1", "", 12);
    desired["metadata"].erase("uid");
    desired["metadata"].erase("resourceVersion");
    return PlanChild(NewestView(), {.resource = AppResource(), .key = {"shop", "web"}, .uid = "u1"},
                     DeploymentResource(), kManager, desired);
  }
};

// 48: a cache that has not seen our create must not make a second child.
TEST_F(LapTest, ChildThatWeHaveJustMadeIsNotMadeAgain) {
  const Child before = PlanDeployment();
  ASSERT_EQ(before.state, ChildState::kMissing);
  EXPECT_CALL(api_, Apply)
      .WillOnce(Return(Answer(DeploymentOf("web", "u1", "d1", 12), kHttpCreated)));
  CarryOut(before.effects);
  EXPECT_EQ(PlanDeployment().state, ChildState::kCurrent);
  EXPECT_THAT(PlanDeployment().effects, IsEmpty());
}

// Design, ownership: a child that is not in the view is never seized.
TEST_F(LapTest, ChildWhoseNameTurnsOutToBeTakenIsLeftAlone) {
  Json theirs = DeploymentOf("web", "u1", "d1", 12);
  theirs["metadata"].erase("ownerReferences");
  EXPECT_CALL(api_, Apply)
      .WillOnce(Return(
          Refuse(k8s::Verb::kApply, 409, "Conflict", Because("FieldManagerConflict", ".spec"))));
  EXPECT_CALL(api_, Get).WillOnce(Return(Answer(theirs)));
  CarryOut(PlanDeployment().effects);
  EXPECT_EQ(PlanDeployment().state, ChildState::kNameTaken);
  EXPECT_THAT(PlanDeployment().effects, IsEmpty());
}

// 47: a status on a stale base meets a conflict, and is computed again on what the server has.
TEST_F(LapTest, StatusOnAStaleBaseIsPlannedAnewWithWhatOthersWrote) {
  const Json foreign = Json::array({{{"type", "Theirs"}, {"status", "True"}}});
  Json now = App("web", "u1", 20);
  now["status"]["conditions"] = foreign;
  EXPECT_CALL(api_, JsonPatch).WillOnce(Return(Refuse(k8s::Verb::kJsonPatch, 422, "Invalid")));
  EXPECT_CALL(api_, Get).WillOnce(Return(Answer(now)));
  CarryOut({StatusEffect()});
  EXPECT_THAT(CausesOf("web"), Contains(MarkReason::kConflicted));
  EXPECT_EQ(KeyOf("web").due, clock_.Now());
  const View view = NewestView();
  const Json* app = view.Get(kApps, {"shop", "web"});
  ASSERT_THAT(app, NotNull());
  const std::vector<Condition> ours = {{.type = "Ours", .status = "True", .reason = "Fine"}};
  const Json merged =
      MergeConditions(*JsonAt(*app, {"status", "conditions"}), ours, 1, "2026-05-26T03:14:00Z");
  EXPECT_THAT(FindCondition(merged, "Theirs"), NotNull());
  EXPECT_THAT(FindCondition(merged, "Ours"), NotNull());
}

// 59: another controller added a finalizer meanwhile; neither is lost or doubled.
TEST_F(LapTest, FinalizerThatMeetsAnotherOnesIsAddedBesideIt) {
  Decided decided = reconcile::Decide(specs_.front(), NewestView(), {"shop", "web"});
  ASSERT_EQ(decided.segment, "add-finalizer");
  Json now = App("web", "u1", 20);
  now["metadata"]["finalizers"] = {"theirs.example.org/x"};
  EXPECT_CALL(api_, JsonPatch).WillOnce(Return(Refuse(k8s::Verb::kJsonPatch, 422, "Invalid")));
  EXPECT_CALL(api_, Get).WillOnce(Return(Answer(now)));
  CarryOut(decided.effects);
  decided = reconcile::Decide(specs_.front(), NewestView(), {"shop", "web"});
  ASSERT_EQ(decided.effects.size(), 1u);
  EXPECT_EQ(decided.effects.front().body, DumpJson(*AddFinalizerPatch(now, kFinalizer)));
}

class FirstListTest : public IngesterTest {};

// 61: deleted while nobody ran; the first list finds the finalizer that waits.
TEST_F(FirstListTest, AppFoundDeletingIsFinalized) {
  Json app = App("web", "u1", 10);
  app["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:00Z";
  app["metadata"]["finalizers"] = {kFinalizer};
  List({app}, "20");
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kObserved));
  const View view(this->view(), specs_.front().scope, clock_.Now());
  const Decided decided = reconcile::Decide(specs_.front(), view, {"shop", "web"});
  EXPECT_EQ(decided.segment, "finalize");
  EXPECT_THAT(decided.effects, ElementsAre(Field(&Effect::kind, EffectKind::kRemoveFinalizer)));
}

// An operator that plans one apply of an object that claims its owner is the app "web".
class OwnerTest : public JournalTest {
 protected:
  void SetUp() override {
    OpenJournal();
    OpenStreams();
    Json app = App("web", "u1", 10);
    app["metadata"]["finalizers"] = {kFinalizer};
    Add(ObservedEvent(ChangeType::kAdded, app));
  }

  Decided DecideOn(EffectKind kind, std::string_view ns, std::string_view owner_uid) {
    OperatorSpec spec = specs_.front();
    spec.reconcile = [&](const View&, const ObjectKey&) {
      Json body = DeploymentOf("child", owner_uid, "", 1);
      body["metadata"]["namespace"] = ns;
      Plan plan;
      plan.Add({.kind = kind,
                .resource = DeploymentResource(),
                .target = {.ns = std::string(ns), .name = "child"},
                .body = DumpJson(body)});
      return plan;
    };
    const View view(this->view(), spec.scope, clock_.Now());
    return reconcile::Decide(spec, view, {"shop", "web"});
  }
};

// 56 and 57: the garbage collector would take the child for an orphan.
TEST_F(OwnerTest, ChildInAnotherNamespaceOrInNoneIsNotOwned) {
  for (const EffectKind kind : {EffectKind::kApply, EffectKind::kCreate}) {
    for (std::string_view ns : {"office", ""}) {
      const Decided decided = DecideOn(kind, ns, "u1");
      EXPECT_EQ(decided.verdict, Verdict::kFailed);
      EXPECT_THAT(decided.effects, IsEmpty());
      EXPECT_THAT(decided.reason, HasSubstr("deployments.apps"));
      EXPECT_THAT(decided.reason, HasSubstr("not in its namespace"));
    }
  }
}

TEST_F(OwnerTest, ChildBesideItsOwnerOrOwnedByAnotherIsFine) {
  EXPECT_EQ(DecideOn(EffectKind::kApply, "shop", "u1").effects.size(), 1u);
  EXPECT_EQ(DecideOn(EffectKind::kApply, "office", "u9").effects.size(), 1u);
}

}  // namespace
}  // namespace logbook::reconcile
