// What trimming does to history: rows of trimmed events go, and names of incarnations of which
// nothing is left. Private to this folder.
#ifndef LOGBOOK_STORE_HISTORY_TRIM_H_
#define LOGBOOK_STORE_HISTORY_TRIM_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "logbook/base/status.h"
#include "logbook/model/object_key.h"
#include "logbook/model/view_state.h"
#include "logbook/store/database.h"

namespace logbook::store {

// Confined. Borrows both.
class HistoryTrim {
 public:
  // Adds what is to be deleted to `batch`.
  HistoryTrim(const Database& database, RowBatch& batch) : database_(database), batch_(batch) {}

  // The event `seq` goes, and its rows with it.
  void Drop(const std::vector<ObjectRef>& subjects, EventSeq seq);

  // An event about them stays, so their names do.
  void Keep(const std::vector<ObjectRef>& subjects);

  // Removes the names of the incarnations that lost rows, are not in `state`, and have no row left,
  // kept or newer. After all calls of Drop and Keep.
  absl::Status DropNames(const ViewState& state);

 private:
  absl::StatusOr<bool> HasRows(const std::string& prefix, const std::string& uid) const;
  absl::Status DropName(const std::string& prefix, const std::string& uid);

  const Database& database_;
  RowBatch& batch_;
  std::set<std::string> dropped_;            // keys of history rows
  std::map<std::string, ObjectRef> losers_;  // by name and uid
  std::set<std::string> kept_;               // the same
};

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_HISTORY_TRIM_H_
