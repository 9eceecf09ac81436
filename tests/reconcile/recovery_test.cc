// What becomes of a plan that the end of the process cut short.
#include "logbook/reconcile/recovery.h"

#include "runner_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::Return;

auto Is(uint32_t ordinal, OutcomeKind kind) {
  return AllOf(Field(&Outcome::ordinal, ordinal), Field(&Outcome::kind, kind));
}

// The mock is strict: whatever is sent again, or read without need, fails the test.
class RecoveryTest : public RunnerTest {
 protected:
  // Decides on `effects`, records that the first `done` of them succeeded, and ends the process.
  void CrashAfter(size_t done, std::vector<Effect> effects, uint32_t attempt = 0) {
    const PlanRun plan = Decide("web", std::move(effects), [&](Decided& decided) {
      decided.attempt = attempt;
      decided.attempts_after = attempt;
    });
    for (uint32_t i = 0; i < done; ++i) {
      Performed performed;
      performed.outcome = {.decided = plan.decided, .ordinal = i, .at = clock_.Now()};
      EXPECT_OK(recorder_->Record(plan, performed, {}));
    }
    Restart();
  }

  void Restart() {
    recorder_.reset();
    CloseJournal();
    OpenJournal();
    recorder_ = std::make_unique<OutcomeRecorder>(*writer_, marks_);
    start_ = view()->seq;
  }

  absl::Status Recover() { return Recover(specs_); }

  absl::Status Recover(const std::vector<OperatorSpec>& specs) {
    const Logger log;
    return RecoverOpenPlans(*view(),
                            {.specs = specs,
                             .journal = *journal_,
                             .performer = performer_,
                             .recorder = *recorder_,
                             .clock = clock_,
                             .log = log},
                            {});
  }

  void ExpectRead(std::string_view name, const absl::StatusOr<k8s::ApiReply>& reply) {
    EXPECT_CALL(api_, Get(AllOf(Field(&k8s::Target::resource, DeploymentResource()),
                                Field(&k8s::Target::key, ObjectKey{"shop", std::string(name)})),
                          _))
        .WillOnce(Return(reply));
  }

  EventSeq start_;
};

TEST_F(RecoveryTest, OnlyTheFirstEffectWithoutAnOutcomeIsLookedIntoAndNoneIsSent) {
  CrashAfter(1, {ApplyEffect("a"), ApplyEffect("b"), ApplyEffect("c"), StatusEffect()});
  ASSERT_TRUE(KeyOf("web").open);
  ExpectRead("b", Answer(DeploymentOf("b", "u1", "d2", 12)));
  EXPECT_OK(Recover());
  EXPECT_THAT(Outcomes(start_),
              ElementsAre(Is(1, OutcomeKind::kUnknown), Is(2, OutcomeKind::kSkipped),
                          AllOf(Is(3, OutcomeKind::kSkipped), Field(&Outcome::last, true))));
  EXPECT_FALSE(KeyOf("web").open);
}

TEST_F(RecoveryTest, KeyIsDecidedAnewWithItsAttempts) {
  CrashAfter(0, {ApplyEffect("a"), ApplyEffect("b")}, /*attempt=*/4);
  ExpectRead("a", NoSuchObject());
  EXPECT_OK(Recover());
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kRecovered));
  EXPECT_EQ(KeyOf("web").attempts, 4u);
}

TEST_F(RecoveryTest, WhatReallyHappenedEntersTheView) {
  CrashAfter(0, {ApplyEffect("a")});
  ExpectRead("a", Answer(DeploymentOf("a", "u1", "d1", 12)));
  EXPECT_OK(Recover());
  EXPECT_EQ(UidOf(kDeployments, "a"), "d1");
  EXPECT_EQ(Bodies<Observed>(start_).front().origin, Origin::kGet);
}

TEST_F(RecoveryTest, TargetThatMayNotBeReadAnyMoreKeepsNobodyFromStarting) {
  CrashAfter(0, {ApplyEffect("a"), ApplyEffect("b")});
  ExpectRead("a", Refuse(k8s::Verb::kGet, 403, "Forbidden"));
  EXPECT_OK(Recover());
  EXPECT_THAT(Outcomes(start_),
              ElementsAre(Is(0, OutcomeKind::kUnknown), Is(1, OutcomeKind::kSkipped)));
  EXPECT_THAT(Outcomes(start_).front().message, ::testing::HasSubstr("cannot be looked up"));
  EXPECT_FALSE(KeyOf("web").open);
}

TEST_F(RecoveryTest, TargetThatIsNotThereClosesThePlanToo) {
  CrashAfter(0, {ApplyEffect("a")});
  ExpectRead("a", NoSuchObject());
  EXPECT_OK(Recover());
  EXPECT_THAT(FindIn(kDeployments, "a"), IsNull());
  EXPECT_FALSE(KeyOf("web").open);
}

TEST_F(RecoveryTest, ExternalStepIsNeitherReadNorCalledNorTakenForDone) {
  bool called = false;
  release_ = [&](const ExternalCall&) {
    called = true;
    return absl::OkStatus();
  };
  CrashAfter(0, {ReleaseEffect(), RemoveFinalizerEffect()});
  EXPECT_OK(Recover());
  EXPECT_FALSE(called);
  EXPECT_THAT(Outcomes(start_),
              ElementsAre(Is(0, OutcomeKind::kUnknown), Is(1, OutcomeKind::kSkipped)));
  EXPECT_THAT(KeyOf("web").steps_done, IsEmpty());
  EXPECT_THAT(CausesOf("web"), Contains(MarkReason::kRecovered));
}

TEST_F(RecoveryTest, PlanStaysOpenWhileTheServerCannotBeAsked) {
  CrashAfter(0, {ApplyEffect("a")});
  EXPECT_CALL(api_, Get)
      .WillOnce(Return(ConnectionRefused()))
      .WillOnce(Return(Answer(DeploymentOf("a", "u1", "d1", 12))));
  EXPECT_THAT(Recover(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(KeyOf("web").open);
  EXPECT_THAT(Events(start_), IsEmpty());
  EXPECT_OK(Recover());
  EXPECT_FALSE(KeyOf("web").open);
}

TEST_F(RecoveryTest, PlanOfAControllerThatThisBuildDoesNotHaveIsLeftOpen) {
  CrashAfter(0, {ApplyEffect("a")});
  EXPECT_OK(Recover({}));
  EXPECT_TRUE(KeyOf("web").open);
}

TEST_F(RecoveryTest, PlanThatWasCarriedOutIsLeftAlone) {
  EXPECT_CALL(api_, Apply).WillOnce(Return(Answer(DeploymentOf("a", "u1", "d1", 12))));
  CarryOut({ApplyEffect("a")});
  Restart();
  EXPECT_OK(Recover());
  EXPECT_THAT(Events(start_), IsEmpty());
}

TEST_F(RecoveryTest, FailureOfAnEarlierPlanIsNotTakenForAnOutcomeOfThisOne) {
  EXPECT_CALL(api_, Apply)
      .WillOnce(Return(Refuse(k8s::Verb::kApply, 422, "Invalid", Because("FieldValueInvalid"))));
  CarryOut({ApplyEffect("a")});
  CrashAfter(0, {ApplyEffect("b")}, /*attempt=*/1);
  ExpectRead("b", NoSuchObject());
  EXPECT_OK(Recover());
  EXPECT_THAT(Outcomes(start_), ElementsAre(Is(0, OutcomeKind::kUnknown)));
  EXPECT_FALSE(KeyOf("web").open);
}

TEST_F(RecoveryTest, CrashDuringRecoveryGoesOnBehindWhatIsRecorded) {
  CrashAfter(0, {ApplyEffect("a"), ApplyEffect("b")});
  const PlanRun plan{.spec = &specs_.front(),
                     .run = RunId(1),
                     .decided = KeyOf("web").decided,
                     .decision = Bodies<Decided>().back()};
  Performed performed;
  performed.outcome = {.decided = plan.decided, .kind = OutcomeKind::kUnknown};
  EXPECT_OK(recorder_->Record(plan, performed, {.recovered = true}));
  Restart();
  ExpectRead("b", NoSuchObject());
  EXPECT_OK(Recover());
  EXPECT_FALSE(KeyOf("web").open);
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kRecovered));
}

}  // namespace
}  // namespace logbook::reconcile
