#include "logbook/model/event.h"

#include <set>
#include <string>

#include "sample_events.h"
#include <gtest/gtest.h>

#include "logbook/v1/record.pb.h"

namespace logbook {
namespace {

// Names of the values 1..max, which must be there and differ; what lies outside is "unknown".
template <typename Enum>
void ExpectNamed(int max) {
  std::set<std::string_view> names;
  for (int value = 1; value <= max; ++value) {
    names.insert(ToString(static_cast<Enum>(value)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(max));
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(ToString(static_cast<Enum>(0)), "unknown");
  EXPECT_EQ(ToString(static_cast<Enum>(max + 1)), "unknown");
  EXPECT_EQ(ToString(static_cast<Enum>(255)), "unknown");
}

TEST(EventTest, EveryValueHasANameOfItsOwn) {
  ExpectNamed<EventKind>(static_cast<int>(std::variant_size_v<EventBody>));
  ExpectNamed<ChangeType>(v1::ChangeType_MAX);
  ExpectNamed<Origin>(v1::Origin_MAX);
  ExpectNamed<MarkReason>(v1::MarkReason_MAX);
  ExpectNamed<StreamChange>(v1::StreamChange_MAX);
  ExpectNamed<Verdict>(v1::Verdict_MAX);
}

TEST(EventTest, KindIsThatOfTheBody) {
  const EventKind kinds[] = {EventKind::kObserved,    EventKind::kStreamChanged,
                             EventKind::kDecided,     EventKind::kOutcome,
                             EventKind::kMarked,      EventKind::kLeadership,
                             EventKind::kAdmin,       EventKind::kBuild,
                             EventKind::kQuarantined, EventKind::kGap};
  const std::vector<Event> events = SampleEvents();
  ASSERT_EQ(events.size(), std::size(kinds));
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].kind(), kinds[i]);
    EXPECT_EQ(static_cast<size_t>(events[i].kind()), i + 1) << "the number on disk";
  }
}

TEST(EventTest, RemovalsAreThoseAfterWhichTheObjectIsNotSeen) {
  EXPECT_FALSE(IsRemoval(ChangeType::kAdded));
  EXPECT_FALSE(IsRemoval(ChangeType::kModified));
  EXPECT_TRUE(IsRemoval(ChangeType::kDeleted));
  EXPECT_TRUE(IsRemoval(ChangeType::kDeletedWhileAway));
  EXPECT_TRUE(IsRemoval(ChangeType::kLeftScope));
}

TEST(EventTest, StreamNamesWhatItWatches) {
  StreamIdentity pods{.cluster = "c", .resource = {.version = "v1", .plural = "pods"}};
  EXPECT_EQ(pods.ToString(), "pods");
  pods.ns = "shop";
  EXPECT_EQ(pods.ToString(), "pods in shop");
  pods.label_selector = "app=web";
  EXPECT_EQ(pods.ToString(), "pods in shop with app=web");
  pods.field_selector = "spec.nodeName=n";
  EXPECT_EQ(pods.ToString(), "pods in shop with app=web where spec.nodeName=n");
}

TEST(EventTest, KeysSayWhereTheyAre) {
  EXPECT_EQ((ObjectKey{.ns = "shop", .name = "web"}).ToString(), "shop/web");
  EXPECT_EQ((ObjectKey{.ns = "", .name = "node"}).ToString(), "node");
  EXPECT_EQ((ObjectRef{.resource = "pods", .key = {.ns = "a", .name = "b"}}).ToString(),
            "pods a/b");
  EXPECT_EQ((ControllerKey{.controller = "c", .object = {.ns = "a", .name = "b"}}).ToString(),
            "c a/b");
}

TEST(EventTest, KeysAreOrderedByNamespaceThenName) {
  EXPECT_LT((ObjectKey{.ns = "a", .name = "z"}), (ObjectKey{.ns = "b", .name = "a"}));
  EXPECT_LT((ObjectKey{.ns = "a", .name = "a"}), (ObjectKey{.ns = "a", .name = "b"}));
  EXPECT_LT((ControllerKey{.controller = "a", .object = {.ns = "z"}}),
            (ControllerKey{.controller = "b", .object = {.ns = "a"}}));
}

// Numbers on disk and numbers in memory are the same, for ever.
static_assert(static_cast<int>(ChangeType::kLeftScope) == v1::LEFT_SCOPE);
static_assert(static_cast<int>(ChangeType::kDeletedWhileAway) == v1::DELETED_WHILE_AWAY);
static_assert(static_cast<int>(Origin::kResponse) == v1::RESPONSE);
static_assert(static_cast<int>(MarkReason::kBuildChanged) == v1::BUILD_CHANGED);
static_assert(static_cast<int>(MarkReason::kRequested) == v1::REQUESTED);
static_assert(static_cast<int>(StreamChange::kOpened) == v1::STREAM_OPENED);
static_assert(static_cast<int>(StreamChange::kClosed) == v1::STREAM_CLOSED);
static_assert(static_cast<int>(Verdict::kSettled) == v1::SETTLED);
static_assert(static_cast<int>(Verdict::kTerminal) == v1::TERMINAL);

}  // namespace
}  // namespace logbook
