// Decide: one reconcile of one key, as the framework runs it. Pure: the worker calls it on the
// newest view, replay calls it on a recorded one, and both must get the same bytes.
//
// The framework orders the segments, and an object passes at most one of them:
//   deletionTimestamp set, our finalizer present   finalize: cleanup, then remove the finalizer
//   deletionTimestamp set, our finalizer absent    nothing: it is going, and not our business
//   our finalizer missing                          add it and look again at once
//   else                                           reconcile
//
// An effect that failed is not sent again before its backoff is over, whatever else makes the key
// dirty meanwhile: it and those behind it are held back. One with another body is sent at once.
#ifndef LOGBOOK_RECONCILE_DECIDE_H_
#define LOGBOOK_RECONCILE_DECIDE_H_

#include "logbook/model/event.h"
#include "logbook/model/view.h"
#include "logbook/reconcile/operator.h"

namespace logbook::reconcile {

// The decision for `key` on `view`. A user's function that throws, reads an undeclared kind, plans
// an undeclared kind of effect or an owner in another namespace becomes a failed decision that says
// so.
Decided Decide(const OperatorSpec& spec, const View& view, const ObjectKey& key);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_DECIDE_H_
