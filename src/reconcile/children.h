// Children: what to do about one owned object, decided from the view alone. Pure.
//
// A child is only ever written by server-side apply, and compared in the fields we own: nothing is
// sent when what is wanted is there already. Somebody else's object of the same name is never
// touched.
#ifndef LOGBOOK_RECONCILE_CHILDREN_H_
#define LOGBOOK_RECONCILE_CHILDREN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "logbook/model/effect.h"
#include "logbook/model/view.h"

namespace logbook::reconcile {

// The object that owns the children.
struct Owner {
  Resource resource;  // with its kind
  ObjectKey key;
  std::string uid;
};

enum class ChildState : uint8_t {
  kCurrent,       // carries everything we want
  kMissing,       // not there: `effect` creates it, unless the last try says that it cannot
  kDifferent,     // ours, and differs: `effect` applies
  kLeaving,       // ours, and being deleted: wait until it is gone
  kPredecessors,  // of an earlier incarnation of the owner: the garbage collector will take it
  kNameTaken,     // somebody else's
};

struct Child {
  ChildState state = ChildState::kMissing;
  const Json* live = nullptr;    // in the view; stands as long as the view does
  std::optional<Effect> effect;  // what to do about it
  std::string difference;        // the first field that differs, for the reason of the plan
};

// A metadata.ownerReferences entry that makes `owner` the controller.
Json ControllerReference(const Owner& owner);

// `desired` is complete: apiVersion, kind, metadata with name and the controller reference, spec.
Child PlanChild(const View& view, const Owner& owner, const Resource& resource,
                std::string_view field_manager, const Json& desired);

// A child that is not wanted: `effect` deletes it if it is ours and there.
Child PlanRemoval(const View& view, const Owner& owner, const Resource& resource,
                  const ObjectKey& key);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_CHILDREN_H_
