// JSON patches (RFC 6902) that cannot hit the wrong incarnation or somebody else's change: each
// tests the uid and what it relies on. When a test fails the server answers 422 Invalid without
// causes, which means "read again", as a conflict does.
//
// Source:   seen on Kubernetes 1.36: a test for null holds if the member is absent; the server
//           never keeps an empty list of finalizers, but it keeps an empty status.
#ifndef LOGBOOK_MODEL_JSON_PATCH_H_
#define LOGBOOK_MODEL_JSON_PATCH_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "logbook/base/json.h"

namespace logbook {

// RFC 6901: {"metadata", "a/b"} is "/metadata/a~1b".
std::string JsonPointer(std::initializer_list<std::string_view> path);

// Adds the finalizer `name`; nullopt if `object` has it. Tests the whole list, so that neither of
// two writers at once loses his.
std::optional<Json> AddFinalizerPatch(const Json& object, std::string_view name);

// Removes the finalizer `name`; nullopt if `object` does not have it.
std::optional<Json> RemoveFinalizerPatch(const Json& object, std::string_view name);

// Makes the status of `object` equal `status`, an object, member by member; nullopt if it is. Tests
// the old value of each member it changes, so it conflicts with writers of those and no others;
// a merge patch with a resourceVersion conflicts with every writer.
std::optional<Json> StatusPatch(const Json& object, const Json& status);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_JSON_PATCH_H_
