// Time as a dependency: whoever needs to know the time is given a Clock.
//
// Wall time is for people and for Kubernetes fields; durations are measured on the monotonic clock,
// which no administrator and no NTP step moves.
#ifndef LOGBOOK_BASE_CLOCK_H_
#define LOGBOOK_BASE_CLOCK_H_

#include "absl/time/time.h"

namespace logbook {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Wall time.
  virtual absl::Time Now() const = 0;

  // Time since an arbitrary start; never goes back.
  virtual absl::Duration Monotonic() const = 0;

  // What the calling thread has used of a processor; other work on the machine does not count.
  virtual absl::Duration ThreadCpu() const = 0;
};

// The operating system's clocks. The object has no state and lives as long as the process.
const Clock& SystemClock();

}  // namespace logbook

#endif  // LOGBOOK_BASE_CLOCK_H_
