#include "logbook/store/staged_directory.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "logbook/store/posix_file.h"

namespace logbook::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLostAndFound = "lost+found";

std::string WithoutSlash(std::string directory) {
  while (directory.size() > 1 && directory.ends_with('/')) {
    directory.pop_back();
  }
  return directory;
}

}  // namespace

absl::Status CheckFresh(const std::string& directory) {
  if (directory.empty()) {
    return InvalidArgument("the directory's name is empty");
  }
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found) {
    return absl::OkStatus();
  }
  if (!error && !fs::is_directory(status)) {
    return FileError("use", directory, ENOTDIR);
  }
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().filename() != kLostAndFound) {
      return AlreadyExists(directory, " is not empty, it has ", entry.path().filename().string(),
                           ": name a directory that is not there yet, or an empty one");
    }
  }
  return error ? FileError("list", directory, error.value()) : absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<StagedDirectory>> StagedDirectory::Make(
    const std::string& directory) {
  LOGBOOK_RETURN_IF_ERROR(CheckFresh(directory));
  std::unique_ptr<StagedDirectory> staged(new StagedDirectory(WithoutSlash(directory)));
  std::error_code ignored;
  if (fs::exists(staged->path(), ignored)) {
    staged->published_ = true;  // not ours to remove
    return AlreadyExists(staged->path(), " is left over from an attempt that was interrupted",
                         ": remove it");
  }
  LOGBOOK_RETURN_IF_ERROR(MakeDirectory(staged->path()));
  return staged;
}

StagedDirectory::~StagedDirectory() {
  if (!published_) {
    std::error_code ignored;  // nobody takes it for a store of its name
    fs::remove_all(path_, ignored);
  }
}

absl::Status StagedDirectory::Publish() {
  std::error_code ignored;
  fs::remove(path_ + "/LOGBOOK_LOCK", ignored);
  LOGBOOK_RETURN_IF_ERROR(SyncDirectory(path_));
  LOGBOOK_RETURN_IF_ERROR(Rename(path_, directory_));
  published_ = true;
  return absl::OkStatus();
}

}  // namespace logbook::store
