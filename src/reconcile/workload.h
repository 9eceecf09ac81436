// Workload: what keeps a Deployment from coming up, from what the view shows of it. Pure.
//
// The controller declares ReplicaSets and Pods as watched kinds; a label selector may narrow them.
#ifndef LOGBOOK_RECONCILE_WORKLOAD_H_
#define LOGBOOK_RECONCILE_WORKLOAD_H_

#include <optional>

#include "logbook/base/json.h"
#include "logbook/model/view.h"
#include "logbook/reconcile/trouble.h"

namespace logbook::reconcile {

// What keeps a Pod of the Deployment's current ReplicaSet from starting: its image or its
// configuration. Names the container and what it waits for.
std::optional<Trouble> TroubleOfPods(const View& view, const Json& deployment);

// What the Deployment controller itself reports as failed.
std::optional<Trouble> TroubleOfRollout(const Json& deployment);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_WORKLOAD_H_
