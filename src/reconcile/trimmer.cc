#include "logbook/reconcile/trimmer.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "logbook/base/check.h"
#include "logbook/reconcile/checkpoint_of.h"
#include "logbook/reconcile/touched_rows.h"
#include "logbook/reconcile/view_at.h"
#include "logbook/store/base.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/journal.h"
#include "logbook/store/trim.h"

namespace logbook::reconcile {
namespace {

// Between two looks at what is kept, while nothing is trimmed.
constexpr absl::Duration kExpireInterval = absl::Hours(1);

// The base, or what of it the events up to `end` touch.
absl::StatusOr<ViewState> LoadTouched(const store::Journal& journal, const TouchedRows& touched) {
  if (touched.everything()) {
    return store::LoadBase(journal);
  }
  return store::LoadBaseRows(journal, {.objects = touched.objects(), .keys = touched.keys()});
}

}  // namespace

absl::StatusOr<TrimReport> Trimmer::Trim(const ViewState& view, const std::function<bool()>& stop) {
  const absl::Time now = clock_.Now();
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq old, OldEvents(journal_, policy_, now));
  LOGBOOK_ASSIGN_OR_RETURN(TrimReport report, TrimTo(old, view, stop));
  if (report.events > 0 || clock_.Monotonic() >= expired_at_ + kExpireInterval) {
    LOGBOOK_RETURN_IF_ERROR(ExpireKept(view));
  }
  return report;
}

absl::Status Trimmer::ExpireKept(const ViewState& view) {
  expired_at_ = clock_.Monotonic();
  return store::ExpireKept(
      journal_, view,
      {.oldest = clock_.Now() - policy_.audit_age,
       .bytes_max = policy_.audit_bytes == 0 ? UINT64_MAX : policy_.audit_bytes});
}

absl::StatusOr<TrimReport> Trimmer::TrimTo(EventSeq to, const ViewState& view,
                                           const std::function<bool()>& stop) {
  TrimReport report{.watermark = journal_.watermark().seq, .wanted = store::LastBlockEnd(to)};
  if (report.wanted <= report.watermark) {
    report.wanted = report.watermark;
    return report;
  }
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq limit, Limit(report.wanted, view, report));
  if (!swept_) {
    LOGBOOK_RETURN_IF_ERROR(store::SweepBase(journal_));
    swept_ = true;
  }
  bool more = true;
  while (more && !stop()) {
    LOGBOOK_ASSIGN_OR_RETURN(more, TrimBlock(limit, report));
  }
  if (report.events > 0) {
    LOGBOOK_RETURN_IF_ERROR(journal_.DropTrimmed());
  }
  return report;
}

absl::StatusOr<EventSeq> Trimmer::Limit(EventSeq wanted, const ViewState& view,
                                        TrimReport& report) const {
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq state_seq, store::ReadStateSeq(journal_.database()));
  EventSeq limit = std::min({wanted, state_seq, journal_.last_synced()});
  LOGBOOK_ASSIGN_OR_RETURN(const auto hold, OldestHold(journal_, view, limit));
  if (hold && hold->from <= limit) {
    limit = EventSeq(hold->from.value - 1);
    report.held_by = Concat(hold->what, ", from event ", hold->from.value, " on");
  }
  return store::LastBlockEnd(limit);
}

absl::StatusOr<bool> Trimmer::TrimBlock(EventSeq to, TrimReport& report) {
  TouchedRows touched;
  std::optional<EventSeq> end;
  LOGBOOK_RETURN_IF_ERROR(
      journal_.Read(journal_.oldest(), to, [&](const Event& event) -> absl::StatusOr<bool> {
        touched.Add(event);
        if (event.seq == store::LastBlockEnd(event.seq) && !touched.ListPending()) {
          end = event.seq;
        }
        return !end.has_value();
      }));
  if (!end) {
    return false;
  }
  LOGBOOK_ASSIGN_OR_RETURN(ViewState start, LoadTouched(journal_, touched));
  LOGBOOK_ASSIGN_OR_RETURN(Fold fold, FoldFrom(std::move(start), journal_, *end));
  LOGBOOK_CHECK(!fold.ListPending());
  LOGBOOK_ASSIGN_OR_RETURN(const store::TrimResult result,
                           store::TrimTo(journal_, CheckpointOf(fold.state(), fold.TakeChanges())));
  report.events += result.events;
  report.kept += result.kept;
  report.watermark = *end;
  return *end < to;
}

}  // namespace logbook::reconcile
