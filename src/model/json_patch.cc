#include "logbook/model/json_patch.h"

#include <algorithm>
#include <utility>

#include "logbook/model/list_types.h"

namespace logbook {
namespace {

Json Operation(std::string_view op, std::string path, Json value) {
  return {{"op", op}, {"path", std::move(path)}, {"value", std::move(value)}};
}

Json TestUid(const Json& object) {
  return Operation("test", "/metadata/uid", JsonString(object, {"metadata", "uid"}));
}

const Json* Finalizers(const Json& object) {
  const Json* list = JsonAt(object, {"metadata", "finalizers"});
  return list != nullptr && list->is_array() && !list->empty() ? list : nullptr;
}

// Appends what makes the member at `path` equal `to`; nullptr: absent.
void AddChange(Json& patch, const std::string& path, const Json* from, const Json* to) {
  const bool same = from == nullptr || to == nullptr ? from == to : *from == *to;
  if (same) {
    return;
  }
  patch.push_back(Operation("test", path, from == nullptr ? Json() : *from));
  patch.push_back(to == nullptr ? Json{{"op", "remove"}, {"path", path}}
                                : Operation("add", path, *to));  // replaces, too
}

}  // namespace

std::string JsonPointer(std::initializer_list<std::string_view> path) {
  std::string pointer;
  for (std::string_view step : path) {
    pointer += '/';
    for (char c : step) {
      pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
  }
  return pointer;
}

std::optional<Json> AddFinalizerPatch(const Json& object, std::string_view name) {
  const Json* list = Finalizers(object);
  if (list == nullptr) {
    return Json::array({TestUid(object), Operation("test", "/metadata/finalizers", Json()),
                        Operation("add", "/metadata/finalizers", Json::array({name}))});
  }
  if (std::find(list->begin(), list->end(), name) != list->end()) {
    return std::nullopt;
  }
  return Json::array({TestUid(object), Operation("test", "/metadata/finalizers", *list),
                      Operation("add", "/metadata/finalizers/-", name)});
}

std::optional<Json> RemoveFinalizerPatch(const Json& object, std::string_view name) {
  const Json* list = Finalizers(object);
  if (list == nullptr) {
    return std::nullopt;
  }
  const auto found = std::find(list->begin(), list->end(), name);
  if (found == list->end()) {
    return std::nullopt;
  }
  const std::string path = Concat("/metadata/finalizers/", found - list->begin());
  return Json::array(
      {TestUid(object), Operation("test", path, name), Json{{"op", "remove"}, {"path", path}}});
}

std::optional<Json> StatusPatch(const Json& object, const Json& status) {
  Json patch = Json::array({TestUid(object)});
  const Json* from = Member(&object, "status");
  if (from == nullptr) {
    AddChange(patch, "/status", nullptr, status.empty() ? nullptr : &status);
  } else {
    for (const auto& [name, value] : Members(*from)) {
      AddChange(patch, JsonPointer({"status", name}), &value, Member(&status, name));
    }
    for (const auto& [name, value] : Members(status)) {
      if (!from->contains(name)) {
        AddChange(patch, JsonPointer({"status", name}), nullptr, Member(&status, name));
      }
    }
  }
  return patch.size() == 1 ? std::nullopt : std::optional(std::move(patch));
}

}  // namespace logbook
