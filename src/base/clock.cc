#include "logbook/base/clock.h"

#include <chrono>
#include <ctime>

#include "absl/time/clock.h"

namespace logbook {
namespace {

class RealClock : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }

  absl::Duration Monotonic() const override {
    return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
  }

  absl::Duration ThreadCpu() const override {
    timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return absl::DurationFromTimespec(used);
  }
};

}  // namespace

const Clock& SystemClock() {
  static const RealClock clock;
  return clock;
}

}  // namespace logbook
