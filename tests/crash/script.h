// The script of the crash tests: about five hundred events, and what else a runtime does with a
// journal, as data. It is the same each time, so any end of it can be compared with any other.
#ifndef LOGBOOK_TESTS_CRASH_SCRIPT_H_
#define LOGBOOK_TESTS_CRASH_SCRIPT_H_

#include <functional>
#include <string>
#include <vector>

#include "logbook/model/event.h"
#include "logbook/model/view_state.h"
#include "logbook/store/journal.h"

namespace logbook::crash {

// Makes an event with the number and run it is given, on the view before it.
using EventMaker = std::function<Event(EventSeq, RunId, const ViewState&)>;

enum class StepKind {
  kAppend,
  kSync,
  kRecordSynced,
  kCheckpoint,
  kReopen,       // after Close
  kReopenDirty,  // without it, as after a failed write
};

struct Step {
  StepKind kind = StepKind::kAppend;
  std::vector<EventMaker> events;  // of one Append
  std::vector<store::BookmarkUpdate> bookmarks;
  store::Fsync fsync = store::Fsync::kNo;
};

std::vector<Step> MakeScript();

// The version a bookmark has after the first `events` events of the script.
std::string BookmarkAfter(uint64_t events);

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_SCRIPT_H_
