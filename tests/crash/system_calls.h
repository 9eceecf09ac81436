// The system calls on files that a store is made of, and the filter by which a process has another
// one asked before each of them.
//
// Why:      strace injects faults too, but counts calls per thread, so that the threads which write
//           tables are hardly ever hit, and costs more than the rest of a trial. The kernel's user
//           notification for seccomp (Linux 5.5) needs neither a tracer nor any right.
#ifndef LOGBOOK_TESTS_CRASH_SYSTEM_CALLS_H_
#define LOGBOOK_TESTS_CRASH_SYSTEM_CALLS_H_

#include <span>
#include <string_view>

namespace logbook::crash {

struct SystemCall {
  std::string_view name;
  int number;
  int argument;  // the one that tells the file
  bool by_path;  // it is a path, else a descriptor
  bool changes;  // files, or whether they survive a power cut
};

std::span<const SystemCall> FileCalls();

// Where the driver finds the socket to its supervisor.
inline constexpr int kSupervisorSocket = 3;

// From here on the file calls of this process, threads to come included, wait for an answer of
// whoever holds the descriptor that is sent through `socket`. False if the kernel does not permit
// it; the reason is on standard error.
bool AskBeforeFileCalls(int socket);

// The descriptor that AskBeforeFileCalls sent; -1 if the other side has gone.
int ReceiveListener(int socket);

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_SYSTEM_CALLS_H_
