// Import, its first half: an export becomes the rows of a store. The other half folds them
// (reconcile/import_store.h). Private to that.
//
// Shape:    of a whole export records are written as they are. In a slice, a Gap event stands in
//           the place of each event that is not in it, and the chain is made anew.
// Errors:   those of ExportReader; kDataLoss for a dictionary that cannot be used.
#ifndef LOGBOOK_STORE_IMPORT_ROWS_H_
#define LOGBOOK_STORE_IMPORT_ROWS_H_

#include <string>

#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/store/export_reader.h"
#include "logbook/store/position.h"

namespace logbook::store {

// Reads `reader` to its end and makes a store in the empty `directory`: its database, SYNCED, and
// at last FORMAT, with a new uuid and an operator's name that no operator has. It has no state
// checkpoint and no rows of history but those of kept records. Returns its last position.
absl::StatusOr<Position> ImportRows(ExportReader& reader, const std::string& directory,
                                    const Logger& logger);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_IMPORT_ROWS_H_
