#include "logbook/reconcile/marks.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace logbook::reconcile {
namespace {

// User code runs on the journal's writer here: what it throws must not end the process, which would
// meet the same object at its next start.
std::vector<ObjectKey> CallMapper(const Mapper& mapper, const Object& object) {
  try {
    return mapper(object);
  } catch (const std::exception&) {
    return {};
  }
}

// A change is looked at rather than missed.
bool CallPredicate(const Predicate& predicate, const Object* before, const Object* after) {
  try {
    return predicate(before, after);
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

MarkTable::MarkTable(const std::vector<OperatorSpec>& specs) {
  for (const OperatorSpec& spec : specs) {
    rules_[spec.primary.GroupResource()].push_back({&spec, MarkReason::kObserved, nullptr});
    for (const Resource& owned : spec.owned) {
      rules_[owned.GroupResource()].push_back({&spec, MarkReason::kOwned, nullptr});
    }
    for (const WatchSpec& watch : spec.watched) {
      rules_[watch.resource.GroupResource()].push_back({&spec, MarkReason::kMapped, &watch});
    }
  }
}

bool MarkTable::Concerns(const Rule& rule, const Object* before, const Object* after) {
  const Predicate& predicate =
      rule.watch != nullptr ? rule.watch->predicate : rule.spec->primary_predicate;
  return rule.reason == MarkReason::kOwned || predicate == nullptr ||
         CallPredicate(predicate, before, after);
}

void MarkTable::AddKeys(const Rule& rule, const Object& object, std::vector<ObjectKey>& keys) {
  if (rule.watch != nullptr) {
    std::vector<ObjectKey> mapped = CallMapper(rule.watch->mapper, object);
    std::move(mapped.begin(), mapped.end(), std::back_inserter(keys));
  } else if (rule.reason == MarkReason::kObserved) {
    keys.push_back(object.key());
  } else if (object.controller_kind() == rule.spec->primary.kind &&
             GroupOf(object.controller_api_version()) == rule.spec->primary.group) {
    // An owner is in the namespace of what it owns, or cluster-scoped.
    keys.push_back({.ns = rule.spec->primary.namespaced ? std::string(object.ns()) : "",
                    .name = std::string(object.controller_name())});
  }
}

bool MarkTable::IsKnown(const ViewState& view, const OperatorSpec& spec, const ControllerKey& key) {
  return view.FindObject(spec.primary.GroupResource(), key.object) != nullptr ||
         view.FindKey(key) != nullptr;
}

std::vector<Mark> MarkTable::Marks(const ViewState& view, std::string_view resource,
                                   const Object* before, const Object* after,
                                   bool low_priority) const {
  std::vector<Mark> marks;
  const auto found = rules_.find(resource);
  if (found == rules_.end()) {
    return marks;
  }
  for (const Rule& rule : found->second) {
    if (!Concerns(rule, before, after)) {
      continue;
    }
    std::vector<ObjectKey> keys;
    for (const Object* object : {before, after}) {
      if (object != nullptr) {
        AddKeys(rule, *object, keys);
      }
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (ObjectKey& key : keys) {
      Mark mark{.key = {.controller = rule.spec->name, .object = std::move(key)},
                .reason = rule.reason,
                .low_priority = low_priority};
      if (rule.reason == MarkReason::kObserved || IsKnown(view, *rule.spec, mark.key)) {
        marks.push_back(std::move(mark));
      }
    }
  }
  return marks;
}

}  // namespace logbook::reconcile
