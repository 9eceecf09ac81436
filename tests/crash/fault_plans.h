// What is injected where: the sweeps that crash_test makes in part and crash_campaign_test as a
// whole. A share is one of several equal parts of a sweep, so that each fits a test's time.
#ifndef LOGBOOK_TESTS_CRASH_FAULT_PLANS_H_
#define LOGBOOK_TESTS_CRASH_FAULT_PLANS_H_

#include <ostream>
#include <string>
#include <vector>

#include "sweep.h"

namespace logbook::crash {

struct Share {
  uint64_t part = 0;  // of `parts`
  uint64_t parts = 1;
  uint64_t points_max = 0;  // of the whole sweep; 0: all there are
};

// kill -9 before every call that changes something.
void KillEverywhere(Sweep& sweep, const Share& share);

// kill -9 with half of a write done, at every write.
void KillWithinWrites(Sweep& sweep, const Share& share);

// kill -9, and again at each change that the next start makes until it has recovered.
void KillWhileRecovering(Sweep& sweep, const Share& share);

// A call that fails, once or from then on.
struct Failure {
  std::string call;
  int error = 0;
  std::string name;  // of the error, for the test's name
};

// "write_EIO"
inline std::string NameOf(const Failure& failure) {
  return failure.call + "_" + failure.name;
}

// How GoogleTest prints it.
inline void PrintTo(const Failure& failure, std::ostream* out) {
  *out << NameOf(failure);
}

const std::vector<Failure>& Failures();

void FailOnce(Sweep& sweep, const Failure& failure, const Share& share);
void FailFromThenOn(Sweep& sweep, const Failure& failure, const Share& share);

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_FAULT_PLANS_H_
