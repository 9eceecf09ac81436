#include "logbook/operators/simpleapp/external.h"

#include <algorithm>

#include "absl/synchronization/mutex.h"

namespace logbook::operators {

reconcile::ExternalHandler ReleaseHandler(absl::Duration release) {
  return [release](const reconcile::ExternalCall& call) -> absl::Status {
    absl::Mutex mu;
    absl::CondVar stopped;
    const std::stop_callback wake(call.stop, [&] {
      absl::MutexLock lock(&mu);
      stopped.SignalAll();
    });
    const absl::Duration wait = std::min(release, call.timeout);
    absl::MutexLock lock(&mu);
    if (!call.stop.stop_requested()) {
      stopped.WaitWithTimeout(&mu, wait);
    }
    if (call.stop.stop_requested()) {
      return Cancelled("release of ", call.key.ToString(), " stopped");
    }
    if (wait < release) {
      return DeadlineExceeded("release of ", call.key.ToString(), " takes longer than ",
                              absl::FormatDuration(call.timeout));
    }
    return absl::OkStatus();
  };
}

}  // namespace logbook::operators
