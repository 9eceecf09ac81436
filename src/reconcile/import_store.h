// Import: an export becomes a store for offline work; what `logbook log import` does.
//
// Shape:    made beside the directory and verified before it gets its name, so it is there whole or
//           not at all. It has a uuid of its own and is of operator "import of …", which no manager
//           is, so that nobody runs on it. Streams have no bookmarks, holds are left out. Of a
//           slice the events keep their numbers, and Gap events stand for the others.
// Cost:     some 40 µs per event.
#ifndef LOGBOOK_RECONCILE_IMPORT_STORE_H_
#define LOGBOOK_RECONCILE_IMPORT_STORE_H_

#include <cstdint>
#include <string>

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/model/ids.h"

namespace logbook::reconcile {

struct ImportOptions {
  std::string file;
  std::string directory;  // not there yet, or empty
  Logger logger;
};

struct ImportReport {
  EventSeq first;
  EventSeq last;
  std::string uuid;           // of the new store
  std::string operator_name;  // of the same
};

// Errors: kAlreadyExists for a directory with something in it; those of store::ExportReader;
// kDataLoss if what the file holds makes no sound store. After an error there is no store.
absl::StatusOr<ImportReport> ImportStore(const ImportOptions& options, const Clock& clock);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_IMPORT_STORE_H_
