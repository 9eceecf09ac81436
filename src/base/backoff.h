// How long to wait before trying again.
//
// Two curves. KeyBackoff is what a failing key of a controller waits: the source documents'
// formula, without jitter, since it is recorded and replayed. ConnectionBackoff is what a stream
// waits before it connects again: client-go's reflector, with full jitter, since many processes
// lose one server at the same moment.
#ifndef LOGBOOK_BASE_BACKOFF_H_
#define LOGBOOK_BASE_BACKOFF_H_

#include <cstdint>
#include <random>

#include "absl/time/time.h"

namespace logbook {

// min(1 s · 2^max(0, failures − 1), 60 s); zero for no failures.
absl::Duration KeyBackoff(int failures);

struct BackoffOptions {
  absl::Duration initial = absl::Milliseconds(800);  // mean of the first wait
  double factor = 2.0;                               // growth per failure
  absl::Duration max = absl::Seconds(30);            // mean wait never exceeds it
};

// Thread-compatible.
class ConnectionBackoff {
 public:
  // `seed` chooses the jitter; tests pass a constant.
  explicit ConnectionBackoff(BackoffOptions options, uint64_t seed);

  // The next wait, uniform in [mean/2, 3·mean/2); grows the mean.
  absl::Duration Next();

  // After success: the next wait is the first again.
  void Reset() { failures_ = 0; }

 private:
  const BackoffOptions options_;
  std::mt19937_64 random_;
  int failures_ = 0;
};

}  // namespace logbook

#endif  // LOGBOOK_BASE_BACKOFF_H_
