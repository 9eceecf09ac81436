#include "logbook/k8s/subprocess.h"

#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "logbook/support/status_matchers.h"

namespace logbook::k8s {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Code = absl::StatusCode;

Subprocess Shell(std::string script) {
  return {.argv = {"sh", "-c", std::move(script)}, .env = {}};
}

TEST(SubprocessTest, GivesWhatTheProgramPrints) {
  EXPECT_EQ(*RunSubprocess(Shell("printf one; printf two")), "onetwo");
}

TEST(SubprocessTest, TheEnvironmentIsExactlyWhatIsGiven) {
  Subprocess env{.argv = {"env"}, .env = {"A=1", "B=2"}};
  EXPECT_EQ(*RunSubprocess(env), "A=1\nB=2\n");
}

TEST(SubprocessTest, NothingButTheStandardStreamsIsOpenInIt) {
  const int leaked = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  // 3 is the directory that ls reads.
  EXPECT_EQ(*RunSubprocess({.argv = {"ls", "/proc/self/fd"}, .env = {}}), "0\n1\n2\n3\n");
  close(leaked);
}

TEST(SubprocessTest, LargeOutputIsWholeAndTooLargeIsRefused) {
  EXPECT_EQ(RunSubprocess(Shell("head -c 500000 /dev/zero"))->size(), 500'000u);
  EXPECT_THAT(RunSubprocess(Shell("head -c 5000000 /dev/zero")), StatusIs(Code::kInvalidArgument));
}

TEST(SubprocessTest, FailureIsNamed) {
  EXPECT_THAT(RunSubprocess(Shell("exit 3")),
              StatusIs(Code::kUnavailable, HasSubstr("sh: ended with exit code 3")));
  EXPECT_THAT(RunSubprocess(Shell("kill -9 $$")),
              StatusIs(Code::kUnavailable, HasSubstr("signal 9")));
  EXPECT_THAT(RunSubprocess({.argv = {"no-such-program"}, .env = {}}), StatusIs(Code::kNotFound));
}

TEST(SubprocessTest, DeadlineKillsItWithItsChildren) {
  Subprocess slow = Shell("sleep 1000 & sleep 1000");
  slow.timeout = absl::Milliseconds(50);
  EXPECT_THAT(RunSubprocess(slow), StatusIs(Code::kDeadlineExceeded));
}

TEST(SubprocessTest, StopKillsIt) {
  std::stop_source stop;
  Subprocess slow = Shell("sleep 1000");
  slow.stop = stop.get_token();
  std::jthread running([&] { EXPECT_THAT(RunSubprocess(slow), StatusIs(Code::kCancelled)); });
  stop.request_stop();
}

TEST(SubprocessTest, DoesNotWaitForWhatItLeavesRunning) {
  EXPECT_EQ(*RunSubprocess(Shell("sleep 5 2>/dev/null & echo done")), "done\n");
}

}  // namespace
}  // namespace logbook::k8s
