// Runs the driver, and decides before each system call of its store what becomes of it: it goes
// on, fails, or the process is killed there, as `kill -9` does.
#ifndef LOGBOOK_TESTS_CRASH_SUPERVISOR_H_
#define LOGBOOK_TESTS_CRASH_SUPERVISOR_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include <sys/types.h>

namespace logbook::crash {

// A system call that is about to happen; its thread waits.
struct Call {
  std::string_view name;
  std::string path;      // of the file
  bool changes = false;  // files, or whether they survive a power cut
  pid_t process = 0;
  std::array<uint64_t, 6> arguments = {};
};

enum class Deed {
  kGoOn,
  kFail,         // the call is not made, and returns `error`
  kKill,         // the process ends before it
  kTearAndKill,  // the process ends in the middle of a write
};

struct Answer {
  Deed deed = Deed::kGoOn;
  int error = 0;
};

// Asked before each call, in the order of calls; other threads of the driver may be running.
using Judge = absl::FunctionRef<Answer(const Call&)>;

// Where one driver works.
struct Workplace {
  std::string directory;

  // What the judge is asked about; the store is in it.
  std::string disk() const { return directory + "/disk"; }

  std::string store() const { return disk() + "/store"; }

  std::string acknowledgements() const { return directory + "/acknowledgements"; }

  std::string errors() const { return directory + "/errors"; }  // of the last driver
};

// How a process ended.
struct Ending {
  int status = -1;  // exit status; -1: by a signal
  int signal = 0;
  std::string errors;  // what it said

  bool done() const { return status == 0; }

  std::string ToString() const;
};

struct DriverOptions {
  Workplace workplace;
  bool strict = false;  // every event is synced
  bool trim = false;    // in place of the script: trims the store as far as it goes
};

Ending RunDriver(const DriverOptions& options);
Ending RunDriver(const DriverOptions& options, Judge judge);

// Why the driver cannot be supervised here; empty if it can.
std::string WhyNotSupervised();

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_SUPERVISOR_H_
