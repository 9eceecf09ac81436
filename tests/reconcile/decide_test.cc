#include "logbook/reconcile/decide.h"

#include <stdexcept>

#include "builders.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/fake_clock.h"

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kFinalizer = "apps.bootcamp.local/simpleapp-finalizer";

// An operator whose functions say that they were called.
class DecideTest : public ::testing::Test {
 protected:
  DecideTest() {
    const absl::StatusOr<OperatorSpec> spec =
        Operator("simpleapp")
            .For("apps.bootcamp.local/v1/simpleapps", "SimpleApp")
            .Owns("apps/v1/deployments")
            .Effects({EffectKind::kApply})
            .Finalizer({.name = std::string(kFinalizer)},
                       [this](const View& v, const ObjectKey& k) { return cleanup_(v, k); })
            .Reconciles([this](const View& v, const ObjectKey& k) { return reconcile_(v, k); })
            .Build();
    LOGBOOK_CHECK(spec.ok());
    spec_ = *spec;
  }

  void Observe(const Json& object) {
    f_.Add(ObservedEvent(ChangeType::kModified, object, {MarkOf("web")}));
  }

  static Json WithFinalizers(std::vector<std::string_view> finalizers) {
    Json app = App("web", "u1", 10);
    app["metadata"]["finalizers"] = finalizers;
    return app;
  }

  static Json Deleting(Json app) {
    app["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:00Z";
    return app;
  }

  Decided Run() {
    const View view(std::make_shared<const ViewState>(f_.fold.state()), spec_.scope, clock_.Now());
    return Decide(spec_, view, {.ns = "shop", .name = "web"});
  }

  FakeClock clock_;
  FoldFixture f_;
  OperatorSpec spec_;
  ReconcileFn reconcile_ = [](const View&, const ObjectKey&) {
    return Plan::AwaitChange("reconciled");
  };
  ReconcileFn cleanup_ = [](const View&, const ObjectKey&) { return Plan::AwaitChange("cleaned"); };
};

TEST_F(DecideTest, MissingObjectNeedsNothing) {
  const Decided decided = Run();
  EXPECT_EQ(decided.segment, "none");
  EXPECT_EQ(decided.reason, "object is gone");
  EXPECT_EQ(decided.uid, "");
}

TEST_F(DecideTest, MissingFinalizerIsAddedAndTheKeyLooksAgainAtOnce) {
  Observe(App("web", "u1", 10));
  const Decided decided = Run();
  EXPECT_EQ(decided.segment, "add-finalizer");
  EXPECT_THAT(decided.effects, ElementsAre(Field(&Effect::kind, EffectKind::kAddFinalizer)));
  EXPECT_EQ(decided.due, clock_.Now());
}

TEST_F(DecideTest, ObjectWithItsFinalizerIsReconciled) {
  Observe(WithFinalizers({kFinalizer}));
  const Decided decided = Run();
  EXPECT_EQ(decided.segment, "reconcile");
  EXPECT_EQ(decided.reason, "reconciled");
  EXPECT_EQ(decided.due, absl::InfiniteFuture());
  EXPECT_EQ(decided.view_seq, f_.fold.state().seq);
}

TEST_F(DecideTest, DeletingObjectIsCleanedUpThenLosesItsFinalizer) {
  Observe(Deleting(WithFinalizers({"other.example/x", kFinalizer})));
  const Decided decided = Run();
  EXPECT_EQ(decided.segment, "finalize");
  EXPECT_THAT(decided.effects, ElementsAre(Field(&Effect::kind, EffectKind::kRemoveFinalizer)));
}

TEST_F(DecideTest, FinalizerIsNeverAddedToAnObjectThatIsBeingDeleted) {
  Observe(Deleting(WithFinalizers({"other.example/x"})));
  const Decided decided = Run();
  EXPECT_EQ(decided.segment, "none");
  EXPECT_THAT(decided.effects, IsEmpty());
}

TEST_F(DecideTest, CleanupThatIsNotDoneKeepsTheFinalizer) {
  Observe(Deleting(WithFinalizers({kFinalizer})));
  cleanup_ = [](const View&, const ObjectKey&) {
    return Plan::RequeueAfter(absl::Seconds(5), "still draining");
  };
  const Decided decided = Run();
  EXPECT_THAT(decided.effects, IsEmpty());
  EXPECT_EQ(decided.due, clock_.Now() + absl::Seconds(5));
}

TEST_F(DecideTest, FailureIsDueByBackoffAndCounted) {
  Observe(WithFinalizers({kFinalizer}));
  reconcile_ = [](const View&, const ObjectKey&) { return Plan::Failed("no luck"); };
  Decided decided = Run();
  EXPECT_EQ(decided.attempts_after, 1u);
  EXPECT_EQ(decided.due, clock_.Now() + absl::Seconds(1));
  f_.Add({.body = decided});
  decided = Run();
  EXPECT_EQ(decided.attempt, 1u);
  EXPECT_EQ(decided.due, clock_.Now() + absl::Seconds(2));
  f_.Add({.body = decided});
  EXPECT_EQ(Run().due, clock_.Now() + absl::Seconds(4));
}

TEST_F(DecideTest, AttemptsStartAnewWithANewIncarnation) {
  Observe(WithFinalizers({kFinalizer}));
  reconcile_ = [](const View&, const ObjectKey&) { return Plan::Failed("no luck"); };
  f_.Add({.body = Run()});
  Json successor = WithFinalizers({kFinalizer});
  successor["metadata"]["uid"] = "u2";
  Observe(successor);
  EXPECT_EQ(Run().attempt, 0u);
}

TEST_F(DecideTest, TerminalFailureWaitsForAChange) {
  Observe(WithFinalizers({kFinalizer}));
  reconcile_ = [](const View&, const ObjectKey&) { return Plan::Terminal("never"); };
  const Decided decided = Run();
  EXPECT_EQ(decided.verdict, Verdict::kTerminal);
  EXPECT_EQ(decided.due, absl::InfiniteFuture());
}

TEST_F(DecideTest, ReconcilerThatThrowsFailsItsKeyOnly) {
  Observe(WithFinalizers({kFinalizer}));
  reconcile_ = [](const View&, const ObjectKey&) -> Plan { throw std::runtime_error("oops"); };
  const Decided decided = Run();
  EXPECT_EQ(decided.verdict, Verdict::kFailed);
  EXPECT_THAT(decided.reason, HasSubstr("oops"));
}

TEST_F(DecideTest, ReadOfAnUndeclaredKindFailsNamingIt) {
  Observe(WithFinalizers({kFinalizer}));
  reconcile_ = [](const View& view, const ObjectKey& key) {
    view.Get("secrets", key);
    Plan plan;
    plan.Add({.kind = EffectKind::kApply});
    return plan;
  };
  const Decided decided = Run();
  EXPECT_THAT(decided.reason, HasSubstr("secrets"));
  EXPECT_THAT(decided.effects, IsEmpty());
}

TEST_F(DecideTest, EffectOfAnUndeclaredKindFailsNamingIt) {
  Observe(WithFinalizers({kFinalizer}));
  reconcile_ = [](const View&, const ObjectKey&) {
    Plan plan;
    plan.Add({.kind = EffectKind::kDelete});
    return plan;
  };
  const Decided decided = Run();
  EXPECT_EQ(decided.verdict, Verdict::kFailed);
  EXPECT_THAT(decided.reason, HasSubstr("delete"));
}

// A plan of one apply with `body` and a status patch.
Plan ApplyAndStatus(std::string body) {
  Plan plan = Plan::RequeueAfter(absl::Seconds(30), "wanted");
  plan.Add({.kind = EffectKind::kApply,
            .resource = DeploymentResource(),
            .target = {"shop", "web"},
            .body = std::move(body)});
  plan.Add({.kind = EffectKind::kPatchStatus,
            .resource = AppResource(),
            .target = {"shop", "web"},
            .body = "[]"});
  return plan;
}

class BackoffTest : public DecideTest {
 protected:
  BackoffTest() {
    spec_.effect_kinds.insert(EffectKind::kPatchStatus);
    Observe(WithFinalizers({kFinalizer}));
    reconcile_ = [this](const View&, const ObjectKey&) { return ApplyAndStatus(body_); };
  }

  // Carries out `decided`; its first effect fails.
  void Fail(const Decided& decided) {
    const EventSeq seq = f_.Add({.body = decided});
    f_.Add(
        {.body = OutcomeRecorded{
             .key = decided.key,
             .resource = decided.resource,
             .outcome = {.decided = seq, .kind = OutcomeKind::kFailed, .failure_class = "Invalid"},
             .attempts_after = 1,
             .due = clock_.Now() + absl::Seconds(1)}});
    f_.Add({.body = OutcomeRecorded{.key = decided.key,
                                    .resource = decided.resource,
                                    .outcome = {.decided = seq, .ordinal = 1, .last = true},
                                    .attempts_after = 1}});
  }

  std::string body_ = "{\"a\":1}";
};

TEST_F(BackoffTest, FailedEffectIsHeldBackWhateverMakesTheKeyDirty) {
  Fail(Run());
  Observe(WithFinalizers({kFinalizer, "other.example/x"}));
  const Decided decided = Run();
  EXPECT_THAT(decided.effects, ElementsAre(Field(&Effect::kind, EffectKind::kPatchStatus)));
  EXPECT_EQ(decided.due, clock_.Now() + absl::Seconds(1));
  EXPECT_EQ(decided.attempts_after, 1u);
}

TEST_F(BackoffTest, PlanThatWantsToLookSoonerDoesNotShortenTheBackoff) {
  reconcile_ = [this](const View&, const ObjectKey&) {
    Plan plan = ApplyAndStatus(body_);
    plan.requeue_after = absl::ZeroDuration();
    return plan;
  };
  Fail(Run());
  for (int i = 0; i < 3; ++i) {
    const Decided held_back = Run();
    EXPECT_EQ(held_back.due, clock_.Now() + absl::Seconds(1));
    EXPECT_THAT(held_back.effects, ElementsAre(Field(&Effect::kind, EffectKind::kPatchStatus)));
    f_.Add({.body = held_back});
  }
}

TEST_F(BackoffTest, HeldBackPlanDoesNotForgetTheFailure) {
  Fail(Run());
  const Decided held_back = Run();
  const EventSeq seq = f_.Add({.body = held_back});
  f_.Add({.body = OutcomeRecorded{.key = held_back.key,
                                  .resource = held_back.resource,
                                  .outcome = {.decided = seq, .last = true},
                                  .attempts_after = 1}});
  EXPECT_THAT(Run().effects, ElementsAre(Field(&Effect::kind, EffectKind::kPatchStatus)));
}

TEST_F(BackoffTest, EffectWithAnotherBodyIsSentAtOnce) {
  Fail(Run());
  body_ = "{\"a\":2}";
  EXPECT_THAT(Run().effects, ElementsAre(Field(&Effect::kind, EffectKind::kApply),
                                         Field(&Effect::kind, EffectKind::kPatchStatus)));
}

TEST_F(BackoffTest, FailedEffectIsTriedAgainWhenItIsDue) {
  Fail(Run());
  clock_.Advance(absl::Seconds(1));
  EXPECT_THAT(Run().effects, ElementsAre(Field(&Effect::kind, EffectKind::kApply),
                                         Field(&Effect::kind, EffectKind::kPatchStatus)));
}

TEST_F(DecideTest, SameViewSameBytes) {
  Observe(App("web", "u1", 10));
  const Decided first = Run();
  const Decided second = Run();
  EXPECT_EQ(first.effects, second.effects);
  EXPECT_EQ(first.due, second.due);
}

}  // namespace
}  // namespace logbook::reconcile
