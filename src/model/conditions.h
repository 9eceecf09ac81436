// status.conditions: a list that several writers share, each owning the types it knows.
#ifndef LOGBOOK_MODEL_CONDITIONS_H_
#define LOGBOOK_MODEL_CONDITIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/time/time.h"

#include "logbook/base/json.h"

namespace logbook {

struct Condition {
  std::string type;
  std::string status;   // True, False or Unknown
  std::string reason;   // required, CamelCase
  std::string message;  // required, may be empty

  friend bool operator==(const Condition&, const Condition&) = default;
};

// `existing` with `ours` in it. Types that are not ours, and members of ours that we do not know,
// stay untouched and in place; new ones are put behind, in the order of `ours`.
// lastTransitionTime becomes `now_rfc3339` only where the status changes, so that merging the same
// once more changes nothing. Anything but a list counts as no conditions.
Json MergeConditions(const Json& existing, std::span<const Condition> ours,
                     int64_t observed_generation, std::string_view now_rfc3339);

// `existing` without the condition `type`.
Json RemoveCondition(Json existing, std::string_view type);

// The condition `type` of a list of conditions; nullptr if there is none.
const Json* FindCondition(const Json& conditions, std::string_view type);

// "2026-05-26T03:14:00Z": as metav1.Time, in UTC, fractions of a second cut off.
std::string Rfc3339Seconds(absl::Time time);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_CONDITIONS_H_
