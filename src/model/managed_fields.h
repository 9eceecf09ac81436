// What metadata.managedFields says about who owns which field of an object.
//
// Shape:    an entry of (manager, operation, subresource) owns a set of paths, written as a tree:
//           "f:" a field, "k:" a list item by its keys, "v:" a value of a set, "i:" an index, "."
//           the thing itself. "Ours" is the entry with our name, operation Apply, no subresource.
// Errors:   none. What cannot be read owns nothing: a missed removal leaves a field too many, while
//           an error would stop the key for something that only the server can have written.
// Source:   structured-merge-diff v6, fieldpath/serialize.go; seen on Kubernetes 1.36.
#ifndef LOGBOOK_MODEL_MANAGED_FIELDS_H_
#define LOGBOOK_MODEL_MANAGED_FIELDS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/base/json.h"
#include "logbook/model/field_path.h"

namespace logbook {

// Whether the server says anything about ownership; an object can be stripped of it.
bool HasManagedFields(const Json& live);

// Whether `manager` has applied this object.
bool HasApplied(const Json& live, std::string_view manager);

// Whether `manager` has also written it by create, update or patch, outside of subresources. To the
// server that is another manager: a first apply without force conflicts with it where values
// differ, one with force takes the values over, and fields that only the update set then stay for
// ever.
bool HasUpdated(const Json& live, std::string_view manager);

// A JSON patch that makes what `manager` wrote by update its applied fields, so that the next apply
// removes those of them it does not name; nullopt if there is nothing to do. Carries the uid and
// resourceVersion of `live`: on a conflict read again. The next apply must follow, since the entry
// then also owns the defaults that the server had put.
std::optional<Json> AdoptPatch(const Json& live, std::string_view manager);

// Paths that `manager` has applied, that `live` still carries and `desired` no longer names: an
// apply of `desired` gives them up. The topmost path of each, in the order of the names.
std::vector<std::string> StaleFields(const Json& live, std::string_view manager,
                                     const Json& desired, std::string_view resource);

// Whether anybody owns `path` or something below it.
bool IsManaged(const Json& live, const FieldPath& path);

// The tree of what `manager` has applied; nullptr if it has not.
const Json* AppliedFields(const Json& live, std::string_view manager);

// The subtree of what an owner of `owned` owns at a step further; nullptr if that is nothing.
const Json* OwnedField(const Json* owned, std::string_view name);
const Json* OwnedItem(const Json* owned, const FieldInfo& field, const Json& item);
const Json* OwnedValue(const Json* owned, const Json& value);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_MANAGED_FIELDS_H_
