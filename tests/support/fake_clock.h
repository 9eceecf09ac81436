// FakeClock: a clock that stands still until it is moved.
#ifndef LOGBOOK_SUPPORT_FAKE_CLOCK_H_
#define LOGBOOK_SUPPORT_FAKE_CLOCK_H_

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "logbook/base/clock.h"

namespace logbook {

// Thread-safe.
class FakeClock : public Clock {
 public:
  // The moment of the documents' sample: 2026-05-26T03:14:00Z.
  static absl::Time Start() { return absl::FromUnixSeconds(1779765240); }

  absl::Time Now() const override { return Start() + Monotonic(); }

  absl::Duration Monotonic() const override {
    absl::MutexLock lock(&mu_);
    return elapsed_;
  }

  absl::Duration ThreadCpu() const override { return Monotonic(); }

  void Advance(absl::Duration by) {
    absl::MutexLock lock(&mu_);
    elapsed_ += by;
  }

 private:
  mutable absl::Mutex mu_;
  absl::Duration elapsed_ ABSL_GUARDED_BY(mu_);
};

}  // namespace logbook

#endif  // LOGBOOK_SUPPORT_FAKE_CLOCK_H_
