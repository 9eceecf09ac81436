#include "logbook/reconcile/effect_runner.h"

#include <algorithm>
#include <utility>

#include "logbook/base/failpoint.h"
#include "logbook/reconcile/effect_performer.h"
#include "logbook/reconcile/outcome_recorder.h"

namespace logbook::reconcile {
namespace {

constexpr absl::Duration kCallTimeout = absl::Seconds(30);
constexpr std::string_view kClassTimeout = "Timeout";

// Whether the key has to be tried again because of it.
bool IsFailure(const Effect& effect, const Outcome& outcome) {
  return (outcome.kind == OutcomeKind::kFailed || outcome.kind == OutcomeKind::kUnknown) &&
         outcome.failure_class != kClassNamespaceTerminating &&
         effect.kind != EffectKind::kEmitEvent;
}

// An external step is named by what it is for, so that the same step after a crash has the same id.
std::string OperationIdOf(const PlanRun& plan, const Effect& effect, uint32_t ordinal) {
  if (effect.kind == EffectKind::kExternal) {
    return Concat(plan.decision.key.ToString(), "/", effect.uid, "/", effect.step);
  }
  return OperationId(plan.run, plan.decided, ordinal);
}

bool IsCleanup(const PlanRun& plan) {
  return plan.decision.segment == "finalize";
}

Performed Skipped() {
  Performed performed;
  performed.outcome.kind = OutcomeKind::kSkipped;
  return performed;
}

// Of an effect that was not sent, since the time for the cleanup was over.
Performed TimedOut(absl::Duration timeout) {
  Performed performed;
  performed.outcome.kind = OutcomeKind::kFailed;
  performed.outcome.failure_class = std::string(kClassTimeout);
  performed.outcome.message =
      Concat("not sent: the cleanup took longer than ", absl::FormatDuration(timeout));
  return performed;
}

}  // namespace

// How far one plan has come.
struct EffectRunner::Progress {
  const PlanRun& plan;
  absl::Duration deadline;  // of a cleanup
  OutcomeContext context;
  bool failed = false;  // what is left is skipped
};

EffectRunner::EffectRunner(EffectPerformer& performer, OutcomeRecorder& recorder, int threads,
                           const Clock& clock, Logger log,
                           std::function<void(const ControllerKey&)> on_finished)
    : performer_(performer),
      recorder_(recorder),
      clock_(clock),
      log_(std::move(log)),
      on_finished_(std::move(on_finished)) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

EffectRunner::~EffectRunner() {
  Stop();
}

void EffectRunner::Stop() {
  for (std::jthread& thread : threads_) {
    thread.request_stop();  // all of them, before the first is waited for
  }
  threads_.clear();
}

void EffectRunner::Start(PlanRun plan) {
  absl::MutexLock lock(&mu_);
  waiting_.push_back(std::move(plan));
  arrived_.Signal();
}

bool EffectRunner::Drain(absl::Duration timeout) {
  absl::MutexLock lock(&mu_);
  const auto idle = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return waiting_.empty() && running_ == 0;
  };
  return mu_.AwaitWithTimeout(absl::Condition(&idle), timeout);
}

size_t EffectRunner::waiting() const {
  absl::MutexLock lock(&mu_);
  return waiting_.size() + running_;
}

void EffectRunner::Run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    absl::MutexLock lock(&mu_);
    arrived_.SignalAll();
  });
  while (true) {
    PlanRun plan;
    {
      absl::MutexLock lock(&mu_);
      while (waiting_.empty() && !stop.stop_requested()) {
        arrived_.Wait(&mu_);
      }
      if (stop.stop_requested()) {
        return;
      }
      plan = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
    }
    const bool finished = CarryOut(plan, stop);
    {
      absl::MutexLock lock(&mu_);
      --running_;
    }
    if (finished) {
      on_finished_(plan.decision.key);
    }
  }
}

bool EffectRunner::CarryOut(const PlanRun& plan, const std::stop_token& stop) {
  Progress progress{.plan = plan,
                    .deadline = IsCleanup(plan) ? clock_.Monotonic() + plan.spec->finalizer.timeout
                                                : absl::InfiniteDuration()};
  for (uint32_t i = 0; i < plan.decision.effects.size(); ++i) {
    if (stop.stop_requested() || !recorder_.failure().ok()) {
      return false;  // an effect whose outcome cannot be recorded must not leave
    }
    HitFailpoint("effect-next");
    Performed performed = PerformOne(progress, i, stop);
    HitFailpoint("effect-performed");
    if (performed.outcome.kind == OutcomeKind::kUnknown && stop.stop_requested()) {
      return false;  // cut short by ourselves: stays open, and is looked into at the next start
    }
    Account(progress, i, performed.outcome);
    if (!recorder_.Record(plan, performed, progress.context).ok()) {
      return false;
    }
  }
  return true;
}

Performed EffectRunner::PerformOne(const Progress& progress, uint32_t ordinal,
                                   const std::stop_token& stop) {
  const PlanRun& plan = progress.plan;
  const Effect& effect = plan.decision.effects[ordinal];
  const bool status = effect.kind == EffectKind::kPatchStatus;  // shows why the rest was skipped
  const absl::Duration left = progress.deadline - clock_.Monotonic();
  if (progress.failed && !status) {
    return Skipped();
  }
  if (left <= absl::ZeroDuration() && !status) {
    return TimedOut(plan.spec->finalizer.timeout);
  }
  ObjectPtr prior = recorder_.TargetInView(effect);
  Performed performed =
      performer_.Perform({.spec = plan.spec,
                          .effect = &effect,
                          .key = plan.decision.key,
                          .operation_id = OperationIdOf(plan, effect, ordinal),
                          .timeout = status ? kCallTimeout : std::min(kCallTimeout, left),
                          .stop = stop});
  performed.prior = std::move(prior);
  recorder_.Redact(effect, performed.outcome);
  return performed;
}

void EffectRunner::Account(Progress& progress, uint32_t ordinal, Outcome& outcome) const {
  const PlanRun& plan = progress.plan;
  const Effect& effect = plan.decision.effects[ordinal];
  OutcomeContext& context = progress.context;
  outcome.decided = plan.decided;
  outcome.ordinal = ordinal;
  outcome.at = clock_.Now();
  outcome.last = ordinal + 1 == plan.decision.effects.size();
  context.must_sync = effect.kind == EffectKind::kExternal && !outcome.last;
  if (!IsFailure(effect, outcome)) {
    return;
  }
  if (!context.plan_failed && IsCleanup(plan) &&
      plan.decision.attempt + 1 == plan.spec->finalizer.attempts_max) {
    log_.Error("Cleanup keeps failing, it is tried on",
               {{"controller", plan.decision.key.controller},
                {"namespace", plan.decision.key.object.ns},
                {"name", plan.decision.key.object.name},
                {"finalizer", plan.spec->finalizer.name},
                {"attempts", uint64_t{plan.decision.attempt} + 1}});
  }
  context.only_conflicts =
      outcome.failure_class == kClassConflict && (context.only_conflicts || !context.plan_failed);
  context.plan_failed = true;
  progress.failed = progress.failed || effect.kind != EffectKind::kPatchStatus;
  log_.Error("Reconciler error",
             {{"controller", plan.decision.key.controller},
              {"namespace", plan.decision.key.object.ns},
              {"name", plan.decision.key.object.name},
              {"reconcileID", OperationId(plan.run, plan.decided, ordinal)},
              {"effect", ToString(effect.kind)},
              {"target", Concat(effect.resource.GroupResource(), " ", effect.target.ToString())},
              {"reason", outcome.failure_class},
              {"error", outcome.message}});
}

}  // namespace logbook::reconcile
