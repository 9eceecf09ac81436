// Child processes: run to the end, or in the background.
#ifndef LOGBOOK_TESTS_E2E_SUPPORT_PROCESS_H_
#define LOGBOOK_TESTS_E2E_SUPPORT_PROCESS_H_

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace logbook::e2e {

struct ProcessOptions {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // added to ours
  std::string input;                       // RunProcess: standard input
  std::string log;                         // BackgroundProcess: standard error is appended to it
};

struct ProcessResult {
  int exit_code = -1;  // 128 + signal if one ended it
  std::string out;
  std::string err;

  bool ok() const { return exit_code == 0; }
};

ProcessResult RunProcess(const ProcessOptions& options);

// Ends the process with SIGKILL when it goes out of scope.
class BackgroundProcess {
 public:
  explicit BackgroundProcess(const ProcessOptions& options);
  ~BackgroundProcess();
  BackgroundProcess(const BackgroundProcess&) = delete;

  void Signal(int signal) const;
  bool Running();
  // Waits for its end, a minute at most: then it is ended with SIGABRT. Returns as
  // ProcessResult::exit_code.
  int Wait();

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
  bool ended_ = false;
  int exit_code_ = -1;
};

}  // namespace logbook::e2e

#endif  // LOGBOOK_TESTS_E2E_SUPPORT_PROCESS_H_
