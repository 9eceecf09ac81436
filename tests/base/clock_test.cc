#include "logbook/base/clock.h"

#include <gtest/gtest.h>

#include "logbook/support/fake_clock.h"

namespace logbook {
namespace {

TEST(ClockTest, MonotonicTimeNeverGoesBack) {
  absl::Duration last = SystemClock().Monotonic();
  for (int i = 0; i < 100'000; ++i) {
    const absl::Duration now = SystemClock().Monotonic();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(ClockTest, WallTimeIsInThisMillennium) {
  EXPECT_GT(SystemClock().Now(), absl::FromUnixSeconds(1'600'000'000));
}

TEST(FakeClockTest, MovesOnlyWhenMoved) {
  FakeClock clock;
  EXPECT_EQ(clock.Now(), FakeClock::Start());
  clock.Advance(absl::Seconds(5));
  EXPECT_EQ(clock.Now(), FakeClock::Start() + absl::Seconds(5));
  EXPECT_EQ(clock.Monotonic(), absl::Seconds(5));
}

}  // namespace
}  // namespace logbook
