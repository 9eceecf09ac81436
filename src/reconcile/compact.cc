#include "logbook/reconcile/compact.h"

#include <memory>

#include "logbook/reconcile/checkpoint_of.h"
#include "logbook/reconcile/view_at.h"
#include "logbook/store/journal.h"

namespace logbook::reconcile {
namespace {

// Only what a state checkpoint covers can be trimmed. With a list in progress there can be none.
absl::Status Checkpoint(store::Journal& journal, NewestView& newest) {
  if (newest.fold.ListPending() || newest.state_seq == journal.last()) {
    return absl::OkStatus();
  }
  store::CheckpointInput input = CheckpointOf(newest.fold.state(), newest.fold.TakeChanges());
  input.everything = newest.state_seq == EventSeq(0) || !newest.unreadable.ok();
  LOGBOOK_RETURN_IF_ERROR(store::WriteCheckpoint(journal, input));
  return journal.Sync();
}

}  // namespace

absl::StatusOr<TrimReport> CompactStore(const CompactOptions& options, const Clock& clock) {
  LOGBOOK_RETURN_IF_ERROR(options.retention.Validate());
  LOGBOOK_ASSIGN_OR_RETURN(const std::unique_ptr<store::Journal> journal,
                           store::Journal::Open({.directory = options.directory,
                                                 .identity = {},
                                                 .clock = &clock,
                                                 .logger = options.logger}));
  LOGBOOK_ASSIGN_OR_RETURN(NewestView newest, FoldNewest(*journal));
  LOGBOOK_RETURN_IF_ERROR(Checkpoint(*journal, newest));
  Trimmer trimmer(*journal, options.retention, clock);
  const ViewState& view = newest.fold.state();
  const auto never = [] { return false; };
  LOGBOOK_ASSIGN_OR_RETURN(TrimReport report,
                           options.before
                               ? trimmer.TrimTo(EventSeq(options.before->value - 1), view, never)
                               : trimmer.Trim(view, never));
  LOGBOOK_RETURN_IF_ERROR(trimmer.ExpireKept(view));
  LOGBOOK_RETURN_IF_ERROR(journal->Close());
  return report;
}

}  // namespace logbook::reconcile
