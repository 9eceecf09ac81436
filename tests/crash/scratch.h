// Where trials have their files: in memory if the system has a place for that, as thousands of
// them sync hundreds of times each, and what is tested here are our files, not the disk's promise.
#ifndef LOGBOOK_TESTS_CRASH_SCRATCH_H_
#define LOGBOOK_TESTS_CRASH_SCRATCH_H_

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "supervisor.h"
#include <unistd.h>

#include "logbook/base/check.h"

namespace logbook::crash {

// A directory of its own, removed with it.
class Scratch {
 public:
  Scratch() {
    const bool memory = ::access("/dev/shm", W_OK | X_OK) == 0;
    const std::string parent =
        memory ? "/dev/shm" : std::filesystem::temp_directory_path().string();
    std::string pattern = parent + "/logbook-crash-XXXXXX";
    LOGBOOK_CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    std::filesystem::create_directory(workplace().disk());
  }

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

  Workplace workplace() const { return {.directory = path_}; }

 private:
  std::string path_;
};

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_SCRATCH_H_
