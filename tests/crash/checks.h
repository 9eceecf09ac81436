// What must hold of a store after any fault.
#ifndef LOGBOOK_TESTS_CRASH_CHECKS_H_
#define LOGBOOK_TESTS_CRASH_CHECKS_H_

#include <string>
#include <vector>

#include "session.h"

#include "logbook/base/status.h"
#include "logbook/store/journal.h"

namespace logbook::crash {

// All that a journal says, but for when it was said: runs and wall times are left out.
struct Contents {
  std::vector<std::string> events;  // as records
  std::string view;                 // the fold of them
  std::string objects;              // those in the view, without seqs
  std::string bookmarks;
  bool gap = false;  // a tail was cut off

  friend bool operator==(const Contents&, const Contents&) = default;
};

// The contents of the finished store in `directory`.
absl::StatusOr<Contents> ReadContents(const std::string& directory);

// Sentences about what is wrong; none if all is well.
using Complaints = std::vector<std::string>;

// Every acknowledged event is in the journal, and is the one that was acknowledged. With
// `synced_only` those that were not synced when it ended may be missing.
Complaints CheckAcknowledged(const store::Journal& journal, const std::vector<Acknowledgement>& all,
                             bool synced_only);

// The rows of the state checkpoint, folded on, are the fold of all events.
Complaints CheckRows(const store::Journal& journal);

// What `logbook log verify` says.
Complaints CheckSound(const std::string& directory);

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_CHECKS_H_
