#include "logbook/base/backoff.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "logbook/support/seed.h"

namespace logbook {
namespace {

TEST(KeyBackoffTest, DoublesFromOneSecondToOneMinute) {
  struct Case {
    int failures;
    int seconds;
  };

  const Case cases[] = {{std::numeric_limits<int>::min(), 0},
                        {-1, 0},
                        {0, 0},
                        {1, 1},
                        {2, 2},
                        {3, 4},
                        {4, 8},
                        {5, 16},
                        {6, 32},
                        {7, 60},
                        {8, 60},
                        {32, 60},
                        {33, 60},
                        {1000, 60},
                        {std::numeric_limits<int>::max(), 60}};
  for (const Case& c : cases) {
    EXPECT_EQ(KeyBackoff(c.failures), absl::Seconds(c.seconds)) << c.failures << " failures";
  }
}

TEST(ConnectionBackoffTest, WaitsLieAroundTheMean) {
  const double means[] = {0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30};
  ConnectionBackoff backoff({}, TestSeed());
  for (double mean : means) {
    const double wait = absl::ToDoubleSeconds(backoff.Next());
    EXPECT_GE(wait, mean * 0.5);
    EXPECT_LT(wait, mean * 1.5 + 1e-6);
  }
}

TEST(ConnectionBackoffTest, StaysAtTheLongestWaitForEver) {
  ConnectionBackoff backoff({}, TestSeed());
  for (int i = 0; i < 100'000; ++i) {
    const absl::Duration wait = backoff.Next();
    ASSERT_GT(wait, absl::ZeroDuration());
    ASSERT_LE(wait, absl::Seconds(45));
  }
}

TEST(ConnectionBackoffTest, ResetStartsAgain) {
  ConnectionBackoff backoff({}, TestSeed());
  for (int i = 0; i < 10; ++i) {
    backoff.Next();
  }
  backoff.Reset();
  EXPECT_LT(backoff.Next(), absl::Milliseconds(1201));
}

TEST(ConnectionBackoffTest, SameSeedSameWaits) {
  const uint64_t seed = TestSeed();
  ConnectionBackoff a({}, seed);
  ConnectionBackoff b({}, seed);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(a.Next(), b.Next());
  }
}

TEST(ConnectionBackoffTest, OptionsAreHonoured) {
  ConnectionBackoff backoff({.initial = absl::Seconds(2), .factor = 3.0, .max = absl::Seconds(10)},
                            TestSeed());
  for (double mean : {2.0, 6.0, 10.0, 10.0}) {
    const double wait = absl::ToDoubleSeconds(backoff.Next());
    EXPECT_GE(wait, mean * 0.5);
    EXPECT_LT(wait, mean * 1.5 + 1e-6);
  }
}

}  // namespace
}  // namespace logbook
