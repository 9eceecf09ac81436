// Trimming: old events go, what they came to stays in the base.
//
// Shape:    the caller folds the events after the watermark up to a new one, and hands over the
//           view there. Rows are written first, in batches that an Append does not wait long for;
//           one last batch, synced, moves the watermark and removes what it leaves behind. A crash
//           before that leaves the old base as it was.
// Why whole blocks: a record may be a delta to an earlier one of its block, so a block is kept or
//           trimmed as a whole.
// What is kept: the records of deletions, with the last state of what was deleted, of what admins
//           did and of gaps, together with their rows of history, for the audit period.
// Threads:  one at a time, on any thread, while the journal is appended to and read.
// Source:   docs/format.md.
#ifndef LOGBOOK_STORE_TRIM_H_
#define LOGBOOK_STORE_TRIM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/model/view_state.h"
#include "logbook/store/body_codec.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/journal.h"

namespace logbook::store {

// The greatest seq ≤ `seq` that ends a block; 0 if there is none.
constexpr EventSeq LastBlockEnd(EventSeq seq) {
  const uint64_t blocks = (seq.value + 1) / kBlockEvents;
  return EventSeq(blocks == 0 ? 0 : blocks * kBlockEvents - 1);
}

struct TrimResult {
  uint64_t events = 0;
  uint64_t kept = 0;        // of them, records that stay
  uint64_t kept_bytes = 0;  // what those take
};

// Makes `at.state`, the view at at.state->seq, the base, and trims the events up to there. The sets
// of `at` name what changed since the old watermark; `everything` is not looked at. The seq must be
// the end of a block, above the watermark, synced, and covered by a state checkpoint (checked).
// Errors: those of Journal.
absl::StatusOr<TrimResult> TrimTo(Journal& journal, const CheckpointInput& at);

// Removes rows of the base that a trimming which was cut short has left. Reads the whole base: once
// before the first trimming of an opening.
absl::Status SweepBase(Journal& journal);

// The record of `event`, of `journal`, as it outlives its block: whole, no delta. Nothing if it
// does not outlive it. Errors: those of Journal.
absl::StatusOr<std::optional<std::string>> RecordToKeep(const Journal& journal, const Event& event);

struct KeptLimits {
  absl::Time oldest = absl::InfinitePast();  // wall time
  uint64_t bytes_max = UINT64_MAX;
};

// Removes kept records, oldest first, as far as the limits ask for it, with their rows of history;
// `view` is the newest. Reads all kept records. Errors: those of Journal.
absl::Status ExpireKept(Journal& journal, const ViewState& view, const KeptLimits& limits);

// Kept records, and what they take.
struct KeptSize {
  uint64_t records = 0;
  uint64_t bytes = 0;
};

absl::StatusOr<KeptSize> ReadKeptSize(const Database& database);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_TRIM_H_
