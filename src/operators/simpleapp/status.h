// The status of a SimpleApp: what it should say, and whether it is worth a write. Pure.
#ifndef LOGBOOK_OPERATORS_SIMPLEAPP_STATUS_H_
#define LOGBOOK_OPERATORS_SIMPLEAPP_STATUS_H_

#include <optional>

#include "absl/time/time.h"

#include "logbook/operators/simpleapp/phase.h"
#include "logbook/operators/simpleapp/types.h"

namespace logbook::operators {

// Within one phase on the way to Available, details that move are written at most this often: a
// rollout of many replicas is one story, not one write per Pod.
inline constexpr absl::Duration kDetailsInterval = absl::Seconds(5);

struct StatusPlan {
  std::optional<Effect> effect;                    // a patch, if there is something to say now
  absl::Duration wait = absl::InfiniteDuration();  // when to say what was held back
};

// Moves the status of `object`, which is `app`, to `phase`.
StatusPlan PlanStatus(const Json& object, const SimpleApp& app, const Phase& phase, absl::Time now);

// The object is going: the phase stays, condition Terminating says what is going on.
std::optional<Effect> PlanTerminating(const Json& object, const SimpleApp& app,
                                      const std::string& reason, const std::string& message,
                                      absl::Time now);

}  // namespace logbook::operators

#endif  // LOGBOOK_OPERATORS_SIMPLEAPP_STATUS_H_
