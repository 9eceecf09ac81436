// The SimpleApp operator: one object becomes a Deployment, a Service and, with a host, an Ingress;
// its status says how they are; when it goes, an audit record stays and an external resource is
// released.
#ifndef LOGBOOK_OPERATORS_SIMPLEAPP_SIMPLEAPP_H_
#define LOGBOOK_OPERATORS_SIMPLEAPP_SIMPLEAPP_H_

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/reconcile/operator.h"

namespace logbook::operators {

struct SimpleAppOptions {
  absl::Duration release = absl::Seconds(2);  // how long the external release takes
};

// The registration, ready for the runtime.
absl::StatusOr<reconcile::OperatorSpec> SimpleAppOperator(const SimpleAppOptions& options);

// The two pure functions in it.
Plan ReconcileSimpleApp(const View& view, const ObjectKey& key);
Plan CleanUpSimpleApp(const View& view, const ObjectKey& key);

}  // namespace logbook::operators

#endif  // LOGBOOK_OPERATORS_SIMPLEAPP_SIMPLEAPP_H_
