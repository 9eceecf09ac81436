// Anchor: a synced position of a store, kept outside of its volume. Only it can tell that a volume
// was emptied, swapped, or put back to an older copy.
//
// The runtime keeps it in the cluster and writes it anew as the journal goes on.
#ifndef LOGBOOK_STORE_ANCHOR_H_
#define LOGBOOK_STORE_ANCHOR_H_

#include <string>
#include <string_view>

#include "logbook/base/status.h"
#include "logbook/store/position.h"

namespace logbook::store {

class Journal;

// A position of the store `uuid`.
struct Anchor {
  std::string uuid;
  Position position;

  friend bool operator==(const Anchor&, const Anchor&) = default;
};

// "uuid run seq chain", one line.
std::string ToString(const Anchor& anchor);

// Reads what ToString wrote. Errors: kInvalidArgument quoting `text`.
absl::StatusOr<Anchor> ParseAnchor(std::string_view text);

// Whether `journal` is the store that `anchor` was taken from, and has all of what it had then.
// Errors: kFailedPrecondition for another store; kDataLoss for an older copy, or one that went
// another way; each with what to do.
absl::Status CheckAnchor(const Journal& journal, const Anchor& anchor);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_ANCHOR_H_
