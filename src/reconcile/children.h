// Children: what to do about one owned object, decided from the view alone. Pure.
//
// A child is only ever written by server-side apply, and compared in the fields we own: nothing is
// sent when what is wanted is there already. Somebody else's object of the same name is never
// touched.
#ifndef LOGBOOK_RECONCILE_CHILDREN_H_
#define LOGBOOK_RECONCILE_CHILDREN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/model/effect.h"
#include "logbook/model/view.h"

namespace logbook::reconcile {

// The object that owns the children.
struct Owner {
  Resource resource;  // with its kind
  ObjectKey key;
  std::string uid;
};

// An object of the view as an owner. `resource` has its kind.
Owner OwnerOf(const Resource& resource, const Json& object);

enum class ChildState : uint8_t {
  kCurrent,       // carries everything we want, or as much of it as can be had
  kMissing,       // not there: `effects` create it
  kDifferent,     // ours, and differs: `effects` apply
  kLeaving,       // ours, and being deleted: wait until it is gone
  kPredecessors,  // of an earlier incarnation of the owner: the garbage collector will take it
  kNameTaken,     // somebody else's
};

struct Child {
  ChildState state = ChildState::kMissing;
  const Json* live = nullptr;   // in the view; stands as long as the view does
  std::vector<Effect> effects;  // what to do about it
  std::string difference;       // the first field that differs, for the reason of the plan
};

// A metadata.ownerReferences entry that makes `owner` the controller.
Json ControllerReference(const Owner& owner);

// `desired` is complete: apiVersion, kind, metadata with name and the controller reference, spec.
// An apply that was answered without reaching what is wanted (somebody rewrites our field on its
// way in) is not repeated until either side changes.
Child PlanChild(const View& view, const Owner& owner, const Resource& resource,
                std::string_view field_manager, const Json& desired);

// A child that is not wanted: `effects` delete it if it is ours and there.
Child PlanRemoval(const View& view, const Owner& owner, const Resource& resource,
                  const ObjectKey& key);

// A JSON patch of a child that is ours.
Effect PatchEffect(const Resource& resource, const Object& live, const Json& patch);

// Whether the last plan sent just this, and how that ended; nullptr if it did not.
const EffectState* LastTry(const View& view, const ObjectKey& owner, const Effect& effect);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_CHILDREN_H_
