// Signals as a stop token: the first SIGINT or SIGTERM asks for a graceful stop, a second one ends
// the process at once with exit code 1.
#ifndef LOGBOOK_CMD_SIGNALS_H_
#define LOGBOOK_CMD_SIGNALS_H_

#include <stop_token>
#include <thread>

namespace logbook::cmd {

// To be made before any other thread, since threads inherit which signals are blocked.
class StopOnSignals {
 public:
  StopOnSignals();
  ~StopOnSignals();

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread thread_;
};

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_SIGNALS_H_
