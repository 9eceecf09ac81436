#include "logbook/model/echo.h"

#include <algorithm>
#include <set>

#include "logbook/model/field_path.h"
#include "logbook/model/list_types.h"
#include "logbook/model/managed_fields.h"

namespace logbook {
namespace {

// What the server says, before and after, and what we say about it. nullptr: absent.
struct Views {
  const Json* before;
  const Json* after;
  const Json* applied;
  const Json* owned;  // tree of what we had applied
};

bool Same(const Json* a, const Json* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

// Like Member, but a null is there: it claims that the field goes.
const Json* Claim(const Json* applied, std::string_view name) {
  if (applied == nullptr) {
    return nullptr;
  }
  const auto found = Members(*applied).find(name);
  return found == Members(*applied).end() ? nullptr : &found->second;
}

const Json* Item(const FieldInfo& field, const Json* list, const Json& item) {
  const size_t at = list == nullptr ? kNotFound : FindItem(field, *list, item);
  return at == kNotFound ? nullptr : &(*list)[at];
}

bool Holds(const Json* list, const Json& value) {
  return list != nullptr && list->is_array() &&
         std::find(list->begin(), list->end(), value) != list->end();
}

class EchoWalk {
 public:
  explicit EchoWalk(const Json& after) : after_(after), knows_owners_(HasManagedFields(after)) {}

  // Each returns whether all differences are ours; if not, path() is the first that is not.
  bool Root(const Views& views, const TypeInfo& type) {
    return EachMember(views, [&](std::string_view name, const Views& member) {
      const FieldInfo& field = type.Field(name);
      if (name == "metadata") {
        return Metadata(member, *field.type);
      }
      may_default_ = knows_owners_ && member.applied != nullptr;
      return Value(member, field);
    });
  }

  std::string path() const { return foreign_; }

 private:
  bool Metadata(const Views& views, const TypeInfo& type) {
    may_default_ = false;
    return EachMember(views, [&](std::string_view name, const Views& member) {
      return name == "resourceVersion" || name == "generation" || name == "managedFields" ||
             Value(member, type.Field(name));
    });
  }

  bool Value(const Views& views, const FieldInfo& field) {
    if (Same(views.before, views.after)) {
      return true;
    }
    if (views.applied != nullptr && views.applied->is_null()) {
      return true;
    }
    const bool claimed = views.applied != nullptr || views.owned != nullptr;
    if (!claimed && (views.before == nullptr || views.after == nullptr)) {
      return IsDefault(views) || Foreign();  // otherwise go on, to name the place
    }
    if (IsList(views)) {
      return List(views, field);
    }
    if (IsObject(views) && !field.type->atomic) {
      return Object(views, *field.type);
    }
    return Whole(views);
  }

  // Of a value that is not looked into.
  bool Whole(const Views& views) {
    const bool given_up = views.owned != nullptr && views.after == nullptr;
    return views.applied != nullptr || given_up || IsDefault(views) || Foreign();
  }

  // Whether nobody has set what is there now, so that the server must have.
  bool IsDefault(const Views& views) const {
    return may_default_ && views.after != nullptr && !IsManaged(after_, path_);
  }

  bool Object(const Views& views, const TypeInfo& type) {
    // A struct comes with its defaults, if we cannot tell them from others' fields, and goes with
    // them.
    const bool made =
        views.before == nullptr && views.applied != nullptr && !type.open && !knows_owners_;
    const bool gone = views.after == nullptr && views.applied == nullptr && !type.open;
    return EachMember(views, [&](std::string_view name, const Views& member) {
      const bool claimed = member.applied != nullptr || member.owned != nullptr;
      return gone || (made && !claimed) || Value(member, type.Field(name));
    });
  }

  bool List(const Views& views, const FieldInfo& field) {
    switch (field.list) {
      case ListKind::kAtomic:
        return Whole(views);
      case ListKind::kSet:
        return Set(views);
      case ListKind::kMap:
        return EachItem(views, field);
    }
    return Foreign();
  }

  bool Set(const Views& views) {
    return EachElement(views, [&](const Json& value) {
      const PathScope step(path_, PathStep::Value(value));
      const bool same = Holds(views.before, value) == Holds(views.after, value);
      const bool ours = Holds(views.applied, value) || OwnedValue(views.owned, value) != nullptr;
      return same || ours || Foreign();
    });
  }

  bool EachItem(const Views& views, const FieldInfo& field) {
    const FieldInfo as_item{.type = field.type};
    return EachElement(views, [&](const Json& item) {
      const PathScope step(path_, PathStep::Item(field, item));
      const Views items{Item(field, views.before, item), Item(field, views.after, item),
                        Item(field, views.applied, item), OwnedItem(views.owned, field, item)};
      return Value(items, as_item);
    });
  }

  template <typename Visit>
  bool EachMember(const Views& views, Visit visit) {
    std::set<std::string_view> names;
    for (const Json* object : {views.before, views.after}) {
      if (object != nullptr) {
        for (const auto& [name, value] : Members(*object)) {
          names.insert(name);
        }
      }
    }
    return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
      const PathScope step(path_, PathStep::Field(name));
      return visit(name, Views{Member(views.before, name), Member(views.after, name),
                               Claim(views.applied, name), OwnedField(views.owned, name)});
    });
  }

  // Elements of both lists; those in both are visited twice.
  template <typename Visit>
  bool EachElement(const Views& views, Visit visit) {
    for (const Json* list : {views.before, views.after}) {
      if (list != nullptr && !std::all_of(list->begin(), list->end(), visit)) {
        return false;
      }
    }
    return true;
  }

  static bool IsList(const Views& views) {
    return (views.before == nullptr || views.before->is_array()) &&
           (views.after == nullptr || views.after->is_array());
  }

  static bool IsObject(const Views& views) {
    return (views.before == nullptr || views.before->is_object()) &&
           (views.after == nullptr || views.after->is_object());
  }

  bool Foreign() {
    foreign_ = ToString(path_);
    return false;
  }

  const Json& after_;
  const bool knows_owners_;
  bool may_default_ = false;  // in a section that we claim a part of
  FieldPath path_;
  std::string foreign_;
};

}  // namespace

std::optional<std::string> FirstForeignDifference(const Json& before, const Json& after,
                                                  const Json& applied, std::string_view manager,
                                                  std::string_view resource) {
  if (before.is_null()) {
    return std::nullopt;
  }
  EchoWalk walk(after);
  const Views views{&before, &after, &applied, AppliedFields(before, manager)};
  return walk.Root(views, TypeOf(resource)) ? std::nullopt : std::optional(walk.path());
}

bool ChangedOnlyWithin(const Json& before, const Json& after, const Json& applied,
                       std::string_view manager, std::string_view resource) {
  return !FirstForeignDifference(before, after, applied, manager, resource).has_value();
}

}  // namespace logbook
