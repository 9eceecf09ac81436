// StagedDirectory: a directory that is made under a temporary name, and gets its own once it is
// whole. Private to who makes stores out of others.
//
// Errors:   kAlreadyExists if the directory is there and not empty, or what an earlier attempt
// left. Threads:  Confined.
#ifndef LOGBOOK_STORE_STAGED_DIRECTORY_H_
#define LOGBOOK_STORE_STAGED_DIRECTORY_H_

#include <memory>
#include <string>

#include "logbook/base/status.h"

namespace logbook::store {

class StagedDirectory {
 public:
  // Makes `directory`.tmp, with its parents.
  static absl::StatusOr<std::unique_ptr<StagedDirectory>> Make(const std::string& directory);

  // Removes what was not published, as far as that goes.
  ~StagedDirectory();

  // Where to build it.
  const std::string& path() const { return path_; }

  // Gives it its name, for good. Nobody may have a file of it open. The lock file stays behind.
  absl::Status Publish();

 private:
  explicit StagedDirectory(std::string directory)
      : directory_(std::move(directory)), path_(directory_ + ".tmp") {}

  const std::string directory_;
  const std::string path_;
  bool published_ = false;
};

// OK if `directory` is not there, or empty but for what a new file system has in it. Errors:
// kAlreadyExists saying what to do; those of posix_file.h.
absl::Status CheckFresh(const std::string& directory);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_STAGED_DIRECTORY_H_
