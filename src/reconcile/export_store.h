// Export: a journal, or a slice of it, to one file; what `logbook log export` does.
//
// Nothing is hidden on the way: what is sensitive never came into the journal (model/redactor.h).
//
// Threads:  Thread-safe, also while the journal is appended to; trimming beyond what is still to be
//           read ends it with kOutOfRange.
// Cost:     some 10 µs per event from the watermark on.
// Source:   docs/format.md, "Exports".
#ifndef LOGBOOK_RECONCILE_EXPORT_STORE_H_
#define LOGBOOK_RECONCILE_EXPORT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/model/ids.h"
#include "logbook/model/object_key.h"

namespace logbook::store {
class Journal;
}

namespace logbook::reconcile {

// `since` and `not_before` move the start back to the end of a block at which no list was in
// progress. With neither, everything after the watermark is exported.
struct ExportOptions {
  std::optional<EventSeq> since;         // the first event that must be in it
  std::optional<absl::Time> not_before;  // events from then on must be in it, as far as they exist
  std::optional<ObjectRef> object;       // a slice: whom it is about; its uid is not looked at
  std::string version;                   // of the program
};

struct ExportReport {
  EventSeq first;
  EventSeq last;         // first - 1: there is none
  uint64_t events = 0;   // in the file
  uint64_t objects = 0;  // of the base
  uint64_t bytes = 0;
};

// Errors: kOutOfRange if `since` was trimmed or is not there yet; kNotFound if a slice would have
// no event; kAlreadyExists if there is such a file; those of the journal and of files.
absl::StatusOr<ExportReport> ExportStore(const store::Journal& journal, const std::string& file,
                                         const ExportOptions& options);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_EXPORT_STORE_H_
