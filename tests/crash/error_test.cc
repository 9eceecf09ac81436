// Calls that fail: the driver ends with words about it, or survives it, and the next start finds
// everything that was acknowledged.
#include "sweep_test.h"

namespace logbook::crash {
namespace {

class ErrorTest : public SweepTest, public ::testing::WithParamInterface<Failure> {};

TEST_P(ErrorTest, IsToldOrSurvived) {
  Sweep sweep;
  FailOnce(sweep, GetParam(), {.points_max = 4});
  FailFromThenOn(sweep, GetParam(), {.points_max = 2});
  sweep.Finish(NameOf(GetParam()), 1);
}

INSTANTIATE_TEST_SUITE_P(EveryCall, ErrorTest, ::testing::ValuesIn(Failures()),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace logbook::crash
