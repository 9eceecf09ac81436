// JSON as a value, with limits: the guarded door to nlohmann_json.
//
// Shape:    Json keeps object keys sorted, so Dump is canonical: equal values, equal bytes.
// Errors:   kInvalidArgument names the byte position, or the limit that was exceeded. Nothing
// throws. Why:      nlohmann parses any depth but overflows the stack when it copies, dumps or
// destroys a
//           value nested some 100,000 deep; every input passes ParseJson, which refuses that early.
//           The watch path never uses this: see json_peek.h.
#ifndef LOGBOOK_BASE_JSON_H_
#define LOGBOOK_BASE_JSON_H_

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "logbook/base/status.h"

namespace logbook {

using Json = nlohmann::json;

struct JsonLimits {
  size_t depth_max = 100;                       // arrays and objects inside one another
  size_t bytes_max = size_t{16} * 1024 * 1024;  // client-go's frame limit
};

// Parses one JSON value; anything but white space after it is an error.
absl::StatusOr<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

// Compact and canonical. Invalid UTF-8 inside strings becomes U+FFFD rather than an error.
std::string DumpJson(const Json& value);

// The member `path` steps into, or nullptr where a step is missing or not an object.
//   JsonAt(object, {"spec", "replicas"})
const Json* JsonAt(const Json& value, std::initializer_list<std::string_view> path);

// The string, integer or bool at `path`; `fallback` if it is missing, of another type or too large.
std::string JsonString(const Json& value, std::initializer_list<std::string_view> path,
                       std::string_view fallback = "");
int64_t JsonInt(const Json& value, std::initializer_list<std::string_view> path,
                int64_t fallback = 0);
bool JsonBool(const Json& value, std::initializer_list<std::string_view> path,
              bool fallback = false);

}  // namespace logbook

#endif  // LOGBOOK_BASE_JSON_H_
