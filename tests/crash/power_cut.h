// Power cuts: at sync after sync of one session, what the disk may hold then is opened.
#ifndef LOGBOOK_TESTS_CRASH_POWER_CUT_H_
#define LOGBOOK_TESTS_CRASH_POWER_CUT_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "checks.h"
#include "disk_model.h"
#include "reference.h"
#include "scratch.h"

namespace logbook::crash {

// The moment before a sync.
struct Moment {
  uint64_t sync = 0;  // its number
  std::string what;   // "fdatasync of 000004.log"
  const DiskModel& disk;
  std::vector<Acknowledgement> acknowledged;  // until then
};

// Runs the script once and calls `look` before each sync, while the driver waits. Returns the
// number of syncs; fails if the driver did not end well.
uint64_t ForEachSync(const std::function<void(const Moment&)>& look);

// Cuts the power at one moment after the other, in every way.
class PowerCuts {
 public:
  explicit PowerCuts(uint64_t seed) : random_(seed) {}

  void CutAt(const Moment& moment);

  // Prints "N cuts, V violations, …"; fails unless N is at least `cuts_min`.
  void Finish(int cuts_min) const;

 private:
  Complaints CutOnce(const Moment& moment, const Cut& cut);
  Complaints CheckOpened(const store::Journal& journal, const Moment& moment);
  Complaints CheckFinished(const Workplace& place) const;

  const Reference reference_;
  std::mt19937_64 random_;
  int cuts_ = 0;
  int gaps_ = 0;
  int shortened_ = 0;  // acknowledged events were lost, none of them synced
  int finished_ = 0;
  int violations_ = 0;
};

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_POWER_CUT_H_
