// Contents: everything a store says, in a form that can be compared.
#ifndef LOGBOOK_TESTS_CORRUPTION_CONTENTS_H_
#define LOGBOOK_TESTS_CORRUPTION_CONTENTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "logbook/base/status.h"
#include "logbook/model/view_state.h"
#include "logbook/store/history.h"
#include "logbook/store/journal.h"

namespace logbook::store {

// A view as rows: what a checkpoint would write of it.
using Rows = std::map<std::string, std::string>;
using Bookmarks = std::map<StreamId, Bookmark>;
// By resource, namespace and name.
using Histories = std::map<std::string, std::vector<HistoryEntry>>;

Rows RowsOf(const ViewState& state);

struct Contents {
  std::vector<std::string> records;  // of event i + 1
  Bookmarks bookmarks;
  Rows view;  // the rows that were loaded, and the fold of what came after them
  Histories histories;
  absl::Status rows_refused;  // why the view was folded from the first event instead

  EventSeq last() const { return EventSeq(records.size()); }
};

// Reads all of it, as the runtime does when it starts and as people do who ask for a history. The
// names are those of `names`, keys of a Histories. Errors: the first.
absl::StatusOr<Contents> ReadContents(const Journal& journal, const Histories& names);

// What the records up to `last` say about each name, not looking at any row.
Histories HistoriesOf(const std::vector<std::string>& records, EventSeq last);

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_CORRUPTION_CONTENTS_H_
