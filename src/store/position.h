// Position: a place in a journal, pinned by its chain value; and SYNCED, the text file beside the
// database that names the last position known to be synced. It is at most some seconds old, and
// losing the database's tail cannot take it along: whatever is found later must reach it.
//
// Source:   docs/format.md.
#ifndef LOGBOOK_STORE_POSITION_H_
#define LOGBOOK_STORE_POSITION_H_

#include <optional>
#include <string>

#include "logbook/base/status.h"
#include "logbook/model/ids.h"
#include "logbook/model/record_codec.h"

namespace logbook::store {

// After event `seq`, whose chain value is `chain`; both are zero before the first.
struct Position {
  EventSeq seq;
  RunId run;  // the opening that found or brought the journal there
  Chain chain = {};

  friend bool operator==(const Position&, const Position&) = default;
};

// SYNCED of the store in `directory`; nothing if there is no such file. Errors: kDataLoss naming
// the file if it cannot be understood.
absl::StatusOr<std::optional<Position>> ReadSynced(const std::string& directory);

// Replaces SYNCED; blocks for two fsyncs. Leaves the old one on an error.
absl::Status WriteSynced(const std::string& directory, const Position& position);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_POSITION_H_
