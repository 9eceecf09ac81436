#include "logbook/reconcile/decide.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "logbook/base/backoff.h"
#include "logbook/model/json_patch.h"

namespace logbook::reconcile {
namespace {

struct Segment {
  std::string_view name;
  Plan plan;
};

Plan Call(const ReconcileFn& function, const View& view, const ObjectKey& key) {
  try {
    return function(view, key);
  } catch (const std::exception& error) {
    return Plan::Failed(Concat("reconciler threw: ", std::string_view(error.what())));
  }
}

bool HasFinalizer(const Json& object, std::string_view name) {
  const Json* finalizers = JsonAt(object, {"metadata", "finalizers"});
  return finalizers != nullptr && finalizers->is_array() &&
         std::any_of(finalizers->begin(), finalizers->end(),
                     [&](const Json& entry) { return entry == name; });
}

Effect FinalizerEffect(EffectKind kind, const OperatorSpec& spec, const Object& object,
                       const Json& patch) {
  return {.kind = kind,
          .resource = spec.primary,
          .target = object.key(),
          .uid = std::string(object.uid()),
          .body = DumpJson(patch),
          .finalizer = spec.finalizer.name};
}

Plan FinalizePlan(const OperatorSpec& spec, const View& view, const ObjectKey& key,
                  const Object& object, const Json& tree) {
  Plan plan = Call(spec.cleanup, view, key);
  if (plan.verdict == Verdict::kSettled && plan.requeue_after == absl::InfiniteDuration()) {
    plan.Add(FinalizerEffect(EffectKind::kRemoveFinalizer, spec, object,
                             *RemoveFinalizerPatch(tree, spec.finalizer.name)));
  }
  return plan;
}

Segment RunSegment(const OperatorSpec& spec, const View& view, const ObjectKey& key) {
  const ObjectPtr object = view.Find(spec.primary.GroupResource(), key);
  if (object == nullptr) {
    return {"none", Plan::AwaitChange("object is gone")};
  }
  if (spec.finalizer.name.empty()) {
    return object->deleting() ? Segment{"none", Plan::AwaitChange("object is being deleted")}
                              : Segment{"reconcile", Call(spec.reconcile, view, key)};
  }
  const Json& tree = view.Tree(object);
  const bool has_finalizer = HasFinalizer(tree, spec.finalizer.name);
  if (object->deleting()) {
    return has_finalizer ? Segment{"finalize", FinalizePlan(spec, view, key, *object, tree)}
                         : Segment{"none", Plan::AwaitChange("being deleted without our finalizer")};
  }
  if (!has_finalizer) {
    Plan plan = Plan::RequeueAfter(absl::ZeroDuration(), "finalizer is missing");
    plan.Add(FinalizerEffect(EffectKind::kAddFinalizer, spec, *object,
                             *AddFinalizerPatch(tree, spec.finalizer.name)));
    return {"add-finalizer", std::move(plan)};
  }
  return {"reconcile", Call(spec.reconcile, view, key)};
}

// The plan, or a failed one if it breaks the operator's own declarations.
Plan Checked(const OperatorSpec& spec, const View& view, Plan plan) {
  if (!view.status().ok()) {
    return Plan::Failed(ToStd(view.status().message()));
  }
  for (const Effect& effect : plan.effects) {
    if (!spec.effect_kinds.contains(effect.kind)) {
      return Plan::Failed(Concat("plan has an effect of the undeclared kind ",
                                 ToString(effect.kind), ": add it to Effects"));
    }
    if (effect.kind == EffectKind::kExternal && !spec.externals.contains(effect.step)) {
      return Plan::Failed(Concat("plan has the undeclared external step ", effect.step));
    }
  }
  return plan;
}

}  // namespace

Decided Decide(const OperatorSpec& spec, const View& view, const ObjectKey& key) {
  const KeyState* state = view.KeyOf(key);
  const ObjectPtr object = view.Find(spec.primary.GroupResource(), key);
  const std::string uid = object == nullptr ? "" : std::string(object->uid());
  const uint32_t attempt = state != nullptr && state->uid == uid ? state->attempts : 0;
  Segment segment = RunSegment(spec, view, key);
  Plan plan = Checked(spec, view, std::move(segment.plan));
  Decided decided{.key = {.controller = spec.name, .object = key},
                  .resource = spec.primary.GroupResource(),
                  .uid = uid,
                  .view_seq = view.seq(),
                  .now = view.Now(),
                  .attempt = attempt,
                  .effects = std::move(plan.effects),
                  .reason = std::move(plan.reason),
                  .verdict = plan.verdict,
                  .due = absl::InfiniteFuture(),
                  .segment = std::string(segment.name),
                  .attempts_after = attempt};
  if (plan.verdict == Verdict::kFailed) {
    decided.attempts_after = attempt + 1;
    decided.due = view.Now() + KeyBackoff(static_cast<int>(attempt) + 1);
  } else {
    decided.due = view.Now() + plan.requeue_after;
    if (decided.effects.empty()) {
      decided.attempts_after = 0;  // with effects, their outcomes tell
    }
  }
  return decided;
}

}  // namespace logbook::reconcile
