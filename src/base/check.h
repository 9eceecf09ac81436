// LOGBOOK_CHECK: our own bugs stop the process.
//
// The runtime is event-sourced, so a restart folds the journal back to the truth; going on with a
// broken invariant would write it down. Never use it on bytes from a disk or a wire: those are the
// world's fault and become a Status. The condition does no work.
#ifndef LOGBOOK_BASE_CHECK_H_
#define LOGBOOK_BASE_CHECK_H_

namespace logbook {

// Prints "file:line: check failed: condition" to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace logbook

#define LOGBOOK_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::logbook::CheckFailed(__FILE__, __LINE__, #condition))

#endif  // LOGBOOK_BASE_CHECK_H_
