#include "logbook/store/manifest.h"

#include <cerrno>

#include "absl/strings/strip.h"
#include <fcntl.h>
#include <unistd.h>

#include "logbook/store/log_fragments.h"
#include "logbook/store/posix_file.h"

namespace logbook::store {
size_t WholeRecordBytes(std::string_view manifest) {
  size_t whole = 0;
  for (const Fragment& fragment : FragmentsOf(manifest)) {
    if (!fragment.whole) {
      break;
    }
    whole = fragment.EndsRecord() ? fragment.end : whole;
  }
  return whole;
}

namespace {

bool IsManifestName(std::string_view name) {
  constexpr std::string_view kPrefix = "MANIFEST-";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         name.find_first_not_of("0123456789", kPrefix.size()) == std::string_view::npos;
}

}  // namespace

absl::StatusOr<bool> CutManifest(const std::string& directory) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string current, ReadFile(directory + "/CURRENT"));
  const std::string_view name = ToStd(absl::StripSuffix(ToAbsl(current), "\n"));
  if (!IsManifestName(name)) {
    return NotFound("CURRENT in ", directory, " names no MANIFEST");
  }
  const std::string path = Concat(directory, "/", name);
  LOGBOOK_ASSIGN_OR_RETURN(const std::string manifest, ReadFile(path));
  const size_t whole = WholeRecordBytes(manifest);
  if (whole == 0 || whole == manifest.size()) {
    return false;
  }
  LOGBOOK_ASSIGN_OR_RETURN(const FileHandle file, OpenFile(path, O_WRONLY));
  if (::ftruncate(file.fd(), static_cast<off_t>(whole)) != 0 || ::fsync(file.fd()) != 0) {
    return FileError("truncate", path, errno);
  }
  return true;
}

}  // namespace logbook::store
