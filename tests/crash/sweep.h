// Sweep: many trials of one kind. A trial runs the script with faults, then undisturbed, and looks
// at what is left.
#ifndef LOGBOOK_TESTS_CRASH_SWEEP_H_
#define LOGBOOK_TESTS_CRASH_SWEEP_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference.h"
#include "supervisor.h"

namespace logbook::crash {

// The `nth` call named `call` meets `deed`; an empty name is any call that changes something.
struct Fault {
  Deed deed = Deed::kKill;
  std::string call;
  uint64_t nth = 1;
  int error = 0;        // of kFail
  bool sticky = false;  // and so do all after it

  std::string ToString() const;
};

// Counts calls and answers as one fault wants it. Confined.
class FaultJudge {
 public:
  explicit FaultJudge(const Fault& fault) : fault_(fault) {}

  Answer operator()(const Call& call);

  bool delivered() const { return delivered_; }

  // What it met: "write of 000004.log".
  const std::string& where() const { return where_; }

 private:
  const Fault fault_;
  uint64_t seen_ = 0;
  bool delivered_ = false;
  std::string where_;
};

// Numbers from 1 to `last`, at most `count` of them, evenly; 0: all.
std::vector<uint64_t> Sample(uint64_t last, uint64_t count);

class Sweep {
 public:
  // Runs the script undisturbed, to know what there is to disturb.
  explicit Sweep(bool strict = false);

  // How often an undisturbed session makes each call, and under "" how often it changes something.
  const std::map<std::string, uint64_t>& calls() const { return calls_; }

  // The driver is run once with each of `faults`, on one store, and then undisturbed. The trial
  // counts if all of them were delivered. Violations are test failures.
  void Try(const std::vector<Fault>& faults);

  int effective() const { return effective_; }

  // Prints "N effective faults of M, V violations"; fails unless N is at least `effective_min`.
  void Finish(const std::string& name, int effective_min) const;

 private:
  Ending Run(const Workplace& place, const Fault& fault, bool& delivered);
  void Violated(const std::string& trial, const std::string& what);

  const bool strict_;
  const Reference reference_;
  std::map<std::string, uint64_t> calls_;
  std::map<std::string, int> met_;  // how often each call was
  int tried_ = 0;
  int effective_ = 0;
  int violations_ = 0;
};

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_SWEEP_H_
