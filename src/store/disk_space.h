// How much room a volume has left.
#ifndef LOGBOOK_STORE_DISK_SPACE_H_
#define LOGBOOK_STORE_DISK_SPACE_H_

#include <cstdint>
#include <string>

#include "logbook/base/status.h"

namespace logbook::store {

// Bytes that this user may still write where `directory` lies. Errors: those of posix_file.h.
absl::StatusOr<uint64_t> FreeBytes(const std::string& directory);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_DISK_SPACE_H_
