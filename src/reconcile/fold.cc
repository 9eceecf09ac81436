#include "logbook/reconcile/fold.h"

#include <algorithm>
#include <utility>

#include "logbook/base/check.h"
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

Fold::Fold(ViewState start) : state_(std::move(start)) {
  state_.tombstones.ForEach([&](const std::string& uid, const Tombstone& tombstone) {
    graves_.emplace_back(tombstone.seq, uid);
  });
  std::sort(graves_.begin(), graves_.end());
}

void Fold::Apply(const Event& event) {
  LOGBOOK_CHECK(event.seq == state_.seq.Next());
  std::visit(ApplyBody{*this, event}, event.body);
  state_.seq = event.seq;
}

ViewChanges Fold::TakeChanges() {
  return std::exchange(changes_, {});
}

void Fold::ApplyObserved(const Event& event, const Observed& observed, EventSeq visible) {
  const ObjectRef& ref = event.subjects.front();
  if (event.stream == StreamId()) {
    return;  // of a kind that nobody watches: for its history only
  }
  if (IsRemoval(observed.change)) {
    Remove(ref, visible, observed.change != ChangeType::kLeftScope);
  } else {
    Put(ref, observed.object, event.stream, visible);
  }
  AddMarks(event, visible);
}

void Fold::Put(const ObjectRef& ref, const ObjectPtr& object, StreamId stream, EventSeq seq) {
  const StreamState* state = state_.streams.Find(stream);
  const bool rewound = state != nullptr && state->rewound;
  if (const Tombstone* dead = state_.tombstones.Find(ref.uid); dead != nullptr) {
    if (!rewound || dead->seq >= seq) {
      return;
    }
    changes_.tombstones.insert(ref.uid);  // the cluster went back to before its deletion
    state_.tombstones.Erase(ref.uid);
  }
  std::string path = ObjectPath(ref.resource, ref.key);
  const ObjectEntry* current = state_.objects.Find(path);
  if (current != nullptr) {
    if (current->seq >= seq) {
      return;
    }
    // Of an earlier incarnation too: the versions under one name only grow.
    if (!rewound &&
        IsOlderVersion(object->resource_version(), current->object->resource_version())) {
      return;
    }
  }
  changes_.objects.insert(path);
  state_.PutObjectAt(std::move(path), current, {.object = object, .seq = seq, .stream = stream});
}

void Fold::Remove(const ObjectRef& ref, EventSeq seq, bool dead) {
  const ObjectEntry* current = state_.FindObject(ref.resource, ref.key);
  if (current != nullptr && current->object->uid() == ref.uid && current->seq < seq) {
    changes_.objects.insert(ObjectPath(ref.resource, ref.key));
    state_.RemoveObject(ref.resource, ref.key);
  }
  if (dead && !ref.uid.empty() && state_.tombstones.Find(ref.uid) == nullptr) {
    Bury(ref, seq);
  }
}

void Fold::Bury(const ObjectRef& ref, EventSeq seq) {
  changes_.tombstones.insert(ref.uid);
  state_.tombstones.Set(ref.uid, {.seq = seq, .object = ref});
  graves_.emplace_back(seq, ref.uid);
  if (graves_.size() > kTombstonesMax) {
    const auto& [oldest, uid] = graves_.front();
    const Tombstone* tombstone = state_.tombstones.Find(uid);
    if (tombstone != nullptr && tombstone->seq == oldest) {  // else a rewind was before us
      changes_.tombstones.insert(uid);
      state_.tombstones.Erase(uid);
    }
    graves_.pop_front();
  }
}

void Fold::ApplyStream(const Event& event, const StreamChanged& body) {
  const StreamState* found = state_.streams.Find(event.stream);
  if (found != nullptr && found->seq >= event.seq) {
    // Written behind the rows of its objects, so those have what was listed.
    if (body.change != StreamChange::kUnavailable) {
      pending_.erase(event.stream);
    }
    return;
  }
  StreamState stream = found == nullptr ? StreamState{} : *found;
  stream.seq = event.seq;
  MoveStream(stream, event, body);
  state_.streams.Set(event.stream, std::move(stream));
}

void Fold::MoveStream(StreamState& stream, const Event& event, const StreamChanged& body) {
  switch (body.change) {
    case StreamChange::kOpened:
      stream.identity = body.identity;
      stream.closed = false;
      break;
    case StreamChange::kListStarted:
      pending_.erase(event.stream);  // of a list that was cut short
      break;
    case StreamChange::kListed:
      ApplyListed(event);
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
      pending_.erase(event.stream);  // what the cut list would have shown comes by the watch
      break;
    case StreamChange::kUnavailable:
      break;
  }
}

void Fold::ApplyListed(const Event& listed) {
  for (const Event& event : std::exchange(pending_[listed.stream], {})) {
    ApplyObserved(event, std::get<Observed>(event.body), listed.seq);
  }
  pending_.erase(listed.stream);
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

}  // namespace logbook::reconcile
