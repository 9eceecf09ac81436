// A stream outside of lists: watch events, bookmarks, rewinds, and whether it is available.
#include "logbook/reconcile/ingester.h"

#include "ingester_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;

TEST_F(IngesterTest, EventsAreRecordedInOrderWithTheirBookmark) {
  const EventSeq before = view()->seq;
  EXPECT_OK(ingester_->OnEvents(
      {{.change = ChangeType::kAdded, .object = MakeObject(App("a", "u1", 10))},
       {.change = ChangeType::kModified, .object = MakeObject(App("a", "u1", 11))},
       {.change = ChangeType::kDeleted, .object = MakeObject(App("a", "u1", 12))}},
      "13"));
  Flush();
  EXPECT_THAT(Changes(before), ElementsAre("added a u1 10", "modified a u1 11", "deleted a u1 12"));
  EXPECT_EQ(Bookmark(), "13");
  EXPECT_EQ(ingester_->Position().resource_version, "13");
}

TEST_F(IngesterTest, WatchEventIsOfNormalPriorityEvenBeforeTheFirstList) {
  Watch(ChangeType::kAdded, App("a", "u1", 10));
  EXPECT_THAT(CausesOf("a"), ElementsAre(MarkReason::kObserved));
  EXPECT_FALSE(KeyOf("a").low_priority);
}

TEST_F(IngesterTest, ObjectThatLeavesTheSelectorIsNotCalledDead) {
  Watch(ChangeType::kAdded, App("a", "u1", 10));
  Watch(ChangeType::kLeftScope, App("a", "u1", 11));
  EXPECT_THAT(FindIn(kApps, "a"), IsNull());
  EXPECT_THAT(view()->tombstones.Find("u1"), IsNull());
}

TEST_F(IngesterTest, BookmarkMovesWithoutAnEvent) {
  const EventSeq before = view()->seq;
  EXPECT_OK(ingester_->OnBookmark("40"));
  Flush();
  EXPECT_EQ(Bookmark(), "40");
  EXPECT_EQ(ingester_->Position().resource_version, "40");
  EXPECT_THAT(Events(before), IsEmpty());
}

TEST_F(IngesterTest, ResumedStreamIsSyncedWithoutAnObservation) {
  const EventSeq before = view()->seq;
  Begin({.resource_version = "20", .served_by = "crd", .listed = true});
  EXPECT_EQ(ingester_->Position().resource_version, "20");
  EXPECT_OK(ingester_->OnResumed({.resource = AppResource(), .served_by = "crd"}));
  Flush();
  EXPECT_OK(sources_.Check());
  EXPECT_THAT(Changes(before), IsEmpty());
  EXPECT_EQ(Bodies<StreamChanged>().back().change, StreamChange::kResumed);
}

TEST_F(IngesterTest, UnavailableStreamSaysWhyAndKeepsWhatItHas) {
  List({App("a", "u1", 10)}, "20");
  ingester_->OnUnavailable(PermissionDenied("403 Forbidden"));
  Flush();
  EXPECT_THAT(sources_.Check(), StatusIs(absl::StatusCode::kPermissionDenied,
                                         HasSubstr("simpleapps: 403 Forbidden")));
  EXPECT_THAT(FindIn(kApps, "a"), NotNull());
  EXPECT_EQ(Bodies<StreamChanged>().back().reason, "403 Forbidden");
  EXPECT_OK(ingester_->OnResumed({.resource = AppResource(), .served_by = "crd"}));
  Flush();
  EXPECT_OK(sources_.Check());
}

TEST_F(IngesterTest, LastWordOnAvailabilityIsTheLast) {
  {
    const Gate gate(*writer_);
    EXPECT_OK(ingester_->OnResumed({.resource = AppResource(), .served_by = "crd"}));
    ingester_->OnUnavailable(Unavailable("connection refused"));
  }
  Flush();
  EXPECT_THAT(sources_.Check(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("connection refused")));
}

TEST_F(IngesterTest, RewindForgetsTheBookmarkAndBeginsANewGeneration) {
  List({App("a", "u1", 100)}, "200");
  EXPECT_OK(ingester_->OnRewound("list is older than the bookmark"));
  EXPECT_EQ(Bookmark(), "");
  EXPECT_EQ(ingester_->Position().resource_version, "");
  EXPECT_FALSE(ingester_->Position().listed);
  EXPECT_EQ(Stream().generation, 2u);
  EXPECT_TRUE(Stream().rewound);
  EXPECT_EQ(Bodies<StreamChanged>().back().reason, "list is older than the bookmark");
}

TEST_F(IngesterTest, AfterARewindTheListIsBelievedThoughItIsOlder) {
  List({App("changed", "u1", 100), App("gone", "u2", 101), App("made-again", "u3", 102)}, "200");
  EXPECT_OK(ingester_->OnRewound("etcd was restored"));
  EXPECT_THAT(List({App("changed", "u1", 40), App("made-again", "u0", 41)}, "50"),
              ElementsAre("modified changed u1 40", "deleted-while-away made-again u3 102",
                          "added made-again u0 41", "deleted-while-away gone u2 101"));
  EXPECT_EQ(VersionOf(kApps, "changed"), "40");
  EXPECT_EQ(UidOf(kApps, "made-again"), "u0");
  EXPECT_FALSE(Stream().rewound);
}

TEST_F(IngesterTest, ObjectDeletedBeforeARewindMayReturnThroughItAndStays) {
  List({App("web", "u1", 100)}, "200");
  Watch(ChangeType::kDeleted, App("web", "u1", 201));
  EXPECT_OK(ingester_->OnRewound("etcd was restored"));
  EXPECT_THAT(List({App("web", "u1", 40)}, "50"), ElementsAre("added web u1 40"));
  EXPECT_THAT(FindIn(kApps, "web"), NotNull());
  Watch(ChangeType::kModified, App("web", "u1", 60));
  EXPECT_EQ(VersionOf(kApps, "web"), "60");
}

TEST_F(IngesterTest, QuarantinedFrameIsRecordedUnderItsName) {
  EXPECT_OK(ingester_->OnQuarantined({.bytes = "{\"half",
                                      .error = InvalidArgument("cut off"),
                                      .key = {.ns = "shop", .name = "web"},
                                      .uid = "u1"}));
  Flush();
  const Event event = Events().back();
  ASSERT_EQ(event.subjects.size(), 1u);
  EXPECT_EQ(event.subjects.front(), (ObjectRef{std::string(kApps), {"shop", "web"}, "u1"}));
  EXPECT_EQ(Bookmark(), "");
}

}  // namespace
}  // namespace logbook::reconcile
