#include "logbook/model/conditions.h"

#include <algorithm>
#include <utility>

#include "logbook/base/status.h"

namespace logbook {
namespace {

void Update(Json& condition, const Condition& ours, int64_t observed_generation,
            std::string_view now) {
  const bool keeps_time = JsonString(condition, {"status"}) == ours.status &&
                          !JsonString(condition, {"lastTransitionTime"}).empty();
  condition["type"] = ours.type;
  condition["status"] = ours.status;
  condition["reason"] = ours.reason;
  condition["message"] = ours.message;
  condition["observedGeneration"] = observed_generation;
  if (!keeps_time) {
    condition["lastTransitionTime"] = now;
  }
}

}  // namespace

Json MergeConditions(const Json& existing, std::span<const Condition> ours,
                     int64_t observed_generation, std::string_view now_rfc3339) {
  Json merged = existing.is_array() ? existing : Json::array();
  for (const Condition& condition : ours) {
    const auto found = std::find_if(merged.begin(), merged.end(), [&](const Json& item) {
      return JsonString(item, {"type"}) == condition.type;
    });
    Json& item = found == merged.end() ? merged.emplace_back(Json::object()) : *found;
    Update(item, condition, observed_generation, now_rfc3339);
  }
  return merged;
}

Json RemoveCondition(Json existing, std::string_view type) {
  if (existing.is_array()) {
    auto& items = existing.get_ref<Json::array_t&>();
    std::erase_if(items, [&](const Json& item) { return JsonString(item, {"type"}) == type; });
  }
  return existing;
}

const Json* FindCondition(const Json& conditions, std::string_view type) {
  if (!conditions.is_array()) {
    return nullptr;
  }
  const auto found = std::find_if(conditions.begin(), conditions.end(), [&](const Json& item) {
    return JsonString(item, {"type"}) == type;
  });
  return found == conditions.end() ? nullptr : &*found;
}

std::string Rfc3339Seconds(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

}  // namespace logbook
