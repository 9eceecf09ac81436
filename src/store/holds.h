// Holds: people's orders to keep the events from some seq on, whatever retention says.
//
// Threads:  as Journal; PutHold and RemoveHold confined to one thread at a time.
#ifndef LOGBOOK_STORE_HOLDS_H_
#define LOGBOOK_STORE_HOLDS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/store/journal.h"

namespace logbook::store {

struct Hold {
  std::string name;  // "case-4711"; unique
  EventSeq from;     // the first event that is kept
  std::string who;
  std::string why;
  absl::Time at;

  friend bool operator==(const Hold&, const Hold&) = default;
};

// By name. Errors: those of Journal.
absl::StatusOr<std::vector<Hold>> ReadHolds(const Journal& journal);

// Adds the hold, synced. Errors: kInvalidArgument without name or reason; kAlreadyExists;
// kOutOfRange if event `from` was trimmed already.
absl::Status PutHold(Journal& journal, const Hold& hold);

// Errors: kNotFound.
absl::Status RemoveHold(Journal& journal, const std::string& name);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_HOLDS_H_
