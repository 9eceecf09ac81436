#include "logbook/k8s/files.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace logbook::k8s {
namespace {

constexpr size_t kBytesMax = size_t{4} << 20;

absl::Status ErrorOf(int error, const std::string& path) {
  if (error == ENOENT || error == ENOTDIR) {
    return NotFound(path, ": no such file");
  }
  if (error == EACCES || error == EPERM) {
    return PermissionDenied(path, ": permission denied");
  }
  return InvalidArgument(path, ": ", std::generic_category().message(error));
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "rbe"),
                                                                &std::fclose);
  if (file == nullptr) {
    return ErrorOf(errno, path);
  }
  std::string content;
  char buffer[16 * 1024];
  while (const size_t bytes = std::fread(buffer, 1, sizeof(buffer), file.get())) {
    content.append(buffer, bytes);
    if (content.size() > kBytesMax) {
      return InvalidArgument(path, ": larger than ", kBytesMax, " bytes");
    }
  }
  if (std::ferror(file.get()) != 0) {
    return ErrorOf(errno, path);
  }
  return content;
}

bool FileExists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace logbook::k8s
