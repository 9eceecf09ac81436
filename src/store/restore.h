// Restore: makes a store of a backup, or of any whole copy of a store.
//
// Shape:    the files are copied; then the store gets a uuid of its own, loses its bookmarks, so
//           that every stream lists anew, and a Gap event says from where on history is missing.
//           FORMAT, which comes last, names the store it came from: as long as nothing ran on it,
//           it may take the place of the stores that the cluster remembers
//           (reconcile/anchor_keeper.h).
// Why in place, not by a rename: the directory is mostly where a volume is mounted. Without FORMAT
//           a database is refused, so what was cut short is not taken for a store, nor for none.
#ifndef LOGBOOK_STORE_RESTORE_H_
#define LOGBOOK_STORE_RESTORE_H_

#include <string>

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/store/format_file.h"
#include "logbook/store/position.h"

namespace logbook::store {

struct RestoreReport {
  StoreFormat format;  // of the new store
  EventSeq last;       // event of the backup
};

// Makes a store in `directory`, which must not be there, or be empty. The backup is verified first,
// and stays as it is but for its lock file. After an error nothing of it is left in `directory`.
// Errors: kAlreadyExists; kDataLoss if the backup does not verify; those of files.
absl::StatusOr<RestoreReport> Restore(const std::string& backup, const std::string& directory,
                                      const Clock& clock, const Logger& logger);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_RESTORE_H_
