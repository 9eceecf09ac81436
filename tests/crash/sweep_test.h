// The fixture of tests that make a sweep.
#ifndef LOGBOOK_TESTS_CRASH_SWEEP_TEST_H_
#define LOGBOOK_TESTS_CRASH_SWEEP_TEST_H_

#include <string>

#include "fault_plans.h"
#include <gtest/gtest.h>

namespace logbook::crash {

class SweepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNotSupervised(); !why.empty()) {
      GTEST_SKIP() << why;
    }
  }
};

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_SWEEP_TEST_H_
