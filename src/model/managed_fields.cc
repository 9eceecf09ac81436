#include "logbook/model/managed_fields.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace logbook {
namespace {

constexpr std::string_view kFieldPrefix = "f:";
constexpr std::string_view kKeysPrefix = "k:";
constexpr std::string_view kValuePrefix = "v:";
constexpr std::string_view kIndexPrefix = "i:";
constexpr std::string_view kItself = ".";

const Json::array_t& Entries(const Json& live) {
  static const Json::array_t& none = *new Json::array_t;
  const Json* entries = JsonAt(live, {"metadata", "managedFields"});
  return entries != nullptr && entries->is_array() ? entries->get_ref<const Json::array_t&>()
                                                   : none;
}

bool IsEntryOf(const Json& entry, std::string_view manager, std::string_view operation) {
  return entry.is_object() && JsonString(entry, {"manager"}) == manager &&
         JsonString(entry, {"operation"}) == operation && Member(&entry, "subresource") == nullptr;
}

const Json* FindEntry(const Json& live, std::string_view manager, std::string_view operation) {
  for (const Json& entry : Entries(live)) {
    if (IsEntryOf(entry, manager, operation)) {
      return &entry;
    }
  }
  return nullptr;
}

// The JSON behind a prefix, such as {"name":"app"} of `k:{"name":"app"}`; null if it is none.
Json ReadElement(std::string_view element) {
  absl::StatusOr<Json> value = ParseJson(element.substr(kKeysPrefix.size()));
  return value.ok() ? *std::move(value) : Json();
}

// The member of `owned` with `prefix` whose JSON `matches` accepts.
template <typename Matches>
const Json* FindElement(const Json* owned, std::string_view prefix, Matches matches) {
  if (owned == nullptr) {
    return nullptr;
  }
  const Json::object_t& members = Members(*owned);
  for (auto at = members.lower_bound(prefix);
       at != members.end() && std::string_view(at->first).starts_with(prefix); ++at) {
    if (matches(ReadElement(at->first))) {
      return &at->second;
    }
  }
  return nullptr;
}

const Json* OwnedStep(const Json* owned, const PathStep& step) {
  switch (step.kind) {
    case PathStep::Kind::kField:
      return OwnedField(owned, step.name);
    case PathStep::Kind::kItem:
      return OwnedItem(owned, *step.field, *step.value);
    case PathStep::Kind::kKeys:
      return FindElement(owned, kKeysPrefix, [&](const Json& keys) { return keys == *step.value; });
    case PathStep::Kind::kValue:
      return OwnedValue(owned, *step.value);
    case PathStep::Kind::kIndex:
      return Member(owned, Concat(kIndexPrefix, step.index));
  }
  return nullptr;
}

// Two sets of paths in one.
Json Union(Json a, const Json& b) {
  for (const auto& [name, below] : Members(b)) {
    Json& mine = a[name];
    mine = mine.is_null() ? below : Union(std::move(mine), below);
  }
  return a;
}

// Whether `item` has all members of `keys`, defaults included.
bool HasKeys(const FieldInfo& field, const Json& item, const Json& keys) {
  return std::all_of(Members(keys).begin(), Members(keys).end(), [&](const auto& key) {
    const Json* value = Member(&item, key.first);
    if (value != nullptr) {
      return *value == key.second;
    }
    return std::any_of(field.keys.begin(), field.keys.end(), [&](const ListKey& known) {
      return known.name == key.first && known.default_value == key.second;
    });
  });
}

// Walks what we own beside what is there and what is wanted.
class StaleWalk {
 public:
  std::vector<std::string> Take() { return std::move(stale_); }

  // `owned` is ours at the value of `live` and `desired`, both of which are there.
  void Value(const Json& owned, const Json& live, const Json& desired, const FieldInfo& field) {
    for (const auto& [element, below] : Members(owned)) {
      if (element != kItself && element.size() >= kFieldPrefix.size()) {
        Element(element, below, live, desired, field);
      }
    }
  }

 private:
  void Element(std::string_view element, const Json& below, const Json& live, const Json& desired,
               const FieldInfo& field) {
    const std::string_view prefix = element.substr(0, kFieldPrefix.size());
    if (prefix == kFieldPrefix) {
      const std::string_view name = element.substr(prefix.size());
      const Json* there = Member(&live, name);
      if (there != nullptr && !field.type->open && IsEmptyValue(*there)) {
        there = nullptr;  // what the server serves of a struct that nobody has filled
      }
      const auto wanted = Members(desired).find(name);  // also a null: to an apply it is a claim
      Step(PathStep::Field(name), below, there,
           wanted == Members(desired).end() ? nullptr : &wanted->second, field.type->Field(name));
    } else if (prefix == kKeysPrefix) {
      const Json keys = ReadElement(element);
      const FieldInfo item{.type = field.type};
      Step(PathStep::Keys(keys), below, FindByKeys(field, live, keys),
           FindByKeys(field, desired, keys), item);
    } else if (prefix == kValuePrefix) {
      const Json value = ReadElement(element);
      Step(PathStep::Value(value), below, FindValue(live, value), FindValue(desired, value), field);
    } else if (prefix == kIndexPrefix) {
      Index(element.substr(prefix.size()), below, live, desired, field);
    }
  }

  void Index(std::string_view text, const Json& below, const Json& live, const Json& desired,
             const FieldInfo& field) {
    size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error == std::errc() && end == text.data() + text.size()) {
      const auto at = [&](const Json& list) {
        return list.is_array() && index < list.size() ? &list[index] : nullptr;
      };
      Step(PathStep::Index(index), below, at(live), at(desired), field);
    }
  }

  void Step(const PathStep& step, const Json& owned, const Json* live, const Json* desired,
            const FieldInfo& field) {
    const PathScope scope(path_, step);
    if (live == nullptr) {
      return;  // nothing there to give up
    }
    if (desired == nullptr) {
      stale_.push_back(ToString(path_));
    } else {
      Value(owned, *live, *desired, field);
    }
  }

  static const Json* FindByKeys(const FieldInfo& field, const Json& list, const Json& keys) {
    if (!list.is_array() || !keys.is_object()) {
      return nullptr;
    }
    const auto found = std::find_if(list.begin(), list.end(), [&](const Json& item) {
      return item.is_object() && HasKeys(field, item, keys);
    });
    return found == list.end() ? nullptr : &*found;
  }

  static const Json* FindValue(const Json& list, const Json& value) {
    const auto found = std::find(list.begin(), list.end(), value);
    return !list.is_array() || found == list.end() ? nullptr : &*found;
  }

  FieldPath path_;
  std::vector<std::string> stale_;
};

}  // namespace

bool HasManagedFields(const Json& live) {
  return !Entries(live).empty();
}

bool HasApplied(const Json& live, std::string_view manager) {
  return FindEntry(live, manager, "Apply") != nullptr;
}

bool HasUpdated(const Json& live, std::string_view manager) {
  return FindEntry(live, manager, "Update") != nullptr;
}

std::optional<Json> AdoptPatch(const Json& live, std::string_view manager) {
  const Json* updated = FindEntry(live, manager, "Update");
  if (updated == nullptr) {
    return std::nullopt;
  }
  const Json* applied = FindEntry(live, manager, "Apply");
  Json adopted = applied == nullptr ? *updated : *applied;
  adopted["operation"] = "Apply";
  Json entries = Json::array();
  for (const Json& entry : Entries(live)) {
    if (IsEntryOf(entry, manager, "Update")) {
      adopted["fieldsV1"] = Union(std::move(adopted["fieldsV1"]), entry.value("fieldsV1", Json()));
    } else if (&entry != applied) {
      entries.push_back(entry);
    }
  }
  entries.push_back(std::move(adopted));
  return Json::array(
      {{{"op", "test"},
        {"path", "/metadata/uid"},
        {"value", JsonString(live, {"metadata", "uid"})}},
       {{"op", "replace"},
        {"path", "/metadata/resourceVersion"},
        {"value", JsonString(live, {"metadata", "resourceVersion"})}},
       {{"op", "replace"}, {"path", "/metadata/managedFields"}, {"value", std::move(entries)}}});
}

std::vector<std::string> StaleFields(const Json& live, std::string_view manager,
                                     const Json& desired, std::string_view resource) {
  const Json* owned = AppliedFields(live, manager);
  if (owned == nullptr) {
    return {};
  }
  StaleWalk walk;
  walk.Value(*owned, live, desired, FieldInfo{.type = &TypeOf(resource)});
  return walk.Take();
}

bool IsManaged(const Json& live, const FieldPath& path) {
  for (const Json& entry : Entries(live)) {
    const Json* owned = Member(&entry, "fieldsV1");
    for (size_t i = 0; i < path.size() && owned != nullptr; ++i) {
      owned = OwnedStep(owned, path[i]);
    }
    if (owned != nullptr) {
      return true;
    }
  }
  return false;
}

const Json* AppliedFields(const Json& live, std::string_view manager) {
  const Json* entry = FindEntry(live, manager, "Apply");
  return Member(entry, "fieldsV1");
}

const Json* OwnedField(const Json* owned, std::string_view name) {
  return Member(owned, Concat(kFieldPrefix, name));
}

const Json* OwnedItem(const Json* owned, const FieldInfo& field, const Json& item) {
  return FindElement(owned, kKeysPrefix,
                     [&](const Json& keys) { return SameKeys(field, item, keys); });
}

const Json* OwnedValue(const Json* owned, const Json& value) {
  return FindElement(owned, kValuePrefix, [&](const Json& element) { return element == value; });
}

}  // namespace logbook
