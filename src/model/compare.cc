#include "logbook/model/compare.h"

#include <algorithm>
#include <utility>

#include "logbook/model/field_path.h"
#include "logbook/model/list_types.h"
#include "logbook/model/managed_fields.h"
#include "logbook/model/quantity.h"

namespace logbook {
namespace {

// The server rounds requests and limits to this. For the two other quantities, a divisor and a size
// limit in bytes, no smaller difference has a meaning.
constexpr int64_t kMilliExponent = -3;

// Set by the server alone; never wanted or owned.
bool IsServerMetadata(std::string_view name) {
  return name == "uid" || name == "resourceVersion" || name == "generation" ||
         name == "creationTimestamp" || name == "managedFields" || name == "selfLink";
}

bool IsZero(const Json& value) {
  return (value.is_number() && value == 0) || (value.is_boolean() && !value.get<bool>());
}

std::string ScalarText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : DumpJson(value);
}

bool SameQuantity(const Json& a, const Json& b) {
  const absl::StatusOr<Quantity> x = ParseQuantity(ScalarText(a));
  const absl::StatusOr<Quantity> y = ParseQuantity(ScalarText(b));
  return x.ok() && y.ok() && x->RoundedUp(kMilliExponent) == y->RoundedUp(kMilliExponent);
}

bool SameScalar(const Json& a, const Json& b, const TypeInfo& type) {
  return a == b || (type.quantity && SameQuantity(a, b));
}

class Comparison {
 public:
  Comparison(const Json& live, std::string_view resource, size_t paths_max)
      : live_(live), knows_defaults_(HasKnownDefaults(resource)), paths_max_(paths_max) {}

  void Root(const Json& desired, const TypeInfo& type) {
    for (const auto& [name, value] : Members(desired)) {
      if (name == "metadata") {
        const PathScope step(path_, PathStep::Field(name));
        Metadata(value, Member(&live_, name), *type.Field(name).type);
      } else if (name != "apiVersion" && name != "kind") {
        Field(name, value, Member(&live_, name), type);
      }
    }
  }

  std::vector<std::string> Take() { return std::move(differences_); }

 private:
  void Metadata(const Json& desired, const Json* live, const TypeInfo& type) {
    for (const auto& [name, value] : Members(desired)) {
      if (!IsServerMetadata(name)) {
        Field(name, value, Member(live, name), type);
      }
    }
  }

  void Field(std::string_view name, const Json& desired, const Json* live, const TypeInfo& type) {
    if (Full()) {
      return;
    }
    const PathScope step(path_, PathStep::Field(name));
    if (live != nullptr) {
      Value(desired, *live, type.Field(name));
    } else if (desired.is_object() && !desired.empty()) {
      Object(desired, Json::object(), *type.Field(name).type);
    } else if (type.open ? !desired.is_null() : !MayBeAbsent(desired)) {
      Differs();
    }
  }

  void Value(const Json& desired, const Json& live, const FieldInfo& field) {
    if (desired.is_object() && live.is_object()) {
      Object(desired, live, *field.type);
    } else if (desired.is_array() && live.is_array()) {
      List(desired, live, field);
    } else if (desired.is_null() ? atomic_ && !IsEmptyValue(live)
                                 : !SameScalar(desired, live, *field.type)) {
      Differs();
    }
  }

  void Object(const Json& desired, const Json& live, const TypeInfo& type) {
    const bool outer = std::exchange(atomic_, atomic_ || type.atomic);
    for (const auto& [name, value] : Members(desired)) {
      Field(name, value, Member(&live, name), type);
    }
    if (atomic_ && knows_defaults_) {
      ForeignMembers(desired, live, type);
    }
    atomic_ = outer;
  }

  // Of an atomic object: an apply would remove them.
  void ForeignMembers(const Json& desired, const Json& live, const TypeInfo& type) {
    for (const auto& [name, value] : Members(live)) {
      const bool nothing = type.open ? value.is_null() : IsEmptyValue(value);
      const FieldInfo& field = type.Field(name);
      if (!nothing && !desired.contains(name) && !IsDefault(value, field) && !Full()) {
        const PathScope step(path_, PathStep::Field(name));
        Differs();
      }
    }
  }

  static bool IsDefault(const Json& value, const FieldInfo& field) {
    return !field.default_value.is_null() && SameScalar(field.default_value, value, *field.type);
  }

  void List(const Json& desired, const Json& live, const FieldInfo& field) {
    if (atomic_ || field.list == ListKind::kAtomic) {
      AtomicList(desired, live, field);
    } else if (field.list == ListKind::kMap) {
      MapList(desired, live, field);
    } else {
      SetList(desired, live);
    }
  }

  void AtomicList(const Json& desired, const Json& live, const FieldInfo& field) {
    if (desired.size() != live.size()) {
      Differs();
      return;
    }
    const bool outer = std::exchange(atomic_, true);
    const FieldInfo item{.type = field.type};
    for (size_t i = 0; i < desired.size() && !Full(); ++i) {
      const PathScope step(path_, PathStep::Index(i));
      Value(desired[i], live[i], item);
    }
    atomic_ = outer;
  }

  void MapList(const Json& desired, const Json& live, const FieldInfo& field) {
    size_t next = 0;
    bool in_order = true;
    for (const Json& item : desired) {
      if (Full()) {
        return;
      }
      const PathScope step(path_, PathStep::Item(field, item));
      const size_t at = FindItem(field, live, item, next);
      if (at == kNotFound) {
        Differs();
      } else {
        in_order = in_order && at >= next;
        next = at + 1;
        Object(item, live[at], *field.type);
      }
    }
    // An apply restores our order, and it matters: to init containers, to $(VAR) in env.
    if (!in_order) {
      Differs();
    }
  }

  void SetList(const Json& desired, const Json& live) {
    for (const Json& value : desired) {
      if (!Full() && std::find(live.begin(), live.end(), value) == live.end()) {
        const PathScope step(path_, PathStep::Value(value));
        Differs();
      }
    }
  }

  // Whether the scalar, list or empty object `desired` is there although the server leaves it out.
  bool MayBeAbsent(const Json& desired) {
    const bool empty = IsEmptyValue(desired);
    if (desired.is_null() || desired.is_array() || !(empty || IsZero(desired))) {
      return empty;
    }
    // Nobody owns what is inside an atomic value, and there the server leaves out no 0 or false
    // that was set: those fields are optional ones.
    if (atomic_ || !HasManagedFields(live_)) {
      return empty;
    }
    // A field that is owned has a value, so it is the one that the server leaves out. Nobody owns
    // an empty section of the whole object, such as "status": {}.
    return IsManaged(live_, path_) || (desired.is_object() && path_.size() == 1);
  }

  bool Full() const { return differences_.size() >= paths_max_; }

  void Differs() {
    if (!Full()) {
      differences_.push_back(ToString(path_));
    }
  }

  const Json& live_;
  const bool knows_defaults_;
  const size_t paths_max_;
  FieldPath path_;
  bool atomic_ = false;  // inside a value that the server replaces whole
  std::vector<std::string> differences_;
};

}  // namespace

std::vector<std::string> FieldDifferences(const Json& desired, const Json& live,
                                          std::string_view resource, size_t paths_max) {
  Comparison comparison(live, resource, paths_max);
  comparison.Root(desired, TypeOf(resource));
  return comparison.Take();
}

bool Covers(const Json& desired, const Json& live, std::string_view resource) {
  return FieldDifferences(desired, live, resource, 1).empty();
}

}  // namespace logbook
