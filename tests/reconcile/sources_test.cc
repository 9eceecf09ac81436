#include "logbook/reconcile/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook::reconcile {
namespace {

using ::testing::HasSubstr;

constexpr StreamId kA{1};
constexpr StreamId kB{2};

class SourcesTest : public ::testing::Test {
 protected:
  void AddBoth() {
    sources_.Add(kA, "simpleapps");
    sources_.Add(kB, "deployments");
  }

  static auto NotYet(std::string_view text) {
    return StatusIs(absl::StatusCode::kUnavailable, HasSubstr(std::string(text)));
  }

  int synced_ = 0;
  Sources sources_{[this] { ++synced_; }};
};

TEST_F(SourcesTest, NoSourcesAreNotStartedRatherThanSynced) {
  EXPECT_THAT(sources_.Check(), NotYet("not started"));
}

TEST_F(SourcesTest, SourceThatIsMissingIsNamed) {
  AddBoth();
  EXPECT_THAT(sources_.Check(), NotYet("simpleapps: not synced"));
  sources_.SetSynced(kA);
  EXPECT_THAT(sources_.Check(), NotYet("deployments: not synced"));
  sources_.SetSynced(kB);
  EXPECT_OK(sources_.Check());
}

TEST_F(SourcesTest, SyncOfTheLastIsToldOnce) {
  AddBoth();
  sources_.SetSynced(kB);
  EXPECT_EQ(synced_, 0);
  sources_.SetSynced(kA);
  EXPECT_EQ(synced_, 1);
  sources_.SetSynced(kA);
  sources_.SetSynced(kB);
  EXPECT_EQ(synced_, 1);
}

TEST_F(SourcesTest, UnavailableSourceSaysWhyWhetherItWasSyncedOrNot) {
  AddBoth();
  sources_.SetUnavailable(kA, PermissionDenied("may not list"));
  EXPECT_THAT(sources_.Check(),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("simpleapps: may not list")));
  sources_.SetSynced(kA);
  sources_.SetSynced(kB);
  EXPECT_OK(sources_.Check());
  sources_.SetUnavailable(kB, Unavailable("connection refused"));
  EXPECT_THAT(sources_.Check(), NotYet("deployments: connection refused"));
}

TEST_F(SourcesTest, UnavailableSourceStaysSyncedForTheQueue) {
  AddBoth();
  sources_.SetSynced(kA);
  sources_.SetUnavailable(kA, Unavailable("connection refused"));
  sources_.SetSynced(kB);
  EXPECT_EQ(synced_, 1);
}

}  // namespace
}  // namespace logbook::reconcile
