// kill -9 at some of the calls that change a file of the store, on any thread; the campaign has
// all of them.
#include "sweep_test.h"

namespace logbook::crash {
namespace {

class KillTest : public SweepTest {};

TEST_F(KillTest, AtACallLosesNothingAcknowledged) {
  Sweep sweep;
  KillEverywhere(sweep, {.points_max = 90});
  sweep.Finish("kill", 80);
}

TEST_F(KillTest, WithinAWriteLosesNothingAcknowledged) {
  Sweep sweep;
  KillWithinWrites(sweep, {.points_max = 40});
  sweep.Finish("kill within a write", 35);
}

TEST_F(KillTest, AgainWhileRecoveringLosesNothingAcknowledged) {
  Sweep sweep;
  KillWhileRecovering(sweep, {.points_max = 30});
  sweep.Finish("kill while recovering", 25);
}

}  // namespace
}  // namespace logbook::crash
