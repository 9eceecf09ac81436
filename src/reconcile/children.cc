#include "logbook/reconcile/children.h"

#include <optional>
#include <utility>
#include <vector>

#include "logbook/base/hash.h"
#include "logbook/model/compare.h"
#include "logbook/model/managed_fields.h"

namespace logbook::reconcile {
namespace {

// Whose `live` is, from the point of view of `owner`; kCurrent means ours.
ChildState Possession(const Object& live, const Owner& owner) {
  if (live.controller_uid() == owner.uid) {
    return live.deleting() ? ChildState::kLeaving : ChildState::kCurrent;
  }
  const bool same_name = live.controller_kind() == owner.resource.kind &&
                         live.controller_name() == owner.key.name &&
                         GroupOf(live.controller_api_version()) == owner.resource.group;
  return same_name ? ChildState::kPredecessors : ChildState::kNameTaken;
}

// Nobody's, but written by us: its controller reference was taken off, by hand or by a deletion
// that orphaned it. It is adopted, as controller-runtime would.
bool WasOrphaned(const Object& live, const Json& tree, std::string_view field_manager) {
  return live.controller_uid().empty() && !live.deleting() && HasApplied(tree, field_manager);
}

std::string FirstDifference(const Json& desired, const Json& live, const std::string& resource,
                            std::string_view field_manager) {
  std::vector<std::string> differences = FieldDifferences(desired, live, resource, 1);
  if (differences.empty()) {
    differences = StaleFields(live, field_manager, desired, resource);
  }
  return differences.empty() ? std::string() : std::move(differences.front());
}

Effect ApplyEffect(const Resource& resource, const ObjectKey& key, Json desired) {
  desired["metadata"].erase("managedFields");  // of a copied object; the server refuses it
  return {
      .kind = EffectKind::kApply, .resource = resource, .target = key, .body = DumpJson(desired)};
}

// For a child that is there and ours. The uid makes the server refuse if another incarnation has
// taken the name meanwhile.
Effect ForcedApply(const Resource& resource, const ObjectKey& key, const Object& live,
                   Json desired) {
  desired["metadata"]["uid"] = live.uid();
  Effect effect = ApplyEffect(resource, key, desired);
  effect.uid = live.uid();
  effect.force = true;
  return effect;
}

}  // namespace

Owner OwnerOf(const Resource& resource, const Json& object) {
  return {.resource = resource,
          .key = {.ns = JsonString(object, {"metadata", "namespace"}),
                  .name = JsonString(object, {"metadata", "name"})},
          .uid = JsonString(object, {"metadata", "uid"})};
}

Effect PatchEffect(const Resource& resource, const Object& live, const Json& patch) {
  return {.kind = EffectKind::kPatch,
          .resource = resource,
          .target = live.key(),
          .uid = std::string(live.uid()),
          .body = DumpJson(patch)};
}

Json ControllerReference(const Owner& owner) {
  return {{"apiVersion", owner.resource.ApiVersion()},
          {"kind", owner.resource.kind},
          {"name", owner.key.name},
          {"uid", owner.uid},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

const EffectState* LastTry(const View& view, const ObjectKey& owner, const Effect& effect) {
  const EffectState* last =
      view.LastEffect(owner, effect.kind, effect.resource.GroupResource(), effect.target);
  return last != nullptr && last->body_hash == HashBytes(view.RedactedBody(effect)).low ? last
                                                                                        : nullptr;
}

Child PlanChild(const View& view, const Owner& owner, const Resource& resource,
                std::string_view field_manager, const Json& desired) {
  const ObjectKey key{.ns = JsonString(desired, {"metadata", "namespace"}),
                      .name = JsonString(desired, {"metadata", "name"})};
  const ObjectPtr object = view.Find(resource.GroupResource(), key);
  Child child;
  if (object == nullptr) {
    child.effects.push_back(ApplyEffect(resource, key, desired));
    return child;
  }
  child.live = &view.Tree(object);
  child.state = Possession(*object, owner);
  if (WasOrphaned(*object, *child.live, field_manager)) {
    child.state = ChildState::kCurrent;
  }
  if (child.state != ChildState::kCurrent) {
    return child;
  }
  child.difference = FirstDifference(view.Redacted(resource.GroupResource(), desired), *child.live,
                                     resource.GroupResource(), field_manager);
  // managedFields that were redacted must not be written back.
  const std::optional<Json> adopt = view.IsRedacted(resource.GroupResource())
                                        ? std::nullopt
                                        : AdoptPatch(*child.live, field_manager);
  if (child.difference.empty() && !adopt.has_value()) {
    return child;
  }
  const Effect apply = ForcedApply(resource, key, *object, desired);
  const EffectState* last = LastTry(view, owner.key, apply);
  const bool unreachable = last != nullptr && last->kind == OutcomeKind::kSucceeded &&
                           last->resource_version == object->resource_version();
  if (unreachable) {
    return child;
  }
  child.state = ChildState::kDifferent;
  if (adopt.has_value()) {
    child.effects.push_back(PatchEffect(resource, *object, *adopt));
  }
  child.effects.push_back(apply);
  return child;
}

Child PlanRemoval(const View& view, const Owner& owner, const Resource& resource,
                  const ObjectKey& key) {
  Child child;
  const ObjectPtr object = view.Find(resource.GroupResource(), key);
  if (object == nullptr) {
    return child;
  }
  child.live = &view.Tree(object);
  child.state = Possession(*object, owner);
  if (child.state == ChildState::kCurrent) {
    child.effects.push_back({.kind = EffectKind::kDelete,
                             .resource = resource,
                             .target = key,
                             .uid = std::string(object->uid()),
                             .resource_version = std::string(object->resource_version()),
                             .propagation = "Background"});
  }
  return child;
}

}  // namespace logbook::reconcile
