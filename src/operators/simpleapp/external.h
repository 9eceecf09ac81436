// The external half of a SimpleApp: stands for a cloud load balancer or a DNS record. The one place
// of this operator that may block and that may know the time.
#ifndef LOGBOOK_OPERATORS_SIMPLEAPP_EXTERNAL_H_
#define LOGBOOK_OPERATORS_SIMPLEAPP_EXTERNAL_H_

#include "absl/time/time.h"

#include "logbook/reconcile/operator.h"

namespace logbook::operators {

// Releases what an app holds outside of the cluster, which takes `release`. Idempotent.
// Errors: kDeadlineExceeded if that is longer than the call's timeout; kCancelled when stopping.
reconcile::ExternalHandler ReleaseHandler(absl::Duration release);

}  // namespace logbook::operators

#endif  // LOGBOOK_OPERATORS_SIMPLEAPP_EXTERNAL_H_
