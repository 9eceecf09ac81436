#include "logbook/store/anchor.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

#include "logbook/store/journal.h"

namespace logbook::store {

std::string ToString(const Anchor& anchor) {
  return Concat(anchor.uuid, " ", anchor.position.run.value, " ", anchor.position.seq.value, " ",
                ToHex(anchor.position.chain));
}

absl::StatusOr<Anchor> ParseAnchor(std::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), ' ');
  Anchor anchor;
  if (parts.size() == 4 && !parts[0].empty() &&
      absl::SimpleAtoi(parts[1], &anchor.position.run.value) &&
      absl::SimpleAtoi(parts[2], &anchor.position.seq.value)) {
    const absl::StatusOr<Chain> chain = ChainFromHex(parts[3]);
    if (chain.ok()) {
      anchor.uuid = parts[0];
      anchor.position.chain = *chain;
      return anchor;
    }
  }
  return InvalidArgument("\"", text, "\" is not an anchor: uuid run seq chain");
}

absl::Status CheckAnchor(const Journal& journal, const Anchor& anchor) {
  const Position& named = anchor.position;
  const std::string store = Concat("store ", journal.directory());
  if (anchor.uuid != journal.format().uuid) {
    return FailedPrecondition(store, " is ", journal.format().uuid, ", its anchor names store ",
                              anchor.uuid, ": mount the volume of that store");
  }
  if (named.seq > journal.last() || named.run > journal.run()) {
    return DataLoss(store, " is an older copy: it ends at event ", journal.last().value, " of run ",
                    journal.run().value, ", its anchor names event ", named.seq.value, " of run ",
                    named.run.value, ": mount the newest copy");
  }
  const Position watermark = journal.watermark();
  if (named.seq < watermark.seq || named.seq == EventSeq(0)) {
    return absl::OkStatus();  // trimmed since: nothing is left to compare it with
  }
  Chain chain = watermark.chain;
  if (named.seq > watermark.seq) {
    LOGBOOK_ASSIGN_OR_RETURN(const std::string record, journal.GetRecord(named.seq));
    LOGBOOK_ASSIGN_OR_RETURN(chain, ChainOf(record));
  }
  if (chain != named.chain) {
    return DataLoss(store, ": event ", named.seq.value,
                    " is not the one its anchor names: this copy went another way; mount the one "
                    "that was used last");
  }
  return absl::OkStatus();
}

}  // namespace logbook::store
