// Retention: how far the journal may be trimmed, and what keeps it from being trimmed further.
//
// Shape:    the policy names what is old; holds name what must stay although it is. Pure questions
//           to a journal and a view; trimmer.h acts on the answers.
// Threads:  Thread-safe.
#ifndef LOGBOOK_RECONCILE_RETENTION_H_
#define LOGBOOK_RECONCILE_RETENTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/model/view_state.h"

namespace logbook::store {
class Journal;
}

namespace logbook::reconcile {

struct RetentionPolicy {
  absl::Duration age = absl::Hours(24 * 7);         // older events go; infinite: never
  uint64_t bytes = uint64_t{1} << 30;               // of events on disk; the oldest go; 0: no limit
  absl::Duration audit_age = absl::Hours(24 * 90);  // of records that are kept when events go
  uint64_t audit_bytes = uint64_t{256} << 20;       // of the same; 0: no limit

  // The first fault, by the field's name.
  absl::Status Validate() const;
};

// Something that needs events.
struct RetentionHold {
  EventSeq from;     // the first event it needs
  std::string what;  // "hold case-4711", "finalizers of simpleapps.apps.bootcamp.local shop/web"
};

// The last event that is old by `policy` at `now`, whatever holds it; the watermark if none is.
// Errors: those of the journal.
absl::StatusOr<EventSeq> OldEvents(const store::Journal& journal, const RetentionPolicy& policy,
                                   absl::Time now);

// What needs the oldest event: legal holds, causes not yet decided on, plans not yet carried out,
// and objects that are being deleted, from the event on that first showed it. Of the last kind only
// those up to `to` are looked for. `view` is the newest.
absl::StatusOr<std::optional<RetentionHold>> OldestHold(const store::Journal& journal,
                                                        const ViewState& view, EventSeq to);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_RETENTION_H_
