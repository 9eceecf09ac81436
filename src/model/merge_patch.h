// JSON merge patches (RFC 7386): the difference of two values as a value.
//
// Limits:   a list is replaced whole, also by a writer who meant one item; null means removal, so a
//           null inside an object cannot be written, and one in `to` counts as absent.
#ifndef LOGBOOK_MODEL_MERGE_PATCH_H_
#define LOGBOOK_MODEL_MERGE_PATCH_H_

#include <optional>

#include "logbook/base/json.h"

namespace logbook {

// The smallest patch that makes `to` of `from`; nullopt if they are equal.
std::optional<Json> MakeMergePatch(const Json& from, const Json& to);

Json ApplyMergePatch(Json target, const Json& patch);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_MERGE_PATCH_H_
