// Plan: what a reconciler decided: an ordered list of effects, or the reason for none, and when to
// look again.
//
// A plan cannot both fail and ask for a time to look again: the named constructors see to it.
#ifndef LOGBOOK_MODEL_PLAN_H_
#define LOGBOOK_MODEL_PLAN_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"

#include "logbook/model/effect.h"
#include "logbook/model/event.h"

namespace logbook {

struct Plan {
  std::vector<Effect> effects;  // performed in this order; a failure skips the rest
  std::string reason;           // why there are none, or what they are for
  Verdict verdict = Verdict::kSettled;
  absl::Duration requeue_after = absl::InfiniteDuration();  // infinite: when something changes

  // Nothing to do until something changes.
  static Plan AwaitChange(std::string_view reason) {
    Plan plan;
    plan.reason = reason;
    return plan;
  }

  // Nothing to do now; look again after `wait` at the latest.
  static Plan RequeueAfter(absl::Duration wait, std::string_view reason) {
    Plan plan = AwaitChange(reason);
    plan.requeue_after = wait;
    return plan;
  }

  // Could not decide; tried again by backoff.
  static Plan Failed(std::string_view reason) {
    Plan plan = AwaitChange(reason);
    plan.verdict = Verdict::kFailed;
    return plan;
  }

  // Cannot be decided until something changes: controller-runtime's TerminalError.
  static Plan Terminal(std::string_view reason) {
    Plan plan = AwaitChange(reason);
    plan.verdict = Verdict::kTerminal;
    return plan;
  }

  Plan& Add(Effect effect) {
    effects.push_back(std::move(effect));
    return *this;
  }
};

}  // namespace logbook

#endif  // LOGBOOK_MODEL_PLAN_H_
