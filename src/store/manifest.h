// The end of a MANIFEST, RocksDB's list of its table and log files, that a power cut has spoiled.
//
// RocksDB forgives a MANIFEST that ends within a record, but refuses one whose last record, not
// synced yet, is there with other bytes. What that record takes away is deleted only once it is
// synced, so without it the database is what it was before.
#ifndef LOGBOOK_STORE_MANIFEST_H_
#define LOGBOOK_STORE_MANIFEST_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "logbook/base/status.h"

namespace logbook::store {

// Bytes of `manifest` up to which it consists of whole records.
size_t WholeRecordBytes(std::string_view manifest);

// Cuts the MANIFEST of the database in `directory` behind its last whole record, and says whether
// it did: nothing is to be cut if there is none, or all are whole. Whether what is left suffices is
// for the caller to find out, on a copy: tables that a cut record names are then missing, and
// whatever was in them. Errors: those of posix_file.h; kNotFound
// also if CURRENT names none.
absl::StatusOr<bool> CutManifest(const std::string& directory);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_MANIFEST_H_
