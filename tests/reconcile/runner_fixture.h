// RunnerTest: plans carried out against a mocked API server and recorded in a real journal.
#ifndef LOGBOOK_TESTS_RECONCILE_RUNNER_FIXTURE_H_
#define LOGBOOK_TESTS_RECONCILE_RUNNER_FIXTURE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answers.h"
#include "journal_fixture.h"
#include <gmock/gmock.h>

#include "logbook/reconcile/effect_performer.h"
#include "logbook/reconcile/effect_runner.h"
#include "logbook/reconcile/outcome_recorder.h"
#include "logbook/support/mock_api_client.h"

namespace logbook::reconcile {

// After which a test that would hang fails instead.
inline constexpr absl::Duration kPatience = absl::Minutes(1);

inline Effect ApplyEffect(std::string_view name = "web") {
  return {.kind = EffectKind::kApply,
          .resource = DeploymentResource(),
          .target = {.ns = "shop", .name = std::string(name)},
          .body = DumpJson(DeploymentOf(name, "u1", "", 12))};
}

inline Effect AppEffect(EffectKind kind, std::string_view body = "[]") {
  return {.kind = kind,
          .resource = AppResource(),
          .target = {.ns = "shop", .name = "web"},
          .uid = "u1",
          .body = std::string(body)};
}

inline Effect StatusEffect() {
  return AppEffect(EffectKind::kPatchStatus);
}

inline Effect RemoveFinalizerEffect() {
  Effect effect = AppEffect(EffectKind::kRemoveFinalizer);
  effect.finalizer = kFinalizer;
  return effect;
}

inline Effect AuditEffect() {
  return {.kind = EffectKind::kCreate,
          .resource = {.version = "v1", .plural = "configmaps", .kind = "ConfigMap"},
          .target = {.ns = "shop", .name = "audit"},
          .body = "{}"};
}

inline Effect ReleaseEffect() {
  return {.kind = EffectKind::kExternal,
          .target = {.ns = "shop", .name = "web"},
          .uid = "u1",
          .step = "release"};
}

// "web" is there, and its key decided on.
class RunnerTest : public WatchedJournalTest {
 protected:
  RunnerTest()
      : WatchedJournalTest(
            {TestOperator([this](const ExternalCall& call) { return release_(call); })}) {}

  void SetUp() override {
    WatchedJournalTest::SetUp();
    recorder_ = std::make_unique<OutcomeRecorder>(*writer_, marks_);
    Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  }

  std::unique_ptr<EffectRunner> MakeRunner(int threads = 1) {
    return std::make_unique<EffectRunner>(performer_, *recorder_, threads, clock_, Logger(),
                                          [this](const ControllerKey& key) {
                                            absl::MutexLock lock(&mu_);
                                            finished_.push_back(key);
                                          });
  }

  // Carries out one plan for "web"; what each effect came to.
  std::vector<Outcome> CarryOut(
      std::vector<Effect> effects, const std::function<void(Decided&)>& change = [](Decided&) {}) {
    const EventSeq before = view()->seq;
    const std::unique_ptr<EffectRunner> runner = MakeRunner();
    runner->Start(Decide("web", std::move(effects), change));
    EXPECT_TRUE(runner->Drain(kPatience));
    runner->Stop();
    return Outcomes(before);
  }

  std::vector<Outcome> Outcomes(EventSeq after = EventSeq()) const {
    std::vector<Outcome> outcomes;
    for (const OutcomeRecorded& recorded : Bodies<OutcomeRecorded>(after)) {
      outcomes.push_back(recorded.outcome);
    }
    return outcomes;
  }

  std::vector<ControllerKey> Finished() const {
    absl::MutexLock lock(&mu_);
    return finished_;
  }

  static void Finalize(Decided& decided) { decided.segment = "finalize"; }

  ::testing::StrictMock<k8s::MockApiClient> api_;
  EffectPerformer performer_{api_, clock_};
  std::unique_ptr<OutcomeRecorder> recorder_;
  ExternalHandler release_ = [](const ExternalCall&) { return absl::OkStatus(); };
  std::vector<ControllerKey> finished_ ABSL_GUARDED_BY(mu_);
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_TESTS_RECONCILE_RUNNER_FIXTURE_H_
