#include "logbook/reconcile/recovery.h"

#include <algorithm>
#include <utility>

#include "logbook/k8s/api_status.h"
#include "logbook/store/journal.h"

namespace logbook::reconcile {
namespace {

// The recorded decision behind an open plan.
absl::StatusOr<PlanRun> ReadPlan(const OperatorSpec& spec, const store::Journal& journal,
                                 EventSeq decided) {
  LOGBOOK_ASSIGN_OR_RETURN(Event event, journal.Get(decided));
  Decided* decision = std::get_if<Decided>(&event.body);
  if (decision == nullptr) {
    return DataLoss("event ", decided.value, " should be a decision and is ",
                    ToString(event.kind()));
  }
  return PlanRun{
      .spec = &spec, .run = event.run, .decided = decided, .decision = std::move(*decision)};
}

// The outcome of the effect that may have been sent, and what its target looks like now.
absl::StatusOr<Performed> Resolve(const Effect& effect, EffectPerformer& performer,
                                  const std::stop_token& stop) {
  Performed performed;
  performed.outcome.kind = OutcomeKind::kUnknown;
  performed.outcome.message = "the process ended before the outcome was known";
  if (effect.kind == EffectKind::kExternal) {
    return performed;
  }
  absl::StatusOr<ObjectPtr> now = performer.Read(effect.resource, effect.target, stop);
  if (absl::IsPermissionDenied(now.status()) || k8s::IsKindMissing(now.status())) {
    // May be so for good, since rights and kinds were taken away: no reason for the rest to wait.
    performed.outcome.message += Concat(", and cannot be looked up: ", now.status().message());
    return performed;
  }
  LOGBOOK_ASSIGN_OR_RETURN(performed.observed, std::move(now));
  performed.observed_resource = effect.resource;
  return performed;
}

absl::Status ClosePlan(const PlanRun& plan, const KeyState& state, const RecoveryTools& tools,
                       const std::stop_token& stop) {
  const size_t effects = plan.decision.effects.size();
  const auto first_open =
      std::ranges::find(state.effects, false, &EffectState::recorded) - state.effects.begin();
  for (size_t i = static_cast<size_t>(first_open); i < effects; ++i) {
    Performed performed;
    performed.outcome.kind = OutcomeKind::kSkipped;
    if (i == static_cast<size_t>(first_open)) {
      LOGBOOK_ASSIGN_OR_RETURN(performed, Resolve(plan.decision.effects[i], tools.performer, stop));
    }
    performed.outcome.decided = plan.decided;
    performed.outcome.ordinal = static_cast<uint32_t>(i);
    performed.outcome.at = tools.clock.Now();
    performed.outcome.last = i + 1 == effects;
    LOGBOOK_RETURN_IF_ERROR(tools.recorder.Record(plan, performed, {.recovered = true}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RecoverOpenPlans(const ViewState& view, const RecoveryTools& tools,
                              const std::stop_token& stop) {
  std::vector<std::pair<ControllerKey, KeyStatePtr>> open;
  view.keys.ForEach([&](const std::string& path, const KeyStatePtr& state) {
    if (state->open) {
      open.emplace_back(KeyFromPath(path), state);
    }
  });
  for (const auto& [key, state] : open) {
    const auto spec = std::ranges::find(tools.specs, key.controller, &OperatorSpec::name);
    if (spec == tools.specs.end()) {
      continue;
    }
    LOGBOOK_ASSIGN_OR_RETURN(const PlanRun plan, ReadPlan(*spec, tools.journal, state->decided));
    LOGBOOK_RETURN_IF_ERROR(ClosePlan(plan, *state, tools, stop));
    tools.log.Info("Open plan closed", {{"controller", key.controller},
                                        {"namespace", key.object.ns},
                                        {"name", key.object.name},
                                        {"decided", state->decided.value}});
  }
  return absl::OkStatus();
}

}  // namespace logbook::reconcile
