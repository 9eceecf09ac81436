// The one place where a rocksdb::Status becomes one of ours.
#ifndef LOGBOOK_STORE_ROCKSDB_STATUS_H_
#define LOGBOOK_STORE_ROCKSDB_STATUS_H_

#include <string_view>

#include "logbook/base/status.h"

namespace rocksdb {
class Status;
}  // namespace rocksdb

namespace logbook::store {

// `status`, naming `directory` and what to do:
//   kNotFound            no such row
//   kDataLoss            bytes on disk contradict themselves
//   kResourceExhausted   the disk is full
//   kPermissionDenied    the directory may not be written
//   kFailedPrecondition  another process holds the database, or it does not fit this build
//   kUnavailable         any other I/O error: close and open again
// `damage` says more about a kDataLoss than RocksDB's own text does, if not empty.
absl::Status FromRocksDb(const rocksdb::Status& status, std::string_view directory,
                         std::string_view damage = "");

// How messages of kDataLoss end.
inline constexpr std::string_view kRestoreAdvice =
    ": see logbook log verify, then restore it from a copy of all its files";

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_ROCKSDB_STATUS_H_
