#include "logbook/model/view.h"

#include <utility>

#include "absl/strings/match.h"

namespace logbook {

View::View(ViewStatePtr state, const ViewScope& scope, absl::Time now)
    : state_(std::move(state)), scope_(scope), now_(now) {}

View::View(const View& other) : View(other.state_, other.scope_, other.now_) {}

bool View::MayRead(std::string_view resource) const {
  if (scope_.resources.find(resource) != scope_.resources.end()) {
    return true;
  }
  if (status_.ok()) {
    status_ = FailedPrecondition("controller ", scope_.controller, " reads ", resource,
                                 " without having declared it: add Owns or Watches");
  }
  return false;
}

ObjectPtr View::Find(std::string_view resource, const ObjectKey& key) const {
  if (!MayRead(resource)) {
    return nullptr;
  }
  const ObjectEntry* entry = state_->FindObject(resource, key);
  return entry == nullptr ? nullptr : entry->object;
}

const Json* View::Get(std::string_view resource, const ObjectKey& key) const {
  const ObjectPtr object = Find(resource, key);
  return object == nullptr ? nullptr : &Tree(object);
}

std::vector<ObjectPtr> View::List(std::string_view resource, std::string_view ns) const {
  std::vector<ObjectPtr> found;
  if (!MayRead(resource)) {
    return found;
  }
  const std::string prefix = ObjectPathPrefix(resource, ns);
  state_->objects.ScanFrom(prefix, [&](const std::string& path, const ObjectEntry& entry) {
    if (!absl::StartsWith(path, prefix)) {
      return false;
    }
    found.push_back(entry.object);
    return true;
  });
  return found;
}

std::vector<ObjectPtr> View::ListOwned(std::string_view resource,
                                       std::string_view owner_uid) const {
  std::vector<ObjectPtr> found;
  if (!MayRead(resource) || owner_uid.empty()) {
    return found;
  }
  const size_t path_begin = owner_uid.size() + 1;
  const std::string prefix =
      Concat(owner_uid, std::string_view("\0", 1), ObjectPathPrefix(resource));
  state_->children.ScanFrom(prefix, [&](const std::string& path, char) {
    if (!absl::StartsWith(path, prefix)) {
      return false;
    }
    found.push_back(state_->objects.Find(std::string_view(path).substr(path_begin))->object);
    return true;
  });
  return found;
}

const Json& View::Tree(const ObjectPtr& object) const {
  std::unique_ptr<const Json>& tree = trees_[object.get()];
  if (tree == nullptr) {
    tree = std::make_unique<const Json>(object->Tree());
  }
  return *tree;
}

Json View::Redacted(std::string_view resource, Json object) const {
  if (scope_.redactor != nullptr) {
    scope_.redactor->Redact(resource, object);
  }
  return object;
}

std::string View::RedactedBody(const Effect& effect) const {
  return scope_.redactor == nullptr ? effect.body : scope_.redactor->BodyOf(effect);
}

bool View::HoldsHash(const Effect& effect) const {
  return scope_.redactor != nullptr && scope_.redactor->HoldsHash(effect);
}

bool View::IsRedacted(std::string_view resource) const {
  return scope_.redactor != nullptr && scope_.redactor->Covers(resource);
}

const KeyState* View::KeyOf(const ObjectKey& key) const {
  return state_->FindKey({.controller = scope_.controller, .object = key});
}

const EffectState* View::LastEffect(const ObjectKey& key, EffectKind kind,
                                    std::string_view resource, const ObjectKey& target) const {
  const KeyState* state = KeyOf(key);
  if (state == nullptr) {
    return nullptr;
  }
  for (const EffectState& effect : state->effects) {
    if (effect.effect.kind == kind && effect.effect.target == target &&
        effect.effect.resource.GroupResource() == resource) {
      return &effect;
    }
  }
  return nullptr;
}

}  // namespace logbook
