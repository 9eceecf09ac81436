#include "logbook/model/conditions.h"

#include <vector>

#include "golden.h"
#include <gtest/gtest.h>

namespace logbook {
namespace {

constexpr std::string_view kNow = "2026-05-26T03:14:00Z";
constexpr std::string_view kLater = "2026-05-26T03:15:00Z";

Condition Ready(std::string status, std::string reason = "R", std::string message = "m") {
  return {.type = "Ready", .status = status, .reason = reason, .message = message};
}

Json Merge(const Json& existing, std::vector<Condition> ours, int64_t generation = 1,
           std::string_view now = kNow) {
  return MergeConditions(existing, ours, generation, now);
}

TEST(ConditionsTest, NewOnesComeBehindInTheirOrder) {
  const Json merged = Merge(J("[{'type':'Foreign'}]"),
                            {Ready("True"), {.type = "A", .status = "False", .reason = "X"}});
  EXPECT_EQ(merged, J("[{'type':'Foreign'},"
                      "{'type':'Ready','status':'True','reason':'R','message':'m',"
                      "'observedGeneration':1,'lastTransitionTime':'2026-05-26T03:14:00Z'},"
                      "{'type':'A','status':'False','reason':'X','message':'',"
                      "'observedGeneration':1,'lastTransitionTime':'2026-05-26T03:14:00Z'}]"));
}

TEST(ConditionsTest, TimeMovesOnlyWithTheStatus) {
  const Json first = Merge(Json(), {Ready("False")});
  const Json same = Merge(first, {Ready("False", "Other", "text")}, 2, kLater);
  EXPECT_EQ(same[0]["lastTransitionTime"], kNow);
  EXPECT_EQ(same[0]["reason"], "Other");
  EXPECT_EQ(same[0]["message"], "text");
  EXPECT_EQ(same[0]["observedGeneration"], 2);
  const Json changed = Merge(first, {Ready("True")}, 1, kLater);
  EXPECT_EQ(changed[0]["lastTransitionTime"], kLater);
}

TEST(ConditionsTest, MergingOnceMoreChangesNothing) {
  const Json first = Merge(J("[{'type':'Foreign','status':'True'}]"), {Ready("False")});
  EXPECT_EQ(Merge(first, {Ready("False")}, 1, kLater), first);
}

// Case 47: neither of two writers erases what the other wrote.
TEST(ConditionsTest, ForeignOnesStayUntouchedAndInPlace) {
  const Json existing =
      J("[{'type':'A','status':'True','extra':[1]},{'type':'Ready','status':'False','ours':'kept',"
        "'lastTransitionTime':'then'},{'type':'B'},{'no':'type'},7]");
  const Json merged = Merge(existing, {Ready("True")});
  ASSERT_EQ(merged.size(), existing.size());
  for (size_t i : {0, 2, 3, 4}) {
    EXPECT_EQ(merged[i], existing[i]);
  }
  EXPECT_EQ(merged[1]["ours"], "kept");
  EXPECT_EQ(merged[1]["lastTransitionTime"], kNow);
}

TEST(ConditionsTest, AMissingTimeIsFilled) {
  const Json merged = Merge(J("[{'type':'Ready','status':'True'}]"), {Ready("True")});
  EXPECT_EQ(merged[0]["lastTransitionTime"], kNow);
}

TEST(ConditionsTest, AnythingButAListCountsAsNone) {
  for (const char* existing : {"null", "{}", "'text'", "7"}) {
    EXPECT_EQ(Merge(J(existing), {Ready("True")}).size(), 1u);
    EXPECT_EQ(Merge(J(existing), {}), Json::array());
    EXPECT_EQ(FindCondition(J(existing), "Ready"), nullptr);
    EXPECT_EQ(RemoveCondition(J(existing), "Ready"), J(existing));
  }
}

TEST(ConditionsTest, OneIsFoundAndRemovedByType) {
  const Json conditions = J("[{'type':'A'},{'type':'Ready','status':'True'},{'type':'B'}]");
  ASSERT_NE(FindCondition(conditions, "Ready"), nullptr);
  EXPECT_EQ((*FindCondition(conditions, "Ready"))["status"], "True");
  EXPECT_EQ(FindCondition(conditions, "C"), nullptr);
  EXPECT_EQ(RemoveCondition(conditions, "Ready"), J("[{'type':'A'},{'type':'B'}]"));
  EXPECT_EQ(RemoveCondition(conditions, "C"), conditions);
}

TEST(ConditionsTest, TimesHaveSecondsAndZ) {
  EXPECT_EQ(Rfc3339Seconds(absl::FromUnixSeconds(1779765240)), "2026-05-26T03:14:00Z");
  EXPECT_EQ(Rfc3339Seconds(absl::FromUnixMillis(1779765240999)), "2026-05-26T03:14:00Z");
  EXPECT_EQ(Rfc3339Seconds(absl::UnixEpoch()), "1970-01-01T00:00:00Z");
}

}  // namespace
}  // namespace logbook
