#include "signals.h"

#include <csignal>
#include <cstdlib>

#include "exit_code.h"
#include <unistd.h>

namespace logbook::cmd {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);  // the terminal was closed
  return signals;
}

}  // namespace

StopOnSignals::StopOnSignals() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a peer that is gone is an error code, not the end
  thread_ = std::jthread([this](const std::stop_token& ending) {
    const sigset_t waited = StopSignals();
    int received = 0;
    while (sigwait(&waited, &received) == 0 && !ending.stop_requested()) {
      if (stop_.stop_requested()) {
        _exit(kExitError);
      }
      stop_.request_stop();
    }
  });
}

StopOnSignals::~StopOnSignals() {
  thread_.request_stop();
  // The signal is blocked, so it ends the thread's sigwait, and nothing else.
  // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread)
  pthread_kill(thread_.native_handle(), SIGTERM);
}

}  // namespace logbook::cmd
