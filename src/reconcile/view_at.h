// The view at any seq from the watermark on: the base, and the events since folded onto it.
//
// Cost:     loads the base and folds everything from there; some 9 µs per event.
// Threads:  Thread-safe, also while the journal is appended to and trimmed.
#ifndef LOGBOOK_RECONCILE_VIEW_AT_H_
#define LOGBOOK_RECONCILE_VIEW_AT_H_

#include "logbook/base/status.h"
#include "logbook/reconcile/fold.h"

namespace logbook::store {
class Journal;
}

namespace logbook::reconcile {

// The fold of `journal` up to `seq`, ready for the event after it. Errors: kOutOfRange if `seq` was
// trimmed or is not there yet; those of the journal.
absl::StatusOr<Fold> FoldTo(const store::Journal& journal, EventSeq seq);

// `start`, and the events after it up to `to` folded onto it.
absl::StatusOr<Fold> FoldFrom(ViewState start, const store::Journal& journal, EventSeq to);

// The view at the end of the journal, as a start finds it.
struct NewestView {
  Fold fold;
  EventSeq state_seq;       // of the state checkpoint it was folded from; 0: from none
  absl::Status unreadable;  // why a checkpoint that is there was not used
};

// From the state checkpoint, or else from the base. Errors: those of the journal.
absl::StatusOr<NewestView> FoldNewest(const store::Journal& journal);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_VIEW_AT_H_
