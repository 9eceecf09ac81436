// What the fold does about keys: causes, decisions, outcomes, attempts and due times.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"

#include "logbook/base/hash.h"
#include "logbook/reconcile/fold.h"

namespace logbook::reconcile {
namespace {

constexpr size_t kFailuresKept = 16;

bool SameTarget(const Effect& a, const Effect& b) {
  return a.kind == b.kind && a.target == b.target &&
         a.resource.GroupResource() == b.resource.GroupResource();
}

// The effects of a new plan, then those that failed before and are not in it: a plan that holds
// them back must not make us forget why.
std::vector<EffectState> EffectsAfter(const Decided& body, std::vector<EffectState> before) {
  std::vector<EffectState> effects;
  for (const Effect& effect : body.effects) {
    effects.push_back({.effect = effect, .body_hash = HashBytes(effect.body).low});
    effects.back().effect.body.clear();
  }
  for (EffectState& old : before) {
    const bool tried_again = std::ranges::any_of(
        body.effects, [&](const Effect& effect) { return SameTarget(effect, old.effect); });
    const bool failed =
        old.recorded && (old.kind == OutcomeKind::kFailed || old.kind == OutcomeKind::kUnknown);
    if (body.attempts_after > 0 && failed && !tried_again &&
        effects.size() < body.effects.size() + kFailuresKept) {
      effects.push_back(std::move(old));
    }
  }
  return effects;
}

// What the effect came to, where the plan that it belongs to is the key's last one.
void TakeOutcome(KeyState& state, EventSeq seq, const Outcome& outcome) {
  if (state.decided != outcome.decided || outcome.ordinal >= state.effects.size()) {
    return;
  }
  EffectState& effect = state.effects[outcome.ordinal];
  effect.recorded = true;
  effect.kind = outcome.kind;
  effect.failure_class = outcome.failure_class;
  effect.message = outcome.message;
  effect.resource_version = outcome.resource_version;
  effect.seq = seq;
  if (effect.effect.kind == EffectKind::kExternal && outcome.kind == OutcomeKind::kSucceeded) {
    state.steps_done.push_back(effect.effect.step);
  }
}

}  // namespace

std::optional<KeyState> Fold::KeyForChange(const ControllerKey& key, EventSeq seq) const {
  const KeyState* found = state_.FindKey(key);
  if (found == nullptr) {
    return KeyState{};
  }
  if (found->seq >= seq) {
    return std::nullopt;
  }
  return *found;
}

void Fold::PutKey(const ControllerKey& key, KeyState state) {
  std::string path = KeyPath(key);
  changes_.keys.insert(path);
  touched_keys_.push_back(key);
  const bool nothing_left = !state.dirty() && !state.open && state.due == absl::InfiniteFuture() &&
                            state_.FindObject(state.resource, key.object) == nullptr;
  if (nothing_left) {
    state_.keys.Erase(path);
  } else {
    state_.keys.Set(std::move(path), std::make_shared<const KeyState>(std::move(state)));
  }
}

void Fold::AddMarks(const Event& event, EventSeq visible) {
  for (const Mark& mark : event.marks) {
    AddCause(mark.key, {.seq = event.seq, .visible = visible, .reason = mark.reason},
             mark.low_priority, visible);
  }
}

void Fold::AddCause(const ControllerKey& key, Cause cause, bool low_priority, EventSeq seq) {
  std::string path = KeyPath(key);
  const KeyStatePtr* row = state_.keys.Find(path);
  const KeyState* found = row == nullptr ? nullptr : row->get();
  // Several causes may come with one seq, so a row of that very seq may lack this one or have it.
  if (found != nullptr &&
      (found->seq > seq ||
       (found->seq == seq && std::ranges::find(found->causes, cause) != found->causes.end()))) {
    return;
  }
  KeyState state = found == nullptr ? KeyState{} : *found;
  state.seq = seq;
  state.low_priority = low_priority && (state.causes.empty() || state.low_priority);
  if (state.causes.size() >= KeyState::kCausesMax) {
    state.causes.back() = cause;
    ++state.causes_dropped;
  } else {
    state.causes.push_back(cause);
  }
  changes_.keys.insert(path);
  touched_keys_.push_back(key);
  state_.keys.Set(std::move(path), std::make_shared<const KeyState>(std::move(state)));
}

void Fold::ApplyDecided(const Event& event, const Decided& body) {
  std::optional<KeyState> state = KeyForChange(body.key, event.seq);
  if (!state.has_value()) {
    return;
  }
  state->seq = event.seq;
  state->resource = body.resource;
  if (state->uid != body.uid) {
    state->uid = body.uid;
    state->steps_done.clear();
    state->effects.clear();
  }
  std::erase_if(state->causes, [&](const Cause& cause) { return cause.visible <= body.view_seq; });
  if (state->causes.empty()) {
    state->causes_dropped = 0;
  }
  state->low_priority = false;  // what is left came after the view was taken, so it is recent
  state->attempts = body.attempts_after;
  state->due = body.due;
  state->decided = event.seq;
  state->reason = body.reason;
  state->open = !body.effects.empty();
  if (state->open) {
    state->effects = EffectsAfter(body, std::move(state->effects));
  }
  PutKey(body.key, *std::move(state));
}

void Fold::ApplyOutcome(const Event& event, const OutcomeRecorded& body) {
  if (event.stream != StreamId() && !body.outcome.response.empty()) {
    ApplyResponse(event, body.outcome);
  }
  if (std::optional<KeyState> state = KeyForChange(body.key, event.seq); state.has_value()) {
    state->seq = event.seq;
    TakeOutcome(*state, event.seq, body.outcome);
    std::erase_if(state->causes, [&](const Cause& cause) {
      return body.echo != EventSeq() && cause.seq == body.echo;
    });
    state->open = state->open && !body.outcome.last;
    state->attempts = body.attempts_after;
    if (body.due != absl::InfiniteFuture()) {
      state->due = body.due;
    }
    PutKey(body.key, *std::move(state));
  }
  AddMarks(event, event.seq);
}

void Fold::ApplyResponse(const Event& event, const Outcome& outcome) {
  // Encoded from a response that was an object, and checked when it was written.
  const absl::StatusOr<ObjectPtr> object = Object::FromJson(outcome.response);
  if (!object.ok()) {
    return;
  }
  const ObjectRef& ref = event.subjects.front();
  if ((*object)->deleting() && !(*object)->has_finalizers()) {
    Remove(ref, event.seq, true);
  } else {
    Put(ref, *object, event.stream, event.seq);
  }
}

void Fold::ApplyBuild(const Event& event, const BuildStarted& body) {
  state_.build = body;
  state_.run = event.run;
  if (!body.changed) {
    return;
  }
  for (const std::string& entry : body.controllers) {
    const size_t equals = entry.find('=');
    MarkAll(entry.substr(0, equals), std::string_view(entry).substr(equals + 1), event.seq);
  }
}

void Fold::MarkAll(const std::string& controller, std::string_view resource, EventSeq seq) {
  const std::string prefix = ObjectPathPrefix(resource);
  std::vector<ObjectKey> keys;
  state_.objects.ScanFrom(prefix, [&](const std::string& path, const ObjectEntry&) {
    if (!absl::StartsWith(path, prefix)) {
      return false;
    }
    keys.push_back(RefFromPath(path).key);
    return true;
  });
  for (ObjectKey& key : keys) {
    AddCause({.controller = controller, .object = std::move(key)},
             {.seq = seq, .visible = seq, .reason = MarkReason::kBuildChanged}, true, seq);
  }
}

}  // namespace logbook::reconcile
