#include "logbook/reconcile/work_queue.h"

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/fake_clock.h"

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;

ControllerKey Key(const std::string& name) {
  return {.controller = "simpleapp", .object = {.ns = "shop", .name = name}};
}

KeyState Dirty(bool low = false) {
  KeyState state;
  state.causes.push_back({.seq = EventSeq(1)});
  state.low_priority = low;
  return state;
}

KeyState Due(absl::Time due) {
  KeyState state;
  state.due = due;
  return state;
}

class WorkQueueTest : public ::testing::Test {
 protected:
  WorkQueueTest() : queue_(clock_) { queue_.SetOpen(true); }

  void Mark(const std::string& name, bool low = false) {
    const KeyState state = Dirty(low);
    queue_.Update(Key(name), &state);
  }

  // The next ready key's name, or "" if none is ready.
  std::string Next() {
    if (queue_.depth() == 0) {
      return "";
    }
    return queue_.Pop({})->object.name;
  }

  FakeClock clock_;
  WorkQueue queue_;
};

TEST_F(WorkQueueTest, KeysComeInTheOrderTheyBecameDirty) {
  Mark("b");
  Mark("a");
  Mark("b");  // keeps its turn
  EXPECT_EQ(Next(), "b");
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(Next(), "");
}

TEST_F(WorkQueueTest, KeyInHandIsNotHandedOutAgain) {
  Mark("a");
  EXPECT_EQ(Next(), "a");
  Mark("a");
  EXPECT_EQ(Next(), "");
}

TEST_F(WorkQueueTest, KeyMarkedWhileInHandRunsOnceMore) {
  Mark("a");
  Next();
  Mark("a");
  queue_.Release(Key("a"));
  EXPECT_EQ(Next(), "a");
}

TEST_F(WorkQueueTest, KeyDecidedWhileInHandIsForgotten) {
  Mark("a");
  Next();
  queue_.Update(Key("a"), nullptr);
  queue_.Release(Key("a"));
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(queue_.in_hand(), 0u);
}

TEST_F(WorkQueueTest, KeyThatIsDueLaterWaitsForItsTime) {
  const KeyState later = Due(clock_.Now() + absl::Seconds(30));
  queue_.Update(Key("later"), &later);
  EXPECT_EQ(queue_.depth(), 0u);
  clock_.Advance(absl::Seconds(30));
  EXPECT_EQ(queue_.Pop({})->object.name, "later");
}

TEST_F(WorkQueueTest, ChangeDoesNotWaitForTheBackoff) {
  KeyState state = Due(clock_.Now() + absl::Hours(1));
  queue_.Update(Key("a"), &state);
  state.causes.push_back({.seq = EventSeq(2)});
  queue_.Update(Key("a"), &state);
  EXPECT_EQ(Next(), "a");
}

TEST_F(WorkQueueTest, ReleaseUntilSetsATimerWithoutAnEvent) {
  Mark("a");
  Next();
  queue_.Update(Key("a"), nullptr);
  queue_.ReleaseUntil(Key("a"), clock_.Now() + absl::Seconds(5));
  EXPECT_EQ(queue_.depth(), 0u);
  clock_.Advance(absl::Seconds(5));
  EXPECT_EQ(queue_.Pop({})->object.name, "a");
}

TEST_F(WorkQueueTest, LowPriorityWaitsBehindNormal) {
  Mark("low", true);
  Mark("normal");
  EXPECT_EQ(Next(), "normal");
  EXPECT_EQ(Next(), "low");
}

TEST_F(WorkQueueTest, KeyIsLiftedOutOfTheLowLane) {
  Mark("first", true);
  Mark("lifted", true);
  Mark("lifted");
  EXPECT_EQ(Next(), "lifted");
  EXPECT_EQ(Next(), "first");
  EXPECT_EQ(Next(), "");
}

TEST_F(WorkQueueTest, SteadyNormalLoadDoesNotStarveTheLowLane) {
  for (int i = 0; i < 10; ++i) {
    Mark("low" + std::to_string(i), true);
  }
  int low = 0;
  for (int turn = 0; turn < 10 * WorkQueue::kLowShare; ++turn) {
    Mark("normal" + std::to_string(turn));
    low += Next().substr(0, 3) == "low" ? 1 : 0;
  }
  EXPECT_EQ(low, 10);
}

TEST_F(WorkQueueTest, NothingIsHandedOutWhileClosed) {
  queue_.SetOpen(false);
  Mark("a");
  std::optional<ControllerKey> popped;
  std::jthread worker([&](std::stop_token stop) { popped = queue_.Pop(stop); });
  worker.request_stop();
  worker.join();
  EXPECT_EQ(popped, std::nullopt);
}

TEST_F(WorkQueueTest, StopEndsAWaitingPop) {
  std::optional<ControllerKey> popped = Key("x");
  std::jthread worker([&](std::stop_token stop) { popped = queue_.Pop(stop); });
  worker.request_stop();
  worker.join();
  EXPECT_EQ(popped, std::nullopt);
}

}  // namespace
}  // namespace logbook::reconcile
