#include "logbook/reconcile/slice.h"

#include <algorithm>
#include <vector>

namespace logbook::reconcile {
namespace {

std::string PathOf(const ObjectRef& ref) {
  return ObjectPath(ref.resource, ref.key);
}

// Empty for what writes nothing to the cluster.
std::string TargetOf(const Effect& effect) {
  return effect.target.name.empty() ? ""
                                    : ObjectPath(effect.resource.GroupResource(), effect.target);
}

}  // namespace

void Slice::ShowObject(const std::string& path, std::string_view uid,
                       std::string_view controller_uid) {
  if (!uid.empty()) {
    uids_[path].emplace(uid);
  }
  if (!controller_uid.empty()) {
    owned_[std::string(controller_uid)].insert(path);
  }
}

void Slice::LearnControllers(const BuildStarted& build) {
  for (const std::string& entry : build.controllers) {
    if (const size_t equals = entry.find('='); equals != std::string::npos) {
      resources_[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
  }
}

void Slice::ShowBase(const ViewState& base) {
  base_ = base.seq;
  LearnControllers(base.build);
  base.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    ShowObject(path, entry.object->uid(), entry.object->controller_uid());
  });
  base.keys.ForEach([&](const std::string& path, const KeyStatePtr& state) {
    if (state->resource.empty()) {
      return;  // never decided on
    }
    const ControllerKey key = KeyFromPath(path);
    resources_[key.controller] = state->resource;
    for (const EffectState& effect : state->effects) {
      writes_[ObjectPath(state->resource, key.object)].insert(TargetOf(effect.effect));
    }
  });
}

void Slice::Show(const Event& event) {
  for (const ObjectRef& subject : event.subjects) {
    ShowObject(PathOf(subject), subject.uid, "");
  }
  if (const auto* observed = std::get_if<Observed>(&event.body)) {
    if (!event.subjects.empty()) {
      ShowObject(PathOf(event.subjects.front()), observed->object->uid(),
                 observed->object->controller_uid());
    }
  } else if (const auto* decided = std::get_if<Decided>(&event.body)) {
    resources_[decided->key.controller] = decided->resource;
    std::set<std::string>& writes = writes_[ObjectPath(decided->resource, decided->key.object)];
    for (const Effect& effect : decided->effects) {
      writes.insert(TargetOf(effect));
    }
  } else if (const auto* build = std::get_if<BuildStarted>(&event.body)) {
    LearnControllers(*build);
  }
}

void Slice::Close() {
  std::vector<std::string> open = {root_};
  while (!open.empty()) {
    const std::string path = std::move(open.back());
    open.pop_back();
    if (path.empty() || !objects_.insert(path).second) {
      continue;
    }
    for (const std::string& uid : uids_[path]) {
      const std::set<std::string>& owned = owned_[uid];
      open.insert(open.end(), owned.begin(), owned.end());
    }
    const std::set<std::string>& writes = writes_[path];
    open.insert(open.end(), writes.begin(), writes.end());
  }
}

bool Slice::IsAbout(const Event& event) const {
  return std::ranges::any_of(
      event.subjects, [&](const ObjectRef& subject) { return objects_.contains(PathOf(subject)); });
}

// A key that was never decided on names no kind; that is then its controller's, or any.
bool Slice::HasKey(const ControllerKey& key) const {
  const auto resource = resources_.find(key.controller);
  if (resource != resources_.end()) {
    return objects_.contains(ObjectPath(resource->second, key.object));
  }
  return std::ranges::any_of(
      objects_, [&](const std::string& path) { return RefFromPath(path).key == key.object; });
}

bool Slice::MarksOneOfUs(const Event& event) const {
  return std::ranges::any_of(event.marks, [&](const Mark& mark) { return HasKey(mark.key); });
}

bool Slice::Takes(const Event& event) {
  switch (event.kind()) {
    case EventKind::kStreamChanged:
    case EventKind::kBuild:
    case EventKind::kGap:
      return true;
    case EventKind::kMarked:
    case EventKind::kAdmin:
      return IsAbout(event) || MarksOneOfUs(event);
    case EventKind::kDecided: {
      const auto& decided = std::get<Decided>(event.body);
      const bool ours = IsAbout(event) ||
                        objects_.contains(ObjectPath(decided.resource, decided.key.object)) ||
                        std::ranges::any_of(decided.effects, [&](const Effect& effect) {
                          return objects_.contains(TargetOf(effect));
                        });
      if (ours) {
        decisions_.insert(event.seq);
      }
      return ours;
    }
    case EventKind::kOutcome: {
      // With its decision or not at all; of a decision that was trimmed, by whom it is about.
      const auto& outcome = std::get<OutcomeRecorded>(event.body);
      return outcome.outcome.decided > base_
                 ? decisions_.contains(outcome.outcome.decided)
                 : IsAbout(event) ||
                       objects_.contains(ObjectPath(outcome.resource, outcome.key.object));
    }
    default:
      return IsAbout(event);
  }
}

ViewState Slice::PartOf(const ViewState& base) const {
  ViewState part;
  part.seq = base.seq;
  part.streams = base.streams;
  part.build = base.build;
  part.run = base.run;
  base.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    if (objects_.contains(path)) {
      part.PutObject(RefFromPath(path).resource, entry);
    }
  });
  base.keys.ForEach([&](const std::string& path, const KeyStatePtr& state) {
    if (HasKey(KeyFromPath(path))) {
      part.keys.Set(path, state);
    }
  });
  base.tombstones.ForEach([&](const std::string& uid, const Tombstone& tombstone) {
    if (objects_.contains(PathOf(tombstone.object))) {
      part.tombstones.Set(uid, tombstone);
    }
  });
  return part;
}

}  // namespace logbook::reconcile
