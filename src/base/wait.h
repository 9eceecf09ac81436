// Waiting that a stop request ends at once, and that a test can replace.
#ifndef LOGBOOK_BASE_WAIT_H_
#define LOGBOOK_BASE_WAIT_H_

#include <functional>
#include <stop_token>

#include "absl/time/time.h"

namespace logbook {

// Waits for `duration`. False if stop was requested, before or meanwhile.
bool WaitFor(absl::Duration duration, const std::stop_token& stop);

using WaitFunction = std::function<bool(absl::Duration, const std::stop_token&)>;

}  // namespace logbook

#endif  // LOGBOOK_BASE_WAIT_H_
