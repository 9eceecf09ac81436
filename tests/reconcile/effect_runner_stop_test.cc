// When a plan is not carried out to its end: time is over, the process stops, the journal is dead.
#include "runner_fixture.h"
#include "store/faulty_file_system.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/reconcile/effect_runner.h"

namespace logbook::reconcile {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Return;

using EffectRunnerStopTest = RunnerTest;

TEST_F(EffectRunnerStopTest, HandlerGetsWhatIsLeftOfTheTimeForTheCleanup) {
  EXPECT_CALL(api_, Create).WillOnce([&](auto&&...) {
    clock_.Advance(absl::Seconds(12));
    return Answer({{"kind", "ConfigMap"}}, kHttpCreated);
  });
  absl::Duration timeout;
  release_ = [&](const ExternalCall& call) {
    timeout = call.timeout;
    return absl::OkStatus();
  };
  CarryOut({AuditEffect(), ReleaseEffect()}, Finalize);
  EXPECT_EQ(timeout, specs_.front().finalizer.timeout - absl::Seconds(12));
}

TEST_F(EffectRunnerStopTest, OnceTheTimeIsOverNothingIsSentButAStatusPatch) {
  EXPECT_CALL(api_, Create).WillOnce([&](auto&&...) {
    clock_.Advance(specs_.front().finalizer.timeout);
    return Answer({{"kind", "ConfigMap"}}, kHttpCreated);
  });
  bool called = false;
  release_ = [&](const ExternalCall&) {
    called = true;
    return absl::OkStatus();
  };
  EXPECT_CALL(api_, JsonPatch(Field(&k8s::Target::subresource, "status"), _, _,
                              Field(&k8s::CallOptions::timeout, absl::Seconds(30))))
      .WillOnce(Return(Answer(App("web", "u1", 11))));
  EXPECT_THAT(
      CarryOut({AuditEffect(), ReleaseEffect(), RemoveFinalizerEffect(), StatusEffect()}, Finalize),
      ElementsAre(Field(&Outcome::kind, OutcomeKind::kSucceeded),
                  AllOf(Field(&Outcome::kind, OutcomeKind::kFailed),
                        Field(&Outcome::failure_class, "Timeout"),
                        Field(&Outcome::message, HasSubstr("30s"))),
                  Field(&Outcome::kind, OutcomeKind::kSkipped),
                  Field(&Outcome::kind, OutcomeKind::kSucceeded)));
  EXPECT_FALSE(called);
  EXPECT_EQ(KeyOf("web").attempts, 1u);
  EXPECT_THAT(KeyOf("web").steps_done, IsEmpty());
}

TEST_F(EffectRunnerStopTest, OutsideOfACleanupEveryEffectHasItsWholeTime) {
  EXPECT_CALL(api_, Apply(_, _, _, Field(&k8s::CallOptions::timeout, absl::Seconds(30))))
      .Times(2)
      .WillRepeatedly([&](auto&&...) {
        clock_.Advance(absl::Seconds(29));
        return Answer(DeploymentOf("web", "u1", "d1", 12));
      });
  CarryOut({ApplyEffect("a"), ApplyEffect("b")});
}

TEST_F(EffectRunnerStopTest, DrainWaitsForPlansInHand) {
  absl::Notification entered;
  absl::Notification answer;
  EXPECT_CALL(api_, Apply).WillOnce([&](auto&&...) {
    entered.Notify();
    answer.WaitForNotification();
    return Answer(DeploymentOf("web", "u1", "d1", 12));
  });
  const std::unique_ptr<EffectRunner> runner = MakeRunner();
  EXPECT_TRUE(runner->Drain(absl::ZeroDuration()));
  runner->Start(Decide("web", {ApplyEffect()}));
  entered.WaitForNotification();
  EXPECT_EQ(runner->waiting(), 1u);
  EXPECT_FALSE(runner->Drain(absl::ZeroDuration()));
  answer.Notify();
  EXPECT_TRUE(runner->Drain(kPatience));
  EXPECT_EQ(runner->waiting(), 0u);
  EXPECT_FALSE(KeyOf("web").open);
}

TEST_F(EffectRunnerStopTest, StopWaitsForTheEffectInFlightAndSendsNoOther) {
  absl::Notification entered;
  EXPECT_CALL(api_, Apply).WillOnce([&](auto&&, auto&&, auto&&, const k8s::CallOptions& call) {
    absl::Notification stopped;
    const std::stop_callback on_stop(call.stop, [&] { stopped.Notify(); });
    entered.Notify();
    stopped.WaitForNotification();
    return Answer(DeploymentOf("web", "u1", "d1", 12));  // it had happened all the same
  });
  const std::unique_ptr<EffectRunner> runner = MakeRunner();
  runner->Start(Decide("web", {ApplyEffect(), ApplyEffect("other")}));
  runner->Start(Decide("next", {ApplyEffect("next")}));
  entered.WaitForNotification();
  runner->Stop();
  EXPECT_THAT(Outcomes(), ElementsAre(Field(&Outcome::kind, OutcomeKind::kSucceeded)));
  EXPECT_TRUE(KeyOf("web").open);
  EXPECT_TRUE(KeyOf("next").open);
  EXPECT_THAT(Finished(), IsEmpty());
}

TEST_F(EffectRunnerStopTest, EffectThatStopCutsShortStaysOpen) {
  absl::Notification entered;
  release_ = [&](const ExternalCall& call) {
    absl::Notification stopped;
    const std::stop_callback on_stop(call.stop, [&] { stopped.Notify(); });
    entered.Notify();
    stopped.WaitForNotification();
    return Cancelled("stopped");
  };
  const std::unique_ptr<EffectRunner> runner = MakeRunner();
  runner->Start(Decide("web", {ReleaseEffect(), RemoveFinalizerEffect()}, Finalize));
  entered.WaitForNotification();
  runner->Stop();
  EXPECT_THAT(Outcomes(), IsEmpty());
  EXPECT_TRUE(KeyOf("web").open);
}

TEST_F(EffectRunnerStopTest, StopAsksEveryThreadBeforeItWaitsForOne) {
  absl::Mutex mu;
  int entered = 0;
  int stopped = 0;
  EXPECT_CALL(api_, Apply)
      .Times(2)
      .WillRepeatedly([&](auto&&, auto&&, auto&&, const k8s::CallOptions& call) {
        const std::stop_callback on_stop(call.stop, [&] {
          absl::MutexLock lock(&mu);
          ++stopped;
        });
        const auto all_stopped = [&] { return stopped == 2; };
        absl::MutexLock lock(&mu);
        ++entered;
        EXPECT_TRUE(mu.AwaitWithTimeout(absl::Condition(&all_stopped), kPatience));
        return Answer(DeploymentOf("web", "u1", "d1", 12));
      });
  const std::unique_ptr<EffectRunner> runner = MakeRunner(/*threads=*/2);
  runner->Start(Decide("a", {ApplyEffect("a")}));
  runner->Start(Decide("b", {ApplyEffect("b")}));
  {
    const auto all_entered = [&] { return entered == 2; };
    absl::MutexLock lock(&mu);
    ASSERT_TRUE(mu.AwaitWithTimeout(absl::Condition(&all_entered), kPatience));
  }
  runner->Stop();
}

class DeadJournalTest : public RunnerTest {
 protected:
  void SetUp() override {
    env_ = faulty_.env();
    RunnerTest::SetUp();
  }

  // The environment goes with this class, so the journal goes before it.
  ~DeadJournalTest() override { CloseJournal(); }

  store::FaultyEnv faulty_;
};

TEST_F(DeadJournalTest, NothingIsSentBehindAnOutcomeThatCannotBeRecorded) {
  EXPECT_CALL(api_, Apply).WillOnce([&](auto&&...) {
    faulty_.faults().log_bytes_left = 0;
    return Answer(DeploymentOf("a", "u1", "d1", 12));
  });
  CarryOut({ApplyEffect("a"), ApplyEffect("b"), StatusEffect()});
  EXPECT_THAT(Finished(), IsEmpty());
  EXPECT_FALSE(writer_->failure().ok());
}

TEST_F(DeadJournalTest, NothingOfAnotherPlanIsSentEither) {
  EXPECT_CALL(api_, Apply).WillOnce([&](auto&&...) {
    faulty_.faults().log_bytes_left = 0;
    return Answer(DeploymentOf("a", "u1", "d1", 12));
  });
  const PlanRun first = Decide("web", {ApplyEffect("a")}, [](Decided&) {});
  const PlanRun second = Decide("web", {ApplyEffect("b")}, [](Decided&) {});
  const std::unique_ptr<EffectRunner> runner = MakeRunner();
  runner->Start(first);
  runner->Start(second);
  EXPECT_TRUE(runner->Drain(kPatience));
  EXPECT_THAT(Finished(), IsEmpty());
}

}  // namespace
}  // namespace logbook::reconcile
