#include "logbook/k8s/wait.h"

#include <condition_variable>
#include <mutex>

namespace logbook::k8s {

bool WaitFor(absl::Duration duration, const std::stop_token& stop) {
  // absl::CondVar knows no stop tokens; this is the standard's own way to wait for one.
  std::mutex mutex;
  std::condition_variable_any never_notified;
  std::unique_lock<std::mutex> lock(mutex);
  never_notified.wait_for(lock, stop, absl::ToChronoNanoseconds(duration), [] { return false; });
  return !stop.stop_requested();
}

}  // namespace logbook::k8s
