// Trimmer: moves the watermark to where retention wants it, block by block, as far as nothing holds
// it.
//
// How:      a block is folded onto what of the base it touches, and its last view becomes the base
//           (store/trim.h). A list in progress at the end of a block is not in the view yet, so the
//           next block is taken with it.
// Threads:  Confined. The journal may be appended to and read meanwhile.
// Cost:     some 30 ms and 20 MB for a block, whatever the number of objects; but one in which the
//           build changed or a stream was closed needs the whole base.
#ifndef LOGBOOK_RECONCILE_TRIMMER_H_
#define LOGBOOK_RECONCILE_TRIMMER_H_

#include <functional>
#include <string>

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/reconcile/retention.h"

namespace logbook::store {
class Journal;
}

namespace logbook::reconcile {

struct TrimReport {
  uint64_t events = 0;  // trimmed
  uint64_t kept = 0;    // of them, records that are kept
  EventSeq watermark;   // where it stands now
  EventSeq wanted;      // where it would stand if nothing held it
  std::string held_by;  // empty if nothing did
};

class Trimmer {
 public:
  // Both outlive the trimmer.
  Trimmer(store::Journal& journal, RetentionPolicy policy, const Clock& clock)
      : journal_(journal), policy_(policy), clock_(clock) {}

  // Trims what is old by the policy. `view` is the newest; a state checkpoint must cover what is to
  // go, the rest waits for it. Ends early, between two blocks, once `stop` returns true. Errors:
  // those of the journal.
  absl::StatusOr<TrimReport> Trim(const ViewState& view, const std::function<bool()>& stop);

  // Ends the audit period of what has been kept for longer, or is too much. Reads all of it.
  absl::Status ExpireKept(const ViewState& view);

  // As Trim up to `to`, whatever the policy says; holds are obeyed. Nothing kept expires.
  absl::StatusOr<TrimReport> TrimTo(EventSeq to, const ViewState& view,
                                    const std::function<bool()>& stop);

 private:
  // Trims up to the first end of a block, not after `to`, at which no list is in progress. False if
  // there is none.
  absl::StatusOr<bool> TrimBlock(EventSeq to, TrimReport& report);
  absl::StatusOr<EventSeq> Limit(EventSeq wanted, const ViewState& view, TrimReport& report) const;

  store::Journal& journal_;
  const RetentionPolicy policy_;
  const Clock& clock_;
  bool swept_ = false;                                     // what an earlier run left
  absl::Duration expired_at_ = -absl::InfiniteDuration();  // monotonic
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_TRIMMER_H_
