// A list, and what it says about what the view already has.
#include "ingester_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;

using IngesterListTest = IngesterTest;

TEST_F(IngesterListTest, FirstListBringsEverythingAtLowPriority) {
  EXPECT_THAT(List({App("a", "u1", 10), App("b", "u2", 11)}, "20"),
              ElementsAre("added a u1 10", "added b u2 11"));
  for (const Event& event : Events(EventSeq(2))) {
    EXPECT_THAT(event.marks, Each(Field(&Mark::low_priority, true)));
  }
  EXPECT_TRUE(KeyOf("a").low_priority);
  EXPECT_TRUE(Stream().listed);
  EXPECT_EQ(Stream().served_by, "crd");
}

TEST_F(IngesterListTest, BookmarkStandsStillUntilTheListIsComplete) {
  List({App("a", "u1", 10)}, "20");
  StartList();
  Page({App("a", "u1", 25)});
  Flush();
  EXPECT_EQ(Bookmark(), "20");
  EXPECT_EQ(ingester_->Position().resource_version, "20");
  EndList("30");
  EXPECT_EQ(Bookmark(), "30");
  EXPECT_EQ(ingester_->Position().resource_version, "30");
}

TEST_F(IngesterListTest, ListedObjectsAreNotSeenBeforeTheListIsComplete) {
  StartList();
  Page({App("a", "u1", 10)});
  Flush();
  EXPECT_THAT(FindIn(kApps, "a"), IsNull());
  EXPECT_FALSE(sources_.Check().ok());
  EndList("20");
  EXPECT_THAT(FindIn(kApps, "a"), NotNull());
  EXPECT_OK(sources_.Check());
}

TEST_F(IngesterListTest, RelistIsExactlyTheDifference) {
  List({App("same", "u1", 10), App("changed", "u2", 11), App("gone", "u3", 12)}, "20");
  for (std::string_view name : {"same", "changed", "gone"}) {
    Decide(name, {});
  }
  EXPECT_THAT(
      List({App("same", "u1", 10), App("changed", "u2", 25), App("new", "u4", 26)}, "30"),
      ElementsAre("modified changed u2 25", "added new u4 26", "deleted-while-away gone u3 12"));
  EXPECT_THAT(CausesOf("same"), IsEmpty());
  for (std::string_view name : {"changed", "new", "gone"}) {
    EXPECT_THAT(CausesOf(name), ElementsAre(MarkReason::kObserved)) << name;
    EXPECT_FALSE(KeyOf(name).low_priority) << name;
  }
}

TEST_F(IngesterListTest, WhatASelectorShowsNoMoreLeftItsScopeAndMayComeBack) {
  Begin({}, "team=a");
  List({App("web", "u1", 10)}, "20");
  EXPECT_THAT(List({}, "30"), ElementsAre("left-scope web u1 10"));
  EXPECT_THAT(FindIn(kApps, "web"), IsNull());
  Watch(ChangeType::kAdded, App("web", "u1", 40));
  EXPECT_THAT(FindIn(kApps, "web"), NotNull());
}

TEST_F(IngesterListTest, ListSaysInTheJournalWhatItFound) {
  List({App("a", "u1", 10), App("b", "u2", 11)}, "20");
  List({App("a", "u1", 25)}, "30");
  EXPECT_THAT(
      Bodies<StreamChanged>().back(),
      AllOf(Field(&StreamChanged::change, StreamChange::kListed),
            Field(&StreamChanged::reason, "test"), Field(&StreamChanged::objects_listed, 1u),
            Field(&StreamChanged::objects_changed, 1u),
            Field(&StreamChanged::objects_vanished, 1u)));
  EXPECT_EQ(Events().back().resource_version, "30");
}

TEST_F(IngesterListTest, ObjectDeletedWhileAwayKeepsItsLastKnownState) {
  List({App("gone", "u1", 10)}, "20");
  const std::string last_known(FindIn(kApps, "gone")->json());
  List({}, "30");
  EXPECT_EQ(Bodies<Observed>().back().object->json(), last_known);
  EXPECT_THAT(FindIn(kApps, "gone"), IsNull());
  EXPECT_THAT(view()->tombstones.Find("u1"), NotNull());
}

TEST_F(IngesterListTest, NewUidUnderTheSameNameIsTwoEvents) {
  List({App("web", "u1", 10)}, "20");
  EXPECT_THAT(List({App("web", "u2", 25)}, "30"),
              ElementsAre("deleted-while-away web u1 10", "added web u2 25"));
  EXPECT_EQ(UidOf(kApps, "web"), "u2");
  EXPECT_THAT(view()->tombstones.Find("u1"), NotNull());
}

TEST_F(IngesterListTest, ObjectThatIsNewerThanTheListIsNotVanished) {
  List({App("old", "u1", 10)}, "20");
  Watch(ChangeType::kAdded, App("ours", "u2", 35));
  EXPECT_THAT(List({}, "30"), ElementsAre("deleted-while-away old u1 10"));
  EXPECT_THAT(FindIn(kApps, "ours"), NotNull());
}

TEST_F(IngesterListTest, ListedStateThatIsOlderThanTheViewIsNoChange) {
  List({App("web", "u1", 10)}, "20");
  Watch(ChangeType::kModified, App("web", "u1", 35));
  EXPECT_THAT(List({App("web", "u1", 10)}, "30"), IsEmpty());
  EXPECT_EQ(VersionOf(kApps, "web"), "35");
}

TEST_F(IngesterListTest, ListThatStillHasTheLastIncarnationLeavesTheNewOne) {
  List({App("web", "u1", 10)}, "20");
  Watch(ChangeType::kAdded, App("web", "u2", 35));
  EXPECT_THAT(List({App("web", "u1", 10)}, "30"), IsEmpty());
  EXPECT_EQ(UidOf(kApps, "web"), "u2");
}

TEST_F(IngesterListTest, DeadUidIsNotBroughtBackByAList) {
  List({App("web", "u1", 10)}, "20");
  Watch(ChangeType::kDeleted, App("web", "u1", 35));
  EXPECT_THAT(List({App("web", "u1", 10)}, "30"), IsEmpty());
  EXPECT_THAT(FindIn(kApps, "web"), IsNull());
}

TEST_F(IngesterListTest, ContentIsComparedOnlyWhereVersionsDoNotTell) {
  List({App("web", "u1", 10)}, "20");
  Json defaulted = App("web", "u1", 10);
  defaulted["spec"]["port"] = 80;
  EXPECT_THAT(List({defaulted}, "30"), IsEmpty());
  const EventSeq before = view()->seq;
  StartList(/*compare_content=*/true);
  Page({defaulted});
  EndList("40");
  EXPECT_THAT(Changes(before), ElementsAre("modified web u1 10"));
  EXPECT_EQ(FindIn(kApps, "web")->json(), DumpJson(defaulted));
}

TEST_F(IngesterListTest, ComparedContentThatIsEqualIsNoChange) {
  List({App("web", "u1", 10)}, "20");
  const EventSeq before = view()->seq;
  StartList(/*compare_content=*/true);
  Page({App("web", "u1", 10)});
  EndList("30");
  EXPECT_THAT(Changes(before), IsEmpty());
}

TEST_F(IngesterListTest, ListThatWasCutShortSaysNothing) {
  List({App("a", "u1", 10), App("b", "u2", 11)}, "20");
  StartList();
  Page({App("a", "u1", 10), App("c", "u3", 25)});
  const EventSeq before = view()->seq;
  StartList();
  Page({App("b", "u2", 11)});
  EndList("40");
  EXPECT_THAT(Changes(before), Contains("deleted-while-away a u1 10"));
  EXPECT_THAT(FindIn(kApps, "b"), NotNull());
  EXPECT_THAT(FindIn(kApps, "c"), IsNull());
}

TEST_F(IngesterListTest, ObjectsOfAnotherStreamDoNotVanish) {
  const StreamId other(3);
  Add(StreamEvent(StreamChange::kOpened, other, AppResource()));
  Event event = ObservedEvent(ChangeType::kAdded, App("theirs", "u1", 10));
  event.stream = other;
  Add(std::move(event));
  EXPECT_THAT(List({}, "30"), IsEmpty());
}

TEST_F(IngesterListTest, QuarantinedObjectDoesNotVanish) {
  List({App("broken", "u1", 10), App("gone", "u2", 11)}, "20");
  const EventSeq before = view()->seq;
  StartList();
  EXPECT_OK(ingester_->OnQuarantined({.bytes = "{\"half",
                                      .error = InvalidArgument("cut off"),
                                      .key = {.ns = "shop", .name = "broken"},
                                      .uid = "u1"}));
  EndList("30");
  EXPECT_THAT(Changes(before), ElementsAre("deleted-while-away gone u2 11"));
  EXPECT_THAT(FindIn(kApps, "broken"), NotNull());
  ASSERT_EQ(Bodies<Quarantined>().size(), 1u);
  EXPECT_EQ(Bodies<Quarantined>().front().bytes, "{\"half");
  EXPECT_EQ(Bodies<Quarantined>().front().error, "cut off");
}

TEST_F(IngesterListTest, NothingVanishesFromAListWithAnItemOfUnknownName) {
  List({App("a", "u1", 10), App("b", "u2", 11)}, "20");
  const EventSeq before = view()->seq;
  StartList();
  EXPECT_OK(ingester_->OnQuarantined({.bytes = "?", .error = InvalidArgument("no object")}));
  Page({App("a", "u1", 25)});
  EndList("30");
  EXPECT_THAT(Changes(before), ElementsAre("modified a u1 25"));
  EXPECT_THAT(List({App("a", "u1", 25)}, "40"), ElementsAre("deleted-while-away b u2 11"));
}

}  // namespace
}  // namespace logbook::reconcile
