#include "logbook/model/merge_patch.h"

#include "logbook/model/list_types.h"

namespace logbook {
namespace {

// `value` as a patch that puts it where nothing is: without the nulls in its objects.
Json WithoutNulls(const Json& value) {
  if (!value.is_object()) {
    return value;
  }
  Json clean = Json::object();
  for (const auto& [name, member] : Members(value)) {
    if (!member.is_null()) {
      clean[name] = WithoutNulls(member);
    }
  }
  return clean;
}

}  // namespace

std::optional<Json> MakeMergePatch(const Json& from, const Json& to) {
  if (from == to) {
    return std::nullopt;
  }
  if (!from.is_object() || !to.is_object()) {
    return WithoutNulls(to);
  }
  Json patch = Json::object();
  for (const auto& [name, value] : Members(from)) {
    const Json* wanted = Member(&to, name);
    if (wanted == nullptr) {
      patch[name] = nullptr;
    } else if (std::optional<Json> below = MakeMergePatch(value, *wanted)) {
      patch[name] = *std::move(below);
    }
  }
  for (const auto& [name, value] : Members(to)) {
    if (!value.is_null() && !from.contains(name)) {
      patch[name] = WithoutNulls(value);
    }
  }
  return patch.empty() ? std::nullopt : std::optional(std::move(patch));
}

Json ApplyMergePatch(Json target, const Json& patch) {
  target.merge_patch(patch);
  return target;
}

}  // namespace logbook
