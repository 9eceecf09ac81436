// TempDir: a directory of a test's own, removed with it.
#ifndef LOGBOOK_SUPPORT_TEMP_DIR_H_
#define LOGBOOK_SUPPORT_TEMP_DIR_H_

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "logbook/base/check.h"

namespace logbook {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "logbook-test-XXXXXX").string();
    LOGBOOK_CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }

  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

  // The path of `name` in it.
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace logbook

#endif  // LOGBOOK_SUPPORT_TEMP_DIR_H_
