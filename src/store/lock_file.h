// LOGBOOK_LOCK: at most one process on a store, offline commands included.
//
// RocksDB's own lock does not suffice: it is lost when anything in the process closes the file, and
// names nobody. This is a lock of the open file (F_OFD_SETLK), which goes with this object or with
// the process, and the file says who holds it. Not for NFS.
//
// Threads:  CheckHeld is thread-safe.
#ifndef LOGBOOK_STORE_LOCK_FILE_H_
#define LOGBOOK_STORE_LOCK_FILE_H_

#include <string>

#include "logbook/base/status.h"
#include "logbook/store/posix_file.h"

namespace logbook::store {

class LockFile {
 public:
  // Takes the lock of the store in `directory`, creating the file if need be. Errors:
  // kFailedPrecondition naming the holder's process and host; those of posix_file.h.
  static absl::StatusOr<LockFile> Acquire(const std::string& directory);

  // The same for who only reads. Where the directory may not be written, as on a read-only mount,
  // the lock is a shared one and names nobody; without a lock file there, nothing is locked.
  static absl::StatusOr<LockFile> AcquireForReading(const std::string& directory);

  // Whether the file is still the one that was locked: who removes it lets a second process in.
  // Errors: kFailedPrecondition.
  absl::Status CheckHeld() const;

 private:
  LockFile(FileHandle file, std::string directory);

  FileHandle file_;
  std::string directory_;
};

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_LOCK_FILE_H_
