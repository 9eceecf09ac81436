// EffectRunner: carries out plans, one effect after the other, and records what each came to.
//
// How:      a plan arrives here when its decision is synced. Each outcome is committed before the
//           next effect is sent, so after a crash only one effect per key can be open. After a
//           failure the rest is skipped, except status patches, so that a refusal is always shown.
//           A create refused because the namespace is going away, and a failed status patch, do not
//           stop a plan.
// Threads:  Thread-safe. Owns `threads` threads, each of which blocks on the API server or on an
//           external handler; one plan is carried out by one of them.
// Stop:     Drain() lets plans finish; the destructor lets nothing further be sent, and waits only
//           for the effect in flight. What was not sent is decided again after the next start.
#ifndef LOGBOOK_RECONCILE_EFFECT_RUNNER_H_
#define LOGBOOK_RECONCILE_EFFECT_RUNNER_H_

#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/model/effect.h"
#include "logbook/model/event.h"
#include "logbook/reconcile/operator.h"

namespace logbook::reconcile {

class EffectPerformer;
class OutcomeRecorder;
struct Performed;

// A decision whose effects are to be carried out.
struct PlanRun {
  const OperatorSpec* spec = nullptr;  // outlives the runner
  RunId run;
  EventSeq decided;
  Decided decision;
};

class EffectRunner {
 public:
  // `performer`, `recorder` and `clock` outlive the runner. `on_finished` is called on a runner's
  // thread when all outcomes of a plan are committed and published.
  EffectRunner(EffectPerformer& performer, OutcomeRecorder& recorder, int threads,
               const Clock& clock, Logger log,
               std::function<void(const ControllerKey&)> on_finished);
  ~EffectRunner();

  // Never blocks.
  void Start(PlanRun plan);

  // Waits until every plan is carried out; false if that took longer than `timeout`.
  bool Drain(absl::Duration timeout);

  // Nothing further is sent; joins the threads.
  void Stop();

  // Plans that wait for a thread, and those being carried out.
  size_t waiting() const;

 private:
  struct Progress;

  void Run(const std::stop_token& stop);
  // False if it was cut short by stop or by a dead journal: the open effect is resolved at the
  // next start.
  bool CarryOut(const PlanRun& plan, const std::stop_token& stop);
  Performed PerformOne(const Progress& progress, uint32_t ordinal, const std::stop_token& stop);
  // Completes the outcome, and takes note of a failure.
  void Account(Progress& progress, uint32_t ordinal, Outcome& outcome) const;

  EffectPerformer& performer_;
  OutcomeRecorder& recorder_;
  const Clock& clock_;
  const Logger log_;
  const std::function<void(const ControllerKey&)> on_finished_;

  mutable absl::Mutex mu_;
  absl::CondVar arrived_;
  std::deque<PlanRun> waiting_ ABSL_GUARDED_BY(mu_);
  size_t running_ ABSL_GUARDED_BY(mu_) = 0;

  std::vector<std::jthread> threads_;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_EFFECT_RUNNER_H_
