// Whether the response to a write of ours shows our change alone.
//
// Shape:    `before` is the object as the view had it, `after` the response, `applied` what we
//           claimed: an apply body, a status patch, {"metadata":{"finalizers":["name"]}}. A
//           difference between before and after is ours if
//           - `applied` names the field, or an atomic value around it; list items go by their keys,
//             values of sets one by one; a member null (a merge patch) claims the removal;
//           - nobody owns the new value, and `applied` names something in the same section of the
//             object (spec, data, status): then the server has put or derived it. Without
//             managedFields this is believed of new structs that `applied` names, and of no others;
//           - it is the removal of what `manager` had applied and `applied` no longer names.
//           resourceVersion, generation and managedFields do not count.
// Errs:     towards foreign, which costs one reconcile: where the server removes a field that it
//           had put itself. The other error would lose somebody's change, since the event that
//           brings it is older than our response.
// Source:   recorded and drawn at random on Kubernetes 1.36; tests/model_semantics/echo_test.cc.
#ifndef LOGBOOK_MODEL_ECHO_H_
#define LOGBOOK_MODEL_ECHO_H_

#include <optional>
#include <string>
#include <string_view>

#include "logbook/base/json.h"

namespace logbook {

// Path of the first difference that is not ours; nullopt if all are, also if `before` is null: then
// we have made the object. `manager` may be empty if nothing was applied.
std::optional<std::string> FirstForeignDifference(const Json& before, const Json& after,
                                                  const Json& applied, std::string_view manager,
                                                  std::string_view resource);

// Whether there is none.
bool ChangedOnlyWithin(const Json& before, const Json& after, const Json& applied,
                       std::string_view manager, std::string_view resource);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_ECHO_H_
