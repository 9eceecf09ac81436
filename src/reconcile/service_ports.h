// What an apply cannot put right about a Service. Pure.
//
// Ports are a list by number and protocol, so to the server a port whose number somebody changed is
// another item, theirs; an apply adds ours beside it, which is refused since both have our name.
#ifndef LOGBOOK_RECONCILE_SERVICE_PORTS_H_
#define LOGBOOK_RECONCILE_SERVICE_PORTS_H_

#include <optional>

#include "logbook/base/json.h"

namespace logbook::reconcile {

// A JSON patch that puts our ports in the place of those that carry their names; nullopt if none
// does, as in every object without spec.ports.
std::optional<Json> RepairPorts(const Json& live, const Json& desired);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_SERVICE_PORTS_H_
