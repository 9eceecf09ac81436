// Care for a journal that nobody uses: what `logbook log compact` does.
#ifndef LOGBOOK_RECONCILE_COMPACT_H_
#define LOGBOOK_RECONCILE_COMPACT_H_

#include <optional>
#include <string>

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/reconcile/retention.h"
#include "logbook/reconcile/trimmer.h"

namespace logbook::reconcile {

struct CompactOptions {
  std::string directory;
  RetentionPolicy retention;
  std::optional<EventSeq> before;  // trims the events before this one, whatever their age
  Logger logger;
};

// Opens the store for writing, writes a state checkpoint, trims, and gives back the space. Errors:
// those of store::Journal::Open and of writing.
absl::StatusOr<TrimReport> CompactStore(const CompactOptions& options, const Clock& clock);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_COMPACT_H_
