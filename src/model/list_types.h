// What the API server does with the values of a field: which lists it treats as maps or sets, which
// lists and structs it replaces whole, which strings are quantities.
//
// Shape:    a graph of types, as in the server's OpenAPI. Known are the kinds an operator usually
//           writes (list_types_table.cc); every other kind, so also custom resources, is known by
//           its metadata and by status.conditions alone, and its lists count as atomic.
//           A graph read from a cluster's own OpenAPI can take the place of the table: those who
//           walk it see only FieldInfo and TypeInfo.
// Threads:  the graph is built once and immutable.
#ifndef LOGBOOK_MODEL_LIST_TYPES_H_
#define LOGBOOK_MODEL_LIST_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/base/json.h"

namespace logbook {

enum class ListKind : uint8_t {
  kAtomic,  // replaced whole
  kSet,     // of scalars; who applies adds and removes his own
  kMap,     // of objects told apart by keys; who applies owns fields inside his items
};

// A member that tells the items of a list from each other.
struct ListKey {
  std::string name;
  Json default_value;  // what the server takes an absent key for; null if it must be there
};

struct TypeInfo;

// What is known of the value under one name.
struct FieldInfo {
  const TypeInfo* type;               // of the value, or of the items if it is a list
  ListKind list = ListKind::kAtomic;  // what kind of list it is, if it is one
  std::vector<ListKey> keys = {};     // of a kMap
  Json default_value = {};            // what the server puts if it is absent; null: not known
};

struct TypeInfo {
  bool atomic = false;    // an object that is replaced whole
  bool quantity = false;  // "1000m" is "1"
  bool open = false;      // members are data, not fields: the server adds and drops none
  std::map<std::string, FieldInfo, std::less<>> fields;  // "*": every member of an open one

  // What is known of a member; never fails.
  const FieldInfo& Field(std::string_view name) const;
};

// The type of whole objects of a kind, given as "deployments.apps". Never fails.
const TypeInfo& TypeOf(std::string_view resource);

// Whether all defaults that the server puts inside atomic values of a kind are in its type. If not,
// nobody can tell a foreign member there from a default.
bool HasKnownDefaults(std::string_view resource);

// Whether two items of a kMap have the same keys. `b` may also be an object of the keys alone.
bool SameKeys(const FieldInfo& field, const Json& a, const Json& b);

inline constexpr size_t kNotFound = static_cast<size_t>(-1);

// Position of the item of `list`, a kMap, that has the keys of `item`; kNotFound if there is none
// or `list` is no list. Looks at position `hint` first.
size_t FindItem(const FieldInfo& field, const Json& list, const Json& item, size_t hint = 0);

// The members of `object`; none if it is no object.
const Json::object_t& Members(const Json& object);

// The member `name` of `object`; nullptr if it has none or is no object. null counts as absent.
const Json* Member(const Json* object, std::string_view name);

// Whether the server may represent `value` by leaving it out: null, "", [] or {}.
bool IsEmptyValue(const Json& value);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_LIST_TYPES_H_
