#include "logbook/model/view_state.h"

#include <utility>

namespace logbook {
namespace {

constexpr std::string_view kNul("\0", 1);

std::string ChildPath(std::string_view controller_uid, std::string_view path) {
  return Concat(controller_uid, kNul, path);
}

// Cuts the text before the first NUL off the front of `rest`.
std::string_view CutField(std::string_view& rest) {
  const size_t nul = rest.find('\0');
  const std::string_view field = rest.substr(0, nul);
  rest = nul == std::string_view::npos ? std::string_view() : rest.substr(nul + 1);
  return field;
}

}  // namespace

std::string ObjectPath(std::string_view resource, const ObjectKey& key) {
  return Concat(resource, kNul, key.ns, kNul, key.name);
}

std::string ObjectPathPrefix(std::string_view resource) {
  return Concat(resource, kNul);
}

std::string ObjectPathPrefix(std::string_view resource, std::string_view ns) {
  return Concat(resource, kNul, ns, kNul);
}

std::string KeyPath(const ControllerKey& key) {
  return ObjectPath(key.controller, key.object);
}

ControllerKey KeyFromPath(std::string_view path) {
  ObjectRef ref = RefFromPath(path);
  return {.controller = std::move(ref.resource), .object = std::move(ref.key)};
}

ObjectRef RefFromPath(std::string_view path) {
  ObjectRef ref;
  ref.resource = CutField(path);
  ref.key.ns = CutField(path);
  ref.key.name = path;
  return ref;
}

const ObjectEntry* ViewState::FindObject(std::string_view resource, const ObjectKey& key) const {
  return objects.Find(ObjectPath(resource, key));
}

const KeyState* ViewState::FindKey(const ControllerKey& key) const {
  const KeyStatePtr* found = keys.Find(KeyPath(key));
  return found == nullptr ? nullptr : found->get();
}

void ViewState::PutObject(std::string_view resource, ObjectEntry entry) {
  std::string path = ObjectPath(resource, entry.object->key());
  const ObjectEntry* old = objects.Find(path);
  PutObjectAt(std::move(path), old, std::move(entry));
}

void ViewState::PutObjectAt(std::string path, const ObjectEntry* old, ObjectEntry entry) {
  const std::string_view owner = entry.object->controller_uid();
  const std::string_view old_owner = old == nullptr ? "" : old->object->controller_uid();
  if (old_owner != owner) {
    if (!old_owner.empty()) {
      children.Erase(ChildPath(old_owner, path));
    }
    if (!owner.empty()) {
      children.Set(ChildPath(owner, path), 0);
    }
  }
  objects.Set(std::move(path), std::move(entry));
}

void ViewState::RemoveObject(std::string_view resource, const ObjectKey& key) {
  const std::string path = ObjectPath(resource, key);
  const ObjectEntry* old = objects.Find(path);
  if (old == nullptr) {
    return;
  }
  if (!old->object->controller_uid().empty()) {
    children.Erase(ChildPath(old->object->controller_uid(), path));
  }
  objects.Erase(path);
}

}  // namespace logbook
