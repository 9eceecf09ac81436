// Small files of configuration and credentials.
#ifndef LOGBOOK_K8S_FILES_H_
#define LOGBOOK_K8S_FILES_H_

#include <string>

#include "logbook/base/status.h"

namespace logbook::k8s {

// The content of the file at `path`, opened anew, since mounted secrets are swapped by symlink.
// Errors: kNotFound, kPermissionDenied, kInvalidArgument (larger than 4 MiB, a directory),
// all naming the path.
absl::StatusOr<std::string> ReadFile(const std::string& path);

bool FileExists(const std::string& path);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_FILES_H_
