// The whole sweeps, in shares that each fit a test's time. Minutes; `make test-full` runs them.
#include "power_cut.h"
#include "sweep_test.h"

#include "logbook/support/seed.h"

namespace logbook::crash {
namespace {

constexpr uint64_t kShares = 8;

std::string NameOfShare(const ::testing::TestParamInfo<uint64_t>& info) {
  return "Share" + std::to_string(info.param);
}

class KillCampaign : public SweepTest, public ::testing::WithParamInterface<uint64_t> {
 protected:
  static Share Mine(uint64_t points_max = 0) {
    return {.part = GetParam(), .parts = kShares, .points_max = points_max};
  }
};

TEST_P(KillCampaign, AtEveryCall) {
  Sweep sweep;
  KillEverywhere(sweep, Mine());
  sweep.Finish("kill", 100);
}

TEST_P(KillCampaign, WithinEveryWrite) {
  Sweep sweep;
  KillWithinWrites(sweep, Mine());
  sweep.Finish("kill within a write", 50);
}

TEST_P(KillCampaign, WhileRecovering) {
  Sweep sweep;
  KillWhileRecovering(sweep, Mine());
  sweep.Finish("kill while recovering", 50);
}

// With every event synced, the log is written and synced by turns.
TEST_P(KillCampaign, WithStrictDurability) {
  Sweep sweep(true);
  KillEverywhere(sweep, Mine(400));
  sweep.Finish("kill, strict", 40);
}

INSTANTIATE_TEST_SUITE_P(All, KillCampaign, ::testing::Range(uint64_t{0}, kShares), NameOfShare);

class PowerCampaign : public SweepTest, public ::testing::WithParamInterface<uint64_t> {};

TEST_P(PowerCampaign, AtEverySync) {
  PowerCuts cuts(TestSeed());
  ForEachSync([&](const Moment& moment) {
    if (moment.sync % kShares == GetParam()) {
      cuts.CutAt(moment);
    }
  });
  cuts.Finish(300);
}

INSTANTIATE_TEST_SUITE_P(All, PowerCampaign, ::testing::Range(uint64_t{0}, kShares), NameOfShare);

class ErrorCampaign : public SweepTest, public ::testing::WithParamInterface<Failure> {};

TEST_P(ErrorCampaign, Once) {
  // Each sync is a promise of its own; reads and writes are alike.
  const bool sync = GetParam().call == "fsync" || GetParam().call == "fdatasync";
  Sweep sweep;
  FailOnce(sweep, GetParam(), {.points_max = sync ? uint64_t{0} : uint64_t{60}});
  sweep.Finish(NameOf(GetParam()) + " once", 1);
}

TEST_P(ErrorCampaign, FromThenOn) {
  Sweep sweep;
  FailFromThenOn(sweep, GetParam(), {.points_max = 30});
  sweep.Finish(NameOf(GetParam()) + " from then on", 1);
}

INSTANTIATE_TEST_SUITE_P(EveryCall, ErrorCampaign, ::testing::ValuesIn(Failures()),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace logbook::crash
