// Recovery: closes the plans that the end of the last run cut short.
//
// Of such a plan only the first effect without an outcome can have been sent; its target is read,
// which brings what really happened into the view, its outcome is recorded as unknown and those
// behind it as skipped, and the key becomes dirty with cause `recovered`. Nothing is ever sent
// again as it was.
#ifndef LOGBOOK_RECONCILE_RECOVERY_H_
#define LOGBOOK_RECONCILE_RECOVERY_H_

#include <stop_token>
#include <vector>

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/reconcile/operator.h"
#include "logbook/reconcile/outcome_recorder.h"

namespace logbook::store {
class Journal;
}

namespace logbook::reconcile {

struct RecoveryTools {
  const std::vector<OperatorSpec>& specs;
  const store::Journal& journal;
  EffectPerformer& performer;
  OutcomeRecorder& recorder;
  const Clock& clock;
  const Logger& log;
};

// Closes every open plan in `view` whose controller this build has. Errors: of the journal; of the
// API server, with the plans not yet closed still open, so that it may be called again.
absl::Status RecoverOpenPlans(const ViewState& view, const RecoveryTools& tools,
                              const std::stop_token& stop);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_RECOVERY_H_
