// What an outcome means for its key: attempts, when it is due, and whether it looks again at once.
#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/base/backoff.h"
#include "logbook/reconcile/outcome_recorder.h"

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class OutcomeAttemptsTest : public WatchedJournalTest {
 protected:
  void SetUp() override {
    WatchedJournalTest::SetUp();
    Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  }

  // A plan of `effects` applies, decided after `attempt` failures in a row.
  PlanRun Plan(size_t effects, uint32_t attempt = 0, Verdict verdict = Verdict::kSettled) {
    const Effect apply{.kind = EffectKind::kApply,
                       .resource = DeploymentResource(),
                       .target = {.ns = "shop", .name = "web"},
                       .body = "{}"};
    return Decide("web", std::vector<Effect>(effects, apply), [&](Decided& decided) {
      decided.attempt = attempt;
      decided.attempts_after = attempt;
      decided.verdict = verdict;
    });
  }

  void Record(const PlanRun& plan, uint32_t ordinal, OutcomeKind kind,
              std::string_view failure_class, const OutcomeContext& context) {
    Performed performed;
    performed.outcome = {.decided = plan.decided,
                         .ordinal = ordinal,
                         .kind = kind,
                         .failure_class = std::string(failure_class),
                         .at = clock_.Now(),
                         .last = ordinal + 1 == plan.decision.effects.size()};
    EXPECT_OK(OutcomeRecorder(*writer_, marks_).Record(plan, performed, context));
  }

  absl::Time InBackoff(int failures) const { return clock_.Now() + KeyBackoff(failures); }
};

TEST_F(OutcomeAttemptsTest, FailureIsCountedAndDueByItsBackoff) {
  Record(Plan(1, 3), 0, OutcomeKind::kFailed, "Invalid", {.plan_failed = true});
  EXPECT_EQ(KeyOf("web").attempts, 4u);
  EXPECT_EQ(KeyOf("web").due, InBackoff(4));
  EXPECT_THAT(CausesOf("web"), IsEmpty());
}

TEST_F(OutcomeAttemptsTest, OneFailureCountsOnceHoweverManyEffectsItSkips) {
  const PlanRun plan = Plan(3);
  Record(plan, 0, OutcomeKind::kFailed, "Invalid", {.plan_failed = true});
  Record(plan, 1, OutcomeKind::kSkipped, "", {.plan_failed = true});
  Record(plan, 2, OutcomeKind::kSkipped, "", {.plan_failed = true});
  EXPECT_EQ(KeyOf("web").attempts, 1u);
  EXPECT_FALSE(KeyOf("web").open);
}

TEST_F(OutcomeAttemptsTest, SuccessOfAWholePlanForgetsFailures) {
  const PlanRun plan = Plan(2, 3);
  Record(plan, 0, OutcomeKind::kSucceeded, "", {});
  EXPECT_EQ(KeyOf("web").attempts, 3u);
  Record(plan, 1, OutcomeKind::kSucceeded, "", {});
  EXPECT_EQ(KeyOf("web").attempts, 0u);
}

TEST_F(OutcomeAttemptsTest, SuccessOfAPlanThatHoldsSomethingBackForgetsNothing) {
  Record(Plan(1, 3, Verdict::kFailed), 0, OutcomeKind::kSucceeded, "", {});
  EXPECT_EQ(KeyOf("web").attempts, 3u);
}

TEST_F(OutcomeAttemptsTest, ConflictIsTriedAgainAtOnce) {
  Record(Plan(1), 0, OutcomeKind::kFailed, kClassConflict,
         {.plan_failed = true, .only_conflicts = true});
  EXPECT_EQ(KeyOf("web").attempts, 1u);
  EXPECT_EQ(KeyOf("web").due, clock_.Now());
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kConflicted));
}

TEST_F(OutcomeAttemptsTest, ThirdConflictInARowWaitsLikeAnyFailure) {
  Record(Plan(1, 2), 0, OutcomeKind::kFailed, kClassConflict,
         {.plan_failed = true, .only_conflicts = true});
  EXPECT_EQ(KeyOf("web").due, InBackoff(3));
  EXPECT_THAT(CausesOf("web"), IsEmpty());
}

TEST_F(OutcomeAttemptsTest, EffectsSkippedBehindAConflictDoNotPutItOff) {
  const PlanRun plan = Plan(2);
  const OutcomeContext conflict{.plan_failed = true, .only_conflicts = true};
  Record(plan, 0, OutcomeKind::kFailed, kClassConflict, conflict);
  Record(plan, 1, OutcomeKind::kSkipped, "", conflict);
  EXPECT_EQ(KeyOf("web").due, clock_.Now());
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kConflicted));
}

TEST_F(OutcomeAttemptsTest, AnotherFailureBehindAConflictWaits) {
  const PlanRun plan = Plan(2);
  Record(plan, 0, OutcomeKind::kFailed, kClassConflict,
         {.plan_failed = true, .only_conflicts = true});
  Record(plan, 1, OutcomeKind::kFailed, "Forbidden", {.plan_failed = true});
  EXPECT_EQ(KeyOf("web").due, InBackoff(1));
}

TEST_F(OutcomeAttemptsTest, TerminatingNamespaceIsWaitedForWithoutBackoff) {
  Record(Plan(1), 0, OutcomeKind::kFailed, kClassNamespaceTerminating, {});
  EXPECT_EQ(KeyOf("web").attempts, 0u);
  EXPECT_EQ(KeyOf("web").due, absl::InfiniteFuture());
  EXPECT_THAT(CausesOf("web"), IsEmpty());
}

TEST_F(OutcomeAttemptsTest, PlanCutShortKeepsItsAttemptsAndLooksAgain) {
  const PlanRun plan = Plan(2, 3);
  Record(plan, 0, OutcomeKind::kUnknown, "", {.recovered = true});
  EXPECT_THAT(CausesOf("web"), IsEmpty());
  Record(plan, 1, OutcomeKind::kSkipped, "", {.recovered = true});
  EXPECT_EQ(KeyOf("web").attempts, 3u);
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kRecovered));
}

TEST_F(OutcomeAttemptsTest, WhatWasReadAfterAConflictIsInTheViewBeforeTheKeyRunsAgain) {
  const PlanRun plan = Plan(1);
  Performed performed;
  performed.outcome = {.decided = plan.decided,
                       .kind = OutcomeKind::kFailed,
                       .failure_class = std::string(kClassConflict),
                       .at = clock_.Now(),
                       .last = true};
  performed.observed_resource = AppResource();
  performed.observed = MakeObject(App("web", "u1", 12));
  EXPECT_OK(OutcomeRecorder(*writer_, marks_)
                .Record(plan, performed, {.plan_failed = true, .only_conflicts = true}));
  EXPECT_EQ(VersionOf(kApps, "web"), "12");
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kObserved, MarkReason::kConflicted));
  EXPECT_THAT(Published().back(), Events().back().seq);  // both in one commit
}

}  // namespace
}  // namespace logbook::reconcile
