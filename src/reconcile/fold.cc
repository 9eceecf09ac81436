#include "logbook/reconcile/fold.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "logbook/base/check.h"
#include "logbook/base/hash.h"
#include "logbook/model/resource_version.h"

namespace logbook::reconcile {

struct Fold::ApplyBody {
  void operator()(const Observed& body) {
    if (body.listed) {
      fold.pending_[event.stream].push_back(event);
    } else {
      fold.ApplyObserved(event, body, event.seq);
    }
  }

  void operator()(const StreamChanged& body) { fold.ApplyStream(event, body); }
  void operator()(const Decided& body) { fold.ApplyDecided(event, body); }
  void operator()(const OutcomeRecorded& body) { fold.ApplyOutcome(event, body); }
  void operator()(const BuildStarted& body) { fold.ApplyBuild(event, body); }
  void operator()(const Marked&) { fold.AddMarks(event, event.seq); }
  void operator()(const Admin&) { fold.AddMarks(event, event.seq); }
  void operator()(const Quarantined&) {}
  void operator()(const Gap&) {}
  void operator()(const Leadership&) {}

  Fold& fold;
  const Event& event;
};

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
    const bool failed = old.recorded && (old.kind == OutcomeKind::kFailed ||
                                         old.kind == OutcomeKind::kUnknown);
    if (body.attempts_after > 0 && failed && !tried_again &&
        effects.size() < body.effects.size() + kFailuresKept) {
      effects.push_back(std::move(old));
    }
  }
  return effects;
}

}  // namespace

void Fold::Apply(const Event& event) {
  LOGBOOK_CHECK(event.seq == state_.seq.Next());
  std::visit(ApplyBody{*this, event}, event.body);
  state_.seq = event.seq;
}

ViewChanges Fold::TakeChanges() { return std::exchange(changes_, {}); }

void Fold::ApplyObserved(const Event& event, const Observed& observed, EventSeq visible) {
  const ObjectRef& ref = event.subjects.front();
  if (event.stream == StreamId()) {
    return;  // of a kind that nobody watches: for its history only
  }
  if (IsRemoval(observed.change)) {
    Remove(ref, event, observed.change != ChangeType::kLeftScope);
  } else {
    Put(ref, observed.object, event);
  }
  AddMarks(event, visible);
}

void Fold::Put(const ObjectRef& ref, const ObjectPtr& object, const Event& event) {
  const StreamState* stream = state_.streams.Find(event.stream);
  const bool rewound = stream != nullptr && stream->rewound;
  if (const Tombstone* dead = state_.tombstones.Find(ref.uid); dead != nullptr) {
    if (!rewound || dead->seq >= event.seq) {
      return;
    }
    changes_.tombstones.insert(ref.uid);  // the cluster went back to before its deletion
    state_.tombstones.Erase(ref.uid);
  }
  const ObjectEntry* current = state_.FindObject(ref.resource, ref.key);
  if (current != nullptr) {
    if (current->seq >= event.seq) {
      return;
    }
    // Of an earlier incarnation too: the versions under one name only grow.
    if (!rewound &&
        IsOlderVersion(object->resource_version(), current->object->resource_version())) {
      return;
    }
  }
  changes_.objects.insert(ObjectPath(ref.resource, ref.key));
  state_.PutObject(ref.resource, {.object = object, .seq = event.seq, .stream = event.stream});
}

void Fold::Remove(const ObjectRef& ref, const Event& event, bool dead) {
  const ObjectEntry* current = state_.FindObject(ref.resource, ref.key);
  if (current != nullptr && current->object->uid() == ref.uid && current->seq < event.seq) {
    changes_.objects.insert(ObjectPath(ref.resource, ref.key));
    state_.RemoveObject(ref.resource, ref.key);
  }
  if (dead && !ref.uid.empty() && state_.tombstones.Find(ref.uid) == nullptr) {
    changes_.tombstones.insert(ref.uid);
    state_.tombstones.Set(ref.uid, {.seq = event.seq, .object = ref});
  }
}

void Fold::ApplyStream(const Event& event, const StreamChanged& body) {
  const StreamState* found = state_.streams.Find(event.stream);
  if (found != nullptr && found->seq >= event.seq) {
    // Written behind the rows of its objects, so those have what was listed.
    if (body.change == StreamChange::kListStarted || body.change == StreamChange::kListed ||
        body.change == StreamChange::kClosed) {
      pending_.erase(event.stream);
    }
    return;
  }
  StreamState stream = found == nullptr ? StreamState{} : *found;
  stream.seq = event.seq;
  switch (body.change) {
    case StreamChange::kOpened:
      stream.identity = body.identity;
      stream.closed = false;
      break;
    case StreamChange::kListStarted:
      pending_.erase(event.stream);  // of a list that was cut short
      break;
    case StreamChange::kListed:
      for (const Event& listed : std::exchange(pending_[event.stream], {})) {
        ApplyObserved(listed, std::get<Observed>(listed.body), event.seq);
      }
      pending_.erase(event.stream);
      stream.listed = true;
      stream.rewound = false;
      stream.served_by = body.served_by;
      break;
    case StreamChange::kRewound:
      stream.generation = body.generation;
      stream.rewound = true;
      stream.listed = false;
      break;
    case StreamChange::kClosed:
      RemoveObjectsOf(event.stream);
      stream.closed = true;
      stream.listed = false;
      break;
    case StreamChange::kResumed:
    case StreamChange::kUnavailable:
      break;
  }
  state_.streams.Set(event.stream, std::move(stream));
}

void Fold::RemoveObjectsOf(StreamId stream) {
  pending_.erase(stream);
  std::vector<ObjectRef> gone;
  state_.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    if (entry.stream == stream) {
      gone.push_back(RefFromPath(path));
      changes_.objects.insert(path);
    }
  });
  for (const ObjectRef& ref : gone) {
    state_.RemoveObject(ref.resource, ref.key);
  }
}

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
  const KeyState* found = state_.FindKey(key);
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
  std::string path = KeyPath(key);
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
  std::erase_if(state->causes,
                [&](const Cause& cause) { return cause.visible <= body.view_seq; });
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
  const Outcome& outcome = body.outcome;
  if (event.stream != StreamId() && !outcome.response.empty()) {
    // Encoded from a response that was an object, and checked when it was written.
    const absl::StatusOr<ObjectPtr> object = Object::FromJson(outcome.response);
    if (object.ok()) {
      const ObjectRef& ref = event.subjects.front();
      if ((*object)->deleting() && !(*object)->has_finalizers()) {
        Remove(ref, event, true);
      } else {
        Put(ref, *object, event);
      }
    }
  }
  std::optional<KeyState> state = KeyForChange(body.key, event.seq);
  if (state.has_value()) {
    state->seq = event.seq;
    if (state->decided == outcome.decided && outcome.ordinal < state->effects.size()) {
      EffectState& effect = state->effects[outcome.ordinal];
      effect.recorded = true;
      effect.kind = outcome.kind;
      effect.failure_class = outcome.failure_class;
      effect.message = outcome.message;
      effect.resource_version = outcome.resource_version;
      effect.seq = event.seq;
      if (effect.effect.kind == EffectKind::kExternal &&
          outcome.kind == OutcomeKind::kSucceeded) {
        state->steps_done.push_back(effect.effect.step);
      }
    }
    std::erase_if(state->causes, [&](const Cause& cause) {
      return body.echo != EventSeq() && cause.seq == body.echo;
    });
    state->open = state->open && !outcome.last;
    state->attempts = body.attempts_after;
    if (body.due != absl::InfiniteFuture()) {
      state->due = body.due;
    }
    PutKey(body.key, *std::move(state));
  }
  AddMarks(event, event.seq);
}

void Fold::ApplyBuild(const Event& event, const BuildStarted& body) {
  state_.build = body;
  state_.run = event.run;
  if (!body.changed) {
    return;
  }
  for (const std::string& entry : body.controllers) {
    const size_t equals = entry.find('=');
    const std::string controller = entry.substr(0, equals);
    const std::string prefix = ObjectPathPrefix(std::string_view(entry).substr(equals + 1));
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
               {.seq = event.seq, .visible = event.seq, .reason = MarkReason::kBuildChanged}, true,
               event.seq);
    }
  }
}

}  // namespace logbook::reconcile
