// Backup: a copy of a store, made while it is in use.
//
// Shape:    RocksDB's files at one moment, FORMAT, and SYNCED with a position that had been synced
//           before that. The copy is verified before it gets its name, so a backup that is there is
//           a whole one. On the same file system its table files are second names of the store's:
//           take it elsewhere before you count on it.
// Threads:  Thread-safe: also while the journal is appended to and trimmed.
// Cost:     blocks the caller for a flush and for reading everything once (verify.h); an Append
//           meanwhile waits for the flush only.
#ifndef LOGBOOK_STORE_BACKUP_H_
#define LOGBOOK_STORE_BACKUP_H_

#include <string>

#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/store/journal.h"

namespace logbook::store {

struct BackupReport {
  uint64_t events = 0;  // in the copy
  Position position;    // of the last of them
};

// Copies the store of `journal`, which is open for writing, to `target`. After an error there is no
// `target`. Errors: kAlreadyExists if it is there and not empty; kDataLoss if the copy does not
// verify; those of Journal and of files.
absl::StatusOr<BackupReport> Backup(const Journal& journal, const std::string& target,
                                    const Logger& logger);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_BACKUP_H_
