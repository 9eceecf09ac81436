// Which failed calls an ApiClient repeats by itself.
#ifndef LOGBOOK_K8S_RETRY_H_
#define LOGBOOK_K8S_RETRY_H_

#include <optional>

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/k8s/api_status.h"

namespace logbook::k8s {

// How long to wait before a call of `verb` that came to `status` is sent again, or nullopt if it
// must not be. `attempt` counts from 1.
std::optional<absl::Duration> RetryDelay(Verb verb, const absl::Status& status, int attempt);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_RETRY_H_
