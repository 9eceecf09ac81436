// Eventually: waits for the world, which has no stop token and no fake clock. For end-to-end tests
// only; everything else is driven, not waited for.
//
// Example
//   ASSERT_TRUE(Eventually([&] { return cluster.Phase("web") == "Available"; }));
#ifndef LOGBOOK_SUPPORT_EVENTUALLY_H_
#define LOGBOOK_SUPPORT_EVENTUALLY_H_

#include <stop_token>

#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/base/wait.h"

namespace logbook {

// Whether `condition` became true within `timeout`. Looks every 20 ms.
template <typename Condition>
bool Eventually(Condition condition, absl::Duration timeout = absl::Seconds(60)) {
  const absl::Duration until = SystemClock().Monotonic() + timeout;
  while (!condition()) {
    if (SystemClock().Monotonic() > until) {
      return false;
    }
    WaitFor(absl::Milliseconds(20), std::stop_token());
  }
  return true;
}

// Whether `condition` stayed true for all of `duration`.
template <typename Condition>
bool StaysTrue(Condition condition, absl::Duration duration) {
  return !Eventually([&] { return !condition(); }, duration);
}

}  // namespace logbook

#endif  // LOGBOOK_SUPPORT_EVENTUALLY_H_
