#include "logbook/base/wait.h"

#include <thread>

#include <gtest/gtest.h>

namespace logbook {
namespace {

TEST(WaitTest, ElapsesUnlessStopped) {
  EXPECT_TRUE(WaitFor(absl::Milliseconds(1), {}));
}

TEST(WaitTest, StopEndsTheWaitAtOnce) {
  std::stop_source stop;
  std::jthread waiting([&] { EXPECT_FALSE(WaitFor(absl::Hours(1), stop.get_token())); });
  stop.request_stop();
}

}  // namespace
}  // namespace logbook
