// A place inside an object, in the words the API server uses in its conflict messages:
// .spec.template.spec.containers[name="app"].image
#ifndef LOGBOOK_MODEL_FIELD_PATH_H_
#define LOGBOOK_MODEL_FIELD_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/base/json.h"
#include "logbook/model/list_types.h"

namespace logbook {

// One step of a path. Points into what is walked and into the types; making one costs nothing.
struct PathStep {
  enum class Kind { kField, kItem, kKeys, kValue, kIndex };

  static PathStep Field(std::string_view name) { return {.kind = Kind::kField, .name = name}; }

  // The item of a kMap `field` that has the keys of `item`.
  static PathStep Item(const FieldInfo& field, const Json& item) {
    return {.kind = Kind::kItem, .value = &item, .field = &field};
  }

  // The same by an object that holds the keys and nothing else.
  static PathStep Keys(const Json& keys) { return {.kind = Kind::kKeys, .value = &keys}; }

  static PathStep Value(const Json& value) { return {.kind = Kind::kValue, .value = &value}; }

  static PathStep Index(size_t index) { return {.kind = Kind::kIndex, .index = index}; }

  Kind kind = Kind::kField;
  std::string_view name = {};
  const Json* value = nullptr;
  const FieldInfo* field = nullptr;
  size_t index = 0;
};

using FieldPath = std::vector<PathStep>;

std::string ToString(const FieldPath& path);

// Adds `step` to `path` for as long as it lives.
class PathScope {
 public:
  PathScope(FieldPath& path, const PathStep& step) : path_(path) { path_.push_back(step); }

  ~PathScope() { path_.pop_back(); }

  PathScope(const PathScope&) = delete;
  PathScope& operator=(const PathScope&) = delete;

 private:
  FieldPath& path_;
};

}  // namespace logbook

#endif  // LOGBOOK_MODEL_FIELD_PATH_H_
