#include "logbook/reconcile/child_planner.h"

#include <algorithm>
#include <array>

#include "logbook/reconcile/service_ports.h"

namespace logbook::reconcile {
namespace {

// Why a child cannot be: its name is somebody else's, or the server refused it the last time.
std::optional<Trouble> RefusalOf(const View& view, const Owner& owner, const Resource& resource,
                                 const std::string& name, const Child& child) {
  const std::string what = Concat(resource.kind, " ", name);
  if (child.state == ChildState::kNameTaken) {
    return Trouble{
        .reason = std::string(kClassNameTaken),
        .message = Concat(what, " exists and is not controlled by this ", owner.resource.kind)};
  }
  if (child.effects.empty()) {
    return std::nullopt;
  }
  const EffectState* last = LastTry(view, owner.key, child.effects.back());
  if (last == nullptr || last->kind != OutcomeKind::kFailed) {
    return std::nullopt;
  }
  static constexpr std::array<std::string_view, 4> kRefusals = {"Invalid", "Forbidden",
                                                                "BadRequest", "NameTaken"};
  if (std::ranges::find(kRefusals, last->failure_class) == kRefusals.end()) {
    return std::nullopt;
  }
  return Trouble{.reason = last->failure_class, .message = Concat(what, ": ", last->message)};
}

std::string Describe(const Resource& resource, const Child& child) {
  switch (child.state) {
    case ChildState::kMissing:
      return Concat(resource.kind, " is missing");
    case ChildState::kDifferent:
      return Concat(resource.kind, " differs in ", child.difference);
    default:
      return Concat(resource.kind, " is not wanted");
  }
}

}  // namespace

ChildPlanner::ChildPlanner(const View& view, Owner owner, std::string_view field_manager)
    : view_(view), owner_(std::move(owner)), field_manager_(field_manager) {}

Child ChildPlanner::Apply(const Resource& resource, const Json& desired) {
  const ObjectKey key{.ns = JsonString(desired, {"metadata", "namespace"}),
                      .name = JsonString(desired, {"metadata", "name"})};
  Child child = PlanChild(view_, owner_, resource, field_manager_, desired);
  if (child.state == ChildState::kDifferent) {
    const ObjectPtr live = view_.Find(resource.GroupResource(), key);
    if (const std::optional<Json> patch = RepairPorts(*child.live, desired); patch.has_value()) {
      child.effects = {PatchEffect(resource, *live, *patch)};
    }
  }
  if (!refusal_.has_value()) {
    refusal_ = RefusalOf(view_, owner_, resource, key.name, child);
  }
  Take(resource, child);
  return child;
}

void ChildPlanner::Remove(const Resource& resource, const ObjectKey& key) {
  Take(resource, PlanRemoval(view_, owner_, resource, key));
}

void ChildPlanner::Take(const Resource& resource, const Child& child) {
  for (const Effect& effect : child.effects) {
    plan_.reason = plan_.effects.empty() ? Describe(resource, child) : plan_.reason;
    plan_.Add(effect);
  }
}

}  // namespace logbook::reconcile
