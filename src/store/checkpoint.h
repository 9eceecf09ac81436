// State checkpoints: rows of the view on disk, so that a start need not fold from the first event.
//
// Shape:    a checkpoint is a series of batches of at most about 1 MiB: rows of objects, keys,
//           tombstones and streams, each with the seq of the event that last changed it, then rows
//           of history.h, and at last `state_seq`, the seq of the view. A crash in between leaves
//           rows that are newer than state_seq; whoever loads them folds on from state_seq and
//           skips, for each row, the events up to the row's own seq.
// Threads:  one checkpoint at a time, on any thread, while the journal is appended to and read.
// Source:   docs/format.md.
#ifndef LOGBOOK_STORE_CHECKPOINT_H_
#define LOGBOOK_STORE_CHECKPOINT_H_

#include <set>
#include <string>

#include "logbook/base/status.h"
#include "logbook/model/view_state.h"
#include "logbook/store/journal.h"

namespace logbook::store {

struct CheckpointInput {
  ViewStatePtr state;
  // Writes all rows and removes those that are not in `state`; the sets are then not looked at. For
  // the first checkpoint, and to replace one that LoadState cannot read.
  bool everything = false;
  // What changed since the checkpoint before: keys of the tables of `state`. Those that are not in
  // it any more are removed.
  std::set<std::string> objects;
  std::set<std::string> keys;
  std::set<std::string> tombstones;
  std::set<StreamId> streams;
};

// Writes the checkpoint, unsynced: the log is a prefix, so the next sync covers it, and without one
// the checkpoint before still holds. `input.state` must not be ahead of the journal nor behind the
// last checkpoint. Errors: those of Journal; the journal is then closed.
absl::Status WriteCheckpoint(Journal& journal, const CheckpointInput& input);

// The view as checkpoints left it: `seq` is state_seq, 0 before the first, while rows may be newer.
// Errors: kDataLoss naming a row that cannot be read: fold from the first event instead, and write
// everything.
absl::StatusOr<ViewState> LoadState(const Journal& journal);

// The seq of the last complete checkpoint; 0 before the first.
absl::StatusOr<EventSeq> ReadStateSeq(const Database& database);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_CHECKPOINT_H_
