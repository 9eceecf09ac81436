#include "logbook/base/check.h"

#include <gtest/gtest.h>

namespace logbook {
namespace {

TEST(CheckDeathTest, FalseStopsTheProcessAndNamesTheCondition) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int queued = 2;
  EXPECT_DEATH(LOGBOOK_CHECK(queued == 3), "check_test.cc:[0-9]+: check failed: queued == 3");
}

TEST(CheckTest, TrueGoesOn) {
  LOGBOOK_CHECK(true);
  SUCCEED();
}

TEST(CheckTest, EvaluatesItsConditionOnce) {
  int calls = 0;
  LOGBOOK_CHECK(++calls > 0);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace logbook
