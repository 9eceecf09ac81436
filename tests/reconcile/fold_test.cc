#include "logbook/reconcile/fold.h"

#include "builders.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;

std::vector<EventSeq> CauseSeqs(const KeyState& state) {
  std::vector<EventSeq> seqs;
  for (const Cause& cause : state.causes) {
    seqs.push_back(cause.seq);
  }
  return seqs;
}

TEST(FoldTest, ObservedObjectEntersTheViewAndMarksItsKey) {
  FoldFixture f;
  const EventSeq seq =
      f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10), {MarkOf("web")}));
  ASSERT_THAT(f.AppOf("web"), NotNull());
  EXPECT_EQ(f.AppOf("web")->seq, seq);
  ASSERT_THAT(f.KeyOf("web"), NotNull());
  EXPECT_THAT(CauseSeqs(*f.KeyOf("web")), ElementsAre(seq));
}

TEST(FoldTest, OlderVersionOfTheSameIncarnationIsIgnored) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 100)));
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 99)));
  EXPECT_EQ(f.AppOf("web")->object->resource_version(), "100");
}

TEST(FoldTest, VersionsAreComparedAsNumbersNotAsText) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 99)));
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 100)));
  EXPECT_EQ(f.AppOf("web")->object->resource_version(), "100");
}

TEST(FoldTest, DeadUidNeverReturns) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  f.Add(ObservedEvent(ChangeType::kDeleted, App("web", "u1", 11)));
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 12)));
  EXPECT_THAT(f.AppOf("web"), IsNull());
}

TEST(FoldTest, LateDeletionOfAnOldIncarnationLeavesTheNewOne) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u2", 12)));
  f.Add(ObservedEvent(ChangeType::kDeleted, App("web", "u1", 11)));
  ASSERT_THAT(f.AppOf("web"), NotNull());
  EXPECT_EQ(f.AppOf("web")->object->uid(), "u2");
}

TEST(FoldTest, ObjectThatLeftTheScopeMayReturn) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  f.Add(ObservedEvent(ChangeType::kLeftScope, App("web", "u1", 11)));
  EXPECT_THAT(f.AppOf("web"), IsNull());
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 12)));
  EXPECT_THAT(f.AppOf("web"), NotNull());
}

TEST(FoldTest, ListedObjectsEnterTogetherWhenTheListIsComplete) {
  FoldFixture f;
  f.Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  const EventSeq listed =
      f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10), {MarkOf("web")}, true));
  EXPECT_THAT(f.AppOf("web"), IsNull());
  EXPECT_TRUE(f.fold.ListPending());
  const EventSeq complete = f.Add(StreamEvent(StreamChange::kListed, kAppStream, AppResource()));
  EXPECT_THAT(f.AppOf("web"), NotNull());
  EXPECT_FALSE(f.fold.ListPending());
  EXPECT_THAT(f.KeyOf("web")->causes, ElementsAre(Cause{listed, complete, MarkReason::kObserved}));
}

TEST(FoldTest, OlderAnswerRecordedDuringAListDoesNotHideWhatWasListed) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 30)));
  f.Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 50), {}, true));
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 40)));
  f.Add(StreamEvent(StreamChange::kListed, kAppStream, AppResource()));
  EXPECT_EQ(f.AppOf("web")->object->resource_version(), "50");
}

TEST(FoldTest, ResumedStreamHasNoListPending) {
  FoldFixture f;
  f.Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  f.Add(ObservedEvent(ChangeType::kAdded, App("half", "u1", 10), {}, true));
  f.Add(StreamEvent(StreamChange::kResumed, kAppStream, AppResource()));
  EXPECT_FALSE(f.fold.ListPending());
  EXPECT_THAT(f.AppOf("half"), IsNull());
}

TEST(FoldTest, TombstonesOfTheLongDeadAreForgotten) {
  FoldFixture f;
  for (size_t i = 0; i <= kTombstonesMax; ++i) {
    f.Add(ObservedEvent(ChangeType::kDeleted, App("web", Concat("u", i), 10)));
  }
  EXPECT_EQ(f.fold.state().tombstones.size(), kTombstonesMax);
  EXPECT_THAT(f.fold.state().tombstones.Find("u0"), IsNull());
  EXPECT_THAT(f.fold.state().tombstones.Find("u1"), NotNull());
  EXPECT_TRUE(f.fold.TakeChanges().tombstones.contains("u0"));
  // The same after a start from the rows of a state checkpoint.
  Fold loaded(f.fold.state());
  Event event = ObservedEvent(ChangeType::kDeleted, App("web", "next", 10));
  event.seq = loaded.state().seq.Next();
  loaded.Apply(event);
  EXPECT_EQ(loaded.state().tombstones.size(), kTombstonesMax);
  EXPECT_THAT(loaded.state().tombstones.Find("u1"), IsNull());
}

TEST(FoldTest, ListThatWasCutShortLeavesNothing) {
  FoldFixture f;
  f.Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  f.Add(ObservedEvent(ChangeType::kAdded, App("half", "u1", 10), {MarkOf("half")}, true));
  f.Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u2", 11), {MarkOf("web")}, true));
  f.Add(StreamEvent(StreamChange::kListed, kAppStream, AppResource()));
  EXPECT_THAT(f.AppOf("half"), IsNull());
  EXPECT_THAT(f.AppOf("web"), NotNull());
}

TEST(FoldTest, DecisionClearsOnlyTheCausesItsViewShowed) {
  FoldFixture f;
  const EventSeq seen =
      f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10), {MarkOf("web")}));
  const EventSeq later =
      f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 11), {MarkOf("web")}));
  f.Add(DecidedEvent("web", "u1", seen));
  EXPECT_THAT(CauseSeqs(*f.KeyOf("web")), ElementsAre(later));
}

TEST(FoldTest, DecisionOnAViewBeforeTheListWasCompleteKeepsItsCauses) {
  FoldFixture f;
  f.Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  const EventSeq listed =
      f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10), {MarkOf("web")}, true));
  f.Add(StreamEvent(StreamChange::kListed, kAppStream, AppResource()));
  f.Add(DecidedEvent("web", "", listed));  // its view had the event's seq, but not the object
  EXPECT_TRUE(f.KeyOf("web")->dirty());
}

TEST(FoldTest, KeyOfAnObjectThatIsGoneIsForgottenOnceDecided) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10), {MarkOf("web")}));
  const EventSeq gone =
      f.Add(ObservedEvent(ChangeType::kDeleted, App("web", "u1", 11), {MarkOf("web")}));
  f.Add(DecidedEvent("web", "", gone));
  EXPECT_THAT(f.KeyOf("web"), IsNull());
}

TEST(FoldTest, StepsDoneBelongToOneIncarnation) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  const Effect release{.kind = EffectKind::kExternal, .uid = "u1", .step = "release"};
  const EventSeq decided = f.Add(DecidedEvent("web", "u1", f.fold.state().seq, {release}));
  f.Add({.body = OutcomeRecorded{.key = Key("web"),
                                 .resource = std::string(kApps),
                                 .outcome = {.decided = decided, .last = true}}});
  EXPECT_THAT(f.KeyOf("web")->steps_done, ElementsAre("release"));
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u2", 20), {MarkOf("web")}));
  f.Add(DecidedEvent("web", "u2", f.fold.state().seq));
  EXPECT_THAT(f.KeyOf("web")->steps_done, IsEmpty());
}

TEST(FoldTest, PlanIsOpenUntilItsLastOutcome) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  const Effect apply{.kind = EffectKind::kApply,
                     .resource = DeploymentResource(),
                     .target = {.ns = "shop", .name = "web"},
                     .body = "{}"};
  const EventSeq decided = f.Add(DecidedEvent("web", "u1", f.fold.state().seq, {apply, apply}));
  EXPECT_TRUE(f.KeyOf("web")->open);
  f.Add({.body = OutcomeRecorded{.key = Key("web"),
                                 .resource = std::string(kApps),
                                 .outcome = {.decided = decided, .ordinal = 0}}});
  EXPECT_TRUE(f.KeyOf("web")->open);
  f.Add({.body = OutcomeRecorded{.key = Key("web"),
                                 .resource = std::string(kApps),
                                 .outcome = {.decided = decided, .ordinal = 1, .last = true}}});
  EXPECT_FALSE(f.KeyOf("web")->open);
}

TEST(FoldTest, ResponseToOurWriteEntersTheView) {
  FoldFixture f;
  f.Add({.stream = kDeploymentStream,
         .subjects = {{.resource = "deployments.apps",
                       .key = {.ns = "shop", .name = "web"},
                       .uid = "d1"}},
         .body = OutcomeRecorded{
             .key = Key("web"),
             .resource = std::string(kApps),
             .outcome = {.response = DumpJson(DeploymentOf("web", "u1", "d1", 12))}}});
  const ObjectEntry* entry =
      f.fold.state().FindObject("deployments.apps", {.ns = "shop", .name = "web"});
  ASSERT_THAT(entry, NotNull());
  EXPECT_EQ(entry->object->resource_version(), "12");
}

TEST(FoldTest, ResponseWithoutFinalizersThatIsBeingDeletedIsADeletion) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  Json gone = App("web", "u1", 11);
  gone["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:00Z";
  f.Add({.stream = kAppStream,
         .subjects = {{.resource = std::string(kApps),
                       .key = {.ns = "shop", .name = "web"},
                       .uid = "u1"}},
         .body = OutcomeRecorded{.key = Key("web"),
                                 .resource = std::string(kApps),
                                 .outcome = {.response = DumpJson(gone)}}});
  EXPECT_THAT(f.AppOf("web"), IsNull());
  EXPECT_THAT(f.fold.state().tombstones.Find("u1"), NotNull());
}

TEST(FoldTest, ReadOfAnUnwatchedKindIsForItsHistoryOnly) {
  FoldFixture f;
  Event event = ObservedEvent(ChangeType::kModified, App("web", "u1", 10));
  event.stream = StreamId();
  f.Add(event);
  EXPECT_THAT(f.AppOf("web"), IsNull());
}

TEST(FoldTest, ChangedBuildMarksEveryObjectAtLowPriority) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("a", "u1", 10)));
  f.Add(ObservedEvent(ChangeType::kAdded, App("b", "u2", 11)));
  f.Add({.body = BuildStarted{.controllers = {"simpleapp=simpleapps.apps.bootcamp.local"},
                              .changed = true}});
  for (std::string_view name : {"a", "b"}) {
    ASSERT_THAT(f.KeyOf(name), NotNull());
    EXPECT_TRUE(f.KeyOf(name)->low_priority);
    EXPECT_EQ(f.KeyOf(name)->causes.front().reason, MarkReason::kBuildChanged);
  }
}

TEST(FoldTest, NormalCauseLiftsAKeyOutOfLowPriority) {
  FoldFixture f;
  Mark low = MarkOf("web");
  low.low_priority = true;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10), {low}));
  EXPECT_TRUE(f.KeyOf("web")->low_priority);
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 11), {MarkOf("web")}));
  EXPECT_FALSE(f.KeyOf("web")->low_priority);
}

TEST(FoldTest, CausesBeyondTheLimitAreCountedAndTheLastIsKept) {
  FoldFixture f;
  EventSeq last;
  for (size_t i = 0; i < KeyState::kCausesMax + 5; ++i) {
    last = f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 10 + static_cast<int>(i)),
                               {MarkOf("web")}));
  }
  EXPECT_EQ(f.KeyOf("web")->causes.size(), KeyState::kCausesMax);
  EXPECT_EQ(f.KeyOf("web")->causes.back().seq, last);
  EXPECT_EQ(f.KeyOf("web")->causes_dropped, 5u);
}

TEST(FoldTest, ClosedStreamTakesItsObjectsAlongWithoutCallingThemDead) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  f.Add(StreamEvent(StreamChange::kClosed, kAppStream, AppResource()));
  EXPECT_THAT(f.AppOf("web"), IsNull());
  EXPECT_THAT(f.fold.state().tombstones.Find("u1"), IsNull());
  EXPECT_TRUE(f.fold.state().streams.Find(kAppStream)->closed);
}

TEST(FoldTest, AfterARewindOlderVersionsAreTaken) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 100)));
  Event rewound = StreamEvent(StreamChange::kRewound, kAppStream, AppResource());
  std::get<StreamChanged>(rewound.body).generation = 2;
  f.Add(rewound);
  f.Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 50), {}, true));
  f.Add(StreamEvent(StreamChange::kListed, kAppStream, AppResource()));
  EXPECT_EQ(f.AppOf("web")->object->resource_version(), "50");
  EXPECT_EQ(f.fold.state().streams.Find(kAppStream)->generation, 2u);
}

TEST(FoldTest, DeadUidOfAnEarlierDeletionReturnsThroughARewindOnly) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kDeleted, App("web", "u1", 100)));
  f.Add(StreamEvent(StreamChange::kRewound, kAppStream, AppResource()));
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 50)));
  EXPECT_THAT(f.AppOf("web"), NotNull());
  EXPECT_THAT(f.fold.state().tombstones.Find("u1"), IsNull());
  EXPECT_TRUE(f.fold.TakeChanges().tombstones.contains("u1"));
}

TEST(FoldTest, OlderIncarnationDoesNotReplaceANewerOne) {
  FoldFixture f;
  f.Add(ObservedEvent(ChangeType::kAdded, App("web", "u2", 20)));
  f.Add(ObservedEvent(ChangeType::kModified, App("web", "u1", 15)));
  EXPECT_EQ(f.AppOf("web")->object->uid(), "u2");
}

// A start from a checkpoint of which everything was written but its state_seq.
TEST(FoldTest, ListThatTheRowsHaveAlreadyLeavesNothingPending) {
  FoldFixture live;
  live.Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  live.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10), {}, true));
  live.Add(StreamEvent(StreamChange::kListed, kAppStream, AppResource()));
  ViewState rows = live.fold.state();
  rows.seq = EventSeq();
  Fold fold(rows);
  for (const Event& event : live.events) {
    fold.Apply(event);
  }
  EXPECT_FALSE(fold.ListPending());
  EXPECT_EQ(fold.state().FindObject(kApps, {"shop", "web"})->object->resource_version(), "10");
}

// A start from a checkpoint whose rows are partly newer than its state_seq.
TEST(FoldTest, RowsNewerThanTheEventAreLeftAlone) {
  FoldFixture live;
  live.Add(ObservedEvent(ChangeType::kAdded, App("a", "u1", 10), {MarkOf("a")}));
  const ViewState checkpoint = live.fold.state();
  live.Add(ObservedEvent(ChangeType::kModified, App("a", "u1", 11), {MarkOf("a")}));
  live.Add(ObservedEvent(ChangeType::kAdded, App("b", "u2", 12), {MarkOf("b")}));
  live.Add(DecidedEvent("a", "u1", live.fold.state().seq));
  live.Add(ObservedEvent(ChangeType::kDeleted, App("b", "u2", 13), {MarkOf("b")}));

  // Every choice of which rows were written later than the checkpoint's state_seq.
  for (int choice = 0; choice < 8; ++choice) {
    ViewState start = checkpoint;
    if ((choice & 1) != 0) {
      start.PutObject(kApps, *live.AppOf("a"));
    }
    if ((choice & 2) != 0) {
      start.keys.Set(KeyPath(Key("a")), std::make_shared<const KeyState>(*live.KeyOf("a")));
    }
    if ((choice & 4) != 0) {
      start.tombstones.Set("u2", *live.fold.state().tombstones.Find("u2"));
    }
    Fold fold(start);
    for (const Event& event : live.events) {
      if (event.seq > checkpoint.seq) {
        fold.Apply(event);
      }
    }
    SCOPED_TRACE(choice);
    EXPECT_EQ(fold.state().FindObject(kApps, {"shop", "a"})->object->resource_version(), "11");
    EXPECT_THAT(fold.state().FindObject(kApps, {"shop", "b"}), IsNull());
    EXPECT_EQ(*fold.state().FindKey(Key("a")), *live.KeyOf("a"));
    EXPECT_EQ(*fold.state().FindKey(Key("b")), *live.KeyOf("b"));
  }
}

}  // namespace
}  // namespace logbook::reconcile
