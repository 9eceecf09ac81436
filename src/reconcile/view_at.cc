#include "logbook/reconcile/view_at.h"

#include <utility>

#include "logbook/store/base.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/journal.h"

namespace logbook::reconcile {

absl::StatusOr<Fold> FoldFrom(ViewState start, const store::Journal& journal, EventSeq to) {
  const EventSeq from = start.seq.Next();
  Fold fold(std::move(start));
  LOGBOOK_RETURN_IF_ERROR(journal.Read(from, to, [&](const Event& event) -> absl::StatusOr<bool> {
    fold.Apply(event);
    return true;
  }));
  return fold;
}

absl::StatusOr<Fold> FoldTo(const store::Journal& journal, EventSeq seq) {
  while (true) {
    if (seq > journal.last()) {
      return OutOfRange("there is no event ", seq.value, " yet: the last is ",
                        journal.last().value);
    }
    LOGBOOK_ASSIGN_OR_RETURN(ViewState base, store::LoadBase(journal));
    if (base.seq > seq) {
      return OutOfRange("event ", seq.value, " was trimmed: the oldest view is that after event ",
                        base.seq.value);
    }
    absl::StatusOr<Fold> fold = FoldFrom(std::move(base), journal, seq);
    if (!absl::IsOutOfRange(fold.status())) {
      return fold;
    }
    // Trimmed while it was read: once more, from the new base.
  }
}

absl::StatusOr<NewestView> FoldNewest(const store::Journal& journal) {
  absl::StatusOr<ViewState> rows = store::LoadState(journal);
  const absl::Status unreadable = absl::IsDataLoss(rows.status()) ? rows.status() : absl::Status();
  EventSeq state_seq;
  if (unreadable.ok()) {
    LOGBOOK_RETURN_IF_ERROR(rows.status());
    LOGBOOK_ASSIGN_OR_RETURN(state_seq, store::ReadStateSeq(journal.database()));
  } else {
    rows = store::LoadBase(journal);
    LOGBOOK_RETURN_IF_ERROR(rows.status());
  }
  LOGBOOK_ASSIGN_OR_RETURN(Fold fold, FoldFrom(*std::move(rows), journal, journal.last()));
  return NewestView{.fold = std::move(fold), .state_seq = state_seq, .unreadable = unreadable};
}

}  // namespace logbook::reconcile
