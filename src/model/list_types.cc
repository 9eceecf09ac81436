#include "logbook/model/list_types.h"

#include <algorithm>
#include <memory>

#include "logbook/base/check.h"
#include "logbook/model/list_types_table.h"

namespace logbook {
namespace {

constexpr std::string_view kAnyMember = "*";

using TypesByName = std::map<std::string, TypeInfo, std::less<>>;

// The keys in "containerPort,protocol=TCP".
std::vector<ListKey> ReadKeys(std::string_view text) {
  std::vector<ListKey> keys;
  while (!text.empty()) {
    const std::string_view key = text.substr(0, text.find(','));
    const size_t equals = key.find('=');
    keys.push_back({std::string(key.substr(0, equals)),
                    equals == key.npos ? Json() : Json(key.substr(equals + 1))});
    text.remove_prefix(std::min(text.size(), key.size() + 1));
  }
  return keys;
}

Json ReadDefault(std::string_view text) {
  if (text.empty()) {
    return Json();
  }
  const absl::StatusOr<Json> value = ParseJson(text);
  LOGBOOK_CHECK(value.ok());
  return *value;
}

TypesByName BuildTypes() {
  TypesByName types;
  for (const FieldRow& row : FieldRows()) {
    const TypeInfo& of = types[std::string(row.of)];
    TypeInfo& type = types[std::string(row.type)];
    type.open = type.open || row.field == kAnyMember;
    type.fields.emplace(
        row.field, FieldInfo{&of, row.list, ReadKeys(row.keys), ReadDefault(row.default_value)});
  }
  for (std::string_view name : AtomicTypes()) {
    types[std::string(name)].atomic = true;
  }
  types["Quantity"].quantity = true;
  return types;
}

// Never destroyed, so that it may be used until the last thread has ended.
const TypesByName& Types() {
  static const TypesByName& types = *new TypesByName(BuildTypes());
  return types;
}

const ResourceRow* FindResource(std::string_view resource) {
  for (const ResourceRow& row : ResourceRows()) {
    if (row.resource == resource) {
      return &row;
    }
  }
  return nullptr;
}

const Json& KeyValue(const Json& item, const ListKey& key) {
  const auto found = item.find(key.name);
  return found == item.end() ? key.default_value : *found;
}

}  // namespace

const FieldInfo& TypeInfo::Field(std::string_view name) const {
  static const TypeInfo& nothing = *new TypeInfo;
  static const FieldInfo& unknown = *new FieldInfo{.type = &nothing};
  const auto found = fields.find(open ? kAnyMember : name);
  return found == fields.end() ? unknown : found->second;
}

const TypeInfo& TypeOf(std::string_view resource) {
  const ResourceRow* row = FindResource(resource);
  return Types().find(row == nullptr ? "Object" : row->type)->second;
}

bool HasKnownDefaults(std::string_view resource) {
  return FindResource(resource) != nullptr;
}

bool SameKeys(const FieldInfo& field, const Json& a, const Json& b) {
  return a.is_object() && b.is_object() &&
         std::all_of(field.keys.begin(), field.keys.end(), [&](const ListKey& key) {
           const Json& value = KeyValue(a, key);
           return !value.is_null() && value == KeyValue(b, key);
         });
}

size_t FindItem(const FieldInfo& field, const Json& list, const Json& item, size_t hint) {
  if (!list.is_array()) {
    return kNotFound;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const size_t at = (hint + i) % list.size();
    if (SameKeys(field, list[at], item)) {
      return at;
    }
  }
  return kNotFound;
}

const Json::object_t& Members(const Json& object) {
  static const Json::object_t& none = *new Json::object_t;
  return object.is_object() ? object.get_ref<const Json::object_t&>() : none;
}

const Json* Member(const Json* object, std::string_view name) {
  if (object == nullptr || !object->is_object()) {
    return nullptr;
  }
  const auto found = object->find(name);
  return found == object->end() || found->is_null() ? nullptr : &*found;
}

bool IsEmptyValue(const Json& value) {
  switch (value.type()) {
    case Json::value_t::string:
      return value.get_ref<const std::string&>().empty();
    case Json::value_t::null:
    case Json::value_t::array:
    case Json::value_t::object:
      return value.empty();
    default:
      return false;
  }
}

}  // namespace logbook
