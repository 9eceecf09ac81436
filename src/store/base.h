// The base: the view at the watermark, as rows, so that what came before need not be there to fold
// from. Replay begins here, and so does a start whose state checkpoint is not there.
//
// Shape:    the rows of a state checkpoint, each under its key and the watermark from which on it
//           holds. Of several the one with the greatest watermark that is not beyond the journal's
//           counts; rows beyond it are of a trimming that was cut short, and written anew by the
//           next one.
// Threads:  as Journal: reading is thread-safe.
// Source:   docs/format.md.
#ifndef LOGBOOK_STORE_BASE_H_
#define LOGBOOK_STORE_BASE_H_

#include <set>
#include <string>

#include "logbook/base/status.h"
#include "logbook/model/view_state.h"
#include "logbook/store/journal.h"

namespace logbook::store {

// Keys of the tables of a ViewState.
struct RowNames {
  std::set<std::string> objects;
  std::set<std::string> keys;
};

// The view at the watermark; empty if nothing was trimmed. Errors: kDataLoss naming a row that
// cannot be read: nothing then tells what the view was.
absl::StatusOr<ViewState> LoadBase(const Journal& journal);

// The same with no other keys than those of `names`, and no other objects than those and the ones
// that the keys are of, for who folds events that touch
// no others. Tombstones and streams are all there.
absl::StatusOr<ViewState> LoadBaseRows(const Journal& journal, const RowNames& names);

// Visits rows of base that begin with `prefix` and hold at `watermark`: their key without its
// watermark, and their value. What `visit` says but for errors is not looked at.
absl::Status ScanBase(const Database& database, std::string_view prefix, EventSeq watermark,
                      RowVisitor visit);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_BASE_H_
