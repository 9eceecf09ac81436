#include "logbook/reconcile/decide.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "logbook/base/backoff.h"
#include "logbook/base/hash.h"
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
    return has_finalizer
               ? Segment{"finalize", FinalizePlan(spec, view, key, *object, tree)}
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

// Whether the effect makes an object owned from another namespace than its own, or a cluster-scoped
// one owned from a namespace. The server takes it, and its garbage collector then deletes the
// object, since it finds no such owner there.
bool IsOwnedFromElsewhere(const Effect& effect, const ObjectKey& owner, std::string_view uid) {
  if ((effect.kind != EffectKind::kApply && effect.kind != EffectKind::kCreate) ||
      owner.ns.empty() || effect.target.ns == owner.ns) {
    return false;
  }
  const absl::StatusOr<Json> body = ParseJson(effect.body);
  const Json* owners = body.ok() ? JsonAt(*body, {"metadata", "ownerReferences"}) : nullptr;
  return owners != nullptr && owners->is_array() &&
         std::ranges::any_of(*owners,
                             [&](const Json& entry) { return JsonString(entry, {"uid"}) == uid; });
}

// The plan, or a failed one if it breaks the operator's own declarations or a rule of ownership.
Plan Checked(const OperatorSpec& spec, const View& view, const ObjectKey& key, std::string_view uid,
             Plan plan) {
  if (!view.status().ok()) {
    return Plan::Failed(ToStd(view.status().message()));
  }
  for (const Effect& effect : plan.effects) {
    if (!spec.effect_kinds.contains(effect.kind)) {
      return Plan::Failed(Concat("plan has an effect of the undeclared kind ",
                                 ToString(effect.kind), ": add it to Effects"));
    }
    if (view.HoldsHash(effect)) {
      return Plan::Failed(Concat("plan writes the hash of a sensitive value to ",
                                 effect.resource.GroupResource(), " ", effect.target.ToString(),
                                 ": the value is not known here, so leave the field out"));
    }
    if (effect.kind == EffectKind::kExternal && !spec.externals.contains(effect.step)) {
      return Plan::Failed(Concat("plan has the undeclared external step ", effect.step));
    }
    if (IsOwnedFromElsewhere(effect, key, uid)) {
      return Plan::Failed(Concat("plan makes ", key.ToString(), " the owner of ",
                                 effect.resource.GroupResource(), " ", effect.target.ToString(),
                                 ", which is not in its namespace: use labels and a finalizer"));
    }
  }
  return plan;
}

// Whether `effect` failed just so in the last plan, and its backoff is not over.
bool IsBackingOff(const View& view, const KeyState& state, const Effect& effect, absl::Time now) {
  if (state.attempts == 0 || state.due == absl::InfiniteFuture() || state.due <= now) {
    return false;
  }
  return std::ranges::any_of(state.effects, [&](const EffectState& last) {
    return (last.kind == OutcomeKind::kFailed || last.kind == OutcomeKind::kUnknown) &&
           last.recorded && last.effect.kind == effect.kind &&
           last.effect.target == effect.target && last.effect.step == effect.step &&
           last.effect.resource.GroupResource() == effect.resource.GroupResource() &&
           last.body_hash == HashBytes(view.RedactedBody(effect)).low;
  });
}

// Takes out what is backing off and, as after a failure, what comes behind it.
bool HoldBack(const View& view, const KeyState& state, absl::Time now,
              std::vector<Effect>& effects) {
  const auto first = std::ranges::find_if(
      effects, [&](const Effect& effect) { return IsBackingOff(view, state, effect, now); });
  const bool held_back = first != effects.end();
  effects.erase(
      std::remove_if(first, effects.end(),
                     [](const Effect& effect) { return effect.kind != EffectKind::kPatchStatus; }),
      effects.end());
  return held_back;
}

}  // namespace

Decided Decide(const OperatorSpec& spec, const View& view, const ObjectKey& key) {
  const KeyState* state = view.KeyOf(key);
  const ObjectPtr object = view.Find(spec.primary.GroupResource(), key);
  const std::string uid = object == nullptr ? "" : std::string(object->uid());
  const uint32_t attempt = state != nullptr && state->uid == uid ? state->attempts : 0;
  Segment segment = RunSegment(spec, view, key);
  Plan plan = Checked(spec, view, key, uid, std::move(segment.plan));
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
  } else if (attempt > 0 && HoldBack(view, *state, view.Now(), decided.effects)) {
    decided.verdict = Verdict::kFailed;  // still: the attempts are not forgotten
    decided.due = state->due;  // no sooner, whatever the plan asks for: it is the backoff's end
    decided.reason = Concat("held back until its backoff is over: ", decided.reason);
  } else {
    decided.due = view.Now() + plan.requeue_after;
    if (decided.effects.empty()) {
      decided.attempts_after = 0;  // with effects, their outcomes tell
    }
  }
  return decided;
}

}  // namespace logbook::reconcile
