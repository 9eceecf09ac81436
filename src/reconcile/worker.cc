#include "logbook/reconcile/worker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "logbook/base/check.h"
#include "logbook/reconcile/decide.h"

namespace logbook::reconcile {
namespace {

// A timer fired, and nothing came of it that the journal does not say already.
bool RepeatsLast(const KeyState* state, const Decided& decided) {
  return state != nullptr && state->causes.empty() && decided.effects.empty() &&
         decided.verdict == Verdict::kSettled && state->attempts == 0 &&
         state->reason == decided.reason && state->uid == decided.uid &&
         (state->due == absl::InfiniteFuture()) == (decided.due == absl::InfiniteFuture());
}

Event DecidedEvent(const ViewState& view, Decided decided) {
  Event event;
  event.subjects.push_back(
      {.resource = decided.resource, .key = decided.key.object, .uid = decided.uid});
  for (const Effect& effect : decided.effects) {
    if (effect.kind != EffectKind::kExternal) {
      event.subjects.push_back(
          {.resource = effect.resource.GroupResource(), .key = effect.target, .uid = effect.uid});
    }
  }
  if (const KeyState* state = view.FindKey(decided.key); state != nullptr) {
    for (const Cause& cause : state->causes) {
      if (cause.visible <= decided.view_seq) {
        event.causes.push_back(cause.seq);
      }
    }
  }
  event.body = std::move(decided);
  return event;
}

}  // namespace

WorkerPool::WorkerPool(const std::vector<OperatorSpec>& specs, WorkQueue& queue,
                       JournalWriter& writer, EffectRunner& runner, int threads, const Clock& clock,
                       Logger log)
    : specs_(specs),
      queue_(queue),
      writer_(writer),
      runner_(runner),
      clock_(clock),
      log_(std::move(log)) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

WorkerCounts WorkerPool::counts() const {
  return {.decided = decided_, .repeated = repeated_, .over_budget = over_budget_};
}

void WorkerPool::Stop() {
  for (std::jthread& thread : threads_) {
    thread.request_stop();  // all of them, before the first is waited for
  }
  threads_.clear();
}

void WorkerPool::Run(const std::stop_token& stop) {
  while (std::optional<ControllerKey> key = queue_.Pop(stop)) {
    Work(*key);
  }
}

void WorkerPool::Work(const ControllerKey& key) {
  const auto spec = std::ranges::find(specs_, key.controller, &OperatorSpec::name);
  LOGBOOK_CHECK(spec != specs_.end());  // the runtime queues keys of its own controllers only
  const ViewStatePtr state = writer_.view();
  const absl::Duration start = clock_.ThreadCpu();
  Decided decided = Decide(*spec, View(state, spec->scope, clock_.Now()), key.object);
  const absl::Duration took = clock_.ThreadCpu() - start;
  if (took > kBudget) {
    ++over_budget_;
    log_.Info("Reconcile exceeded its budget", {{"controller", key.controller},
                                                {"namespace", key.object.ns},
                                                {"name", key.object.name},
                                                {"took", took},
                                                {"budget", kBudget}});
  }
  if (RepeatsLast(state->FindKey(key), decided)) {
    ++repeated_;
    queue_.ReleaseUntil(key, decided.due);
    return;
  }
  ++decided_;
  Submit(*spec, std::move(decided));
}

void WorkerPool::Submit(const OperatorSpec& spec, Decided decided) {
  size_t bytes = sizeof(Decided);
  for (const Effect& effect : decided.effects) {
    bytes += effect.body.size();
  }
  writer_.Submit({.propose =
                      [this, &spec, decided = std::move(decided)](Draft& draft) {
                        const EventSeq seq = draft.Add(DecidedEvent(draft.view(), decided));
                        if (decided.effects.empty()) {
                          draft.OnCommitted([this, key = decided.key] { queue_.Release(key); });
                          return;
                        }
                        draft.RequireSync();
                        draft.OnCommitted([this, plan = PlanRun{.spec = &spec,
                                                                .run = draft.run(),
                                                                .decided = seq,
                                                                .decision = decided}]() mutable {
                          runner_.Start(std::move(plan));
                        });
                      },
                  .bytes = bytes});
}

}  // namespace logbook::reconcile
