// Waiting that a stop request ends at once, and that a test can replace.
#ifndef LOGBOOK_K8S_WAIT_H_
#define LOGBOOK_K8S_WAIT_H_

#include <functional>
#include <stop_token>

#include "absl/time/time.h"

namespace logbook::k8s {

// Waits for `duration`. False if stop was requested, before or meanwhile.
bool WaitFor(absl::Duration duration, const std::stop_token& stop);

using WaitFunction = std::function<bool(absl::Duration, const std::stop_token&)>;

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_WAIT_H_
