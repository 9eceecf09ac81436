#include "logbook/store/disk_space.h"

#include <cerrno>

#include <sys/statvfs.h>

#include "logbook/store/posix_file.h"

namespace logbook::store {

absl::StatusOr<uint64_t> FreeBytes(const std::string& directory) {
  struct statvfs volume = {};
  if (statvfs(directory.c_str(), &volume) != 0) {
    return FileError("ask for the free space of", directory, errno);
  }
  return uint64_t{volume.f_bavail} * volume.f_frsize;
}

}  // namespace logbook::store
