#include "logbook/reconcile/writer.h"

#include <thread>

#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::Not;
using ::testing::NotNull;

Event Note(std::string_view text, std::vector<Mark> marks = {}) {
  return {.marks = std::move(marks), .body = Marked{.reason = std::string(text)}};
}

class WriterTest : public JournalTest {
 protected:
  void SetUp() override { OpenJournal(); }

  void SubmitNote(std::string_view text, size_t bytes = 0) {
    writer_->Submit(
        {.propose = [note = Note(text)](Draft& draft) { draft.Add(note); }, .bytes = bytes});
  }

  // Waits for everything that was submitted.
  void Flush() {
    EXPECT_OK(writer_->SubmitAndWait([](Draft&) {}));
  }

  std::vector<std::string> Notes() const {
    std::vector<std::string> texts;
    for (const Marked& note : Bodies<Marked>()) {
      texts.push_back(note.reason);
    }
    return texts;
  }
};

TEST_F(WriterTest, EventsAreNumberedAndStampedWithRunAndTime) {
  clock_.Advance(absl::Seconds(7));
  EXPECT_EQ(Add(Note("a")), EventSeq(1));
  EXPECT_EQ(Add(Note("b")), EventSeq(2));
  const std::vector<Event> events = Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].seq, EventSeq(2));
  EXPECT_EQ(events[1].run, journal_->run());
  EXPECT_EQ(events[1].wall_time, FakeClock::Start() + absl::Seconds(7));
}

TEST_F(WriterTest, ProposalsAreCommittedInTheOrderTheyCame) {
  for (std::string_view text : {"a", "b", "c", "d"}) {
    SubmitNote(text);
  }
  Flush();
  EXPECT_THAT(Notes(), ElementsAre("a", "b", "c", "d"));
}

TEST_F(WriterTest, ProposalSeesWhatThoseBeforeItInItsBatchAdded) {
  Gate gate(*writer_);
  writer_->Submit({.propose = [](Draft& draft) {
    draft.Add(StreamEvent(StreamChange::kOpened, kAppStream, AppResource()));
    draft.Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  }});
  bool seen = false;
  writer_->Submit({.propose = [&](Draft& draft) {
    seen = draft.view().FindObject(kApps, {.ns = "shop", .name = "web"}) != nullptr;
  }});
  gate.Open();
  Flush();
  EXPECT_TRUE(seen);
}

TEST_F(WriterTest, NobodySeesAnEventBeforeItIsCommitted) {
  ViewStatePtr during;
  EventSeq in_journal;
  EXPECT_OK(writer_->SubmitAndWait([&](Draft& draft) {
    draft.Add(Note("a"));
    during = view();
    in_journal = journal_->last();
  }));
  EXPECT_EQ(during->seq, EventSeq(0));
  EXPECT_EQ(in_journal, EventSeq(0));
  EXPECT_EQ(view()->seq, EventSeq(1));
}

TEST_F(WriterTest, WhatWaitsBecomesOneBatch) {
  Gate gate(*writer_);
  for (std::string_view text : {"a", "b", "c"}) {
    SubmitNote(text);
  }
  EXPECT_EQ(writer_->waiting(), 3u);
  gate.Open();
  Flush();
  EXPECT_THAT(Published(),
              AllOf(Contains(EventSeq(3)), Not(Contains(EventSeq(1))), Not(Contains(EventSeq(2)))));
}

TEST_F(WriterTest, CallbacksRunInOrderAfterCommitAndPublication) {
  std::vector<std::string> order;
  const auto note = [&](std::string_view who) {
    order.push_back(Concat(who, " journal ", journal_->last().value, " view ", view()->seq.value,
                           " published ", Published().back().value));
  };
  EXPECT_OK(writer_->SubmitAndWait([&](Draft& draft) {
    draft.Add(Note("a"));
    draft.OnCommitted([&] { note("first"); });
    draft.OnCommitted([&] { note("second"); });
  }));
  EXPECT_THAT(order, ElementsAre("first journal 1 view 1 published 1",
                                 "second journal 1 view 1 published 1"));
}

TEST_F(WriterTest, PublicationNamesTheKeysThatChanged) {
  Add(Note("a", {MarkOf("web"), MarkOf("shop")}));
  Add(Note("b", {MarkOf("web")}));
  absl::MutexLock lock(&mu_);
  ASSERT_EQ(publications_.size(), 2u);
  EXPECT_THAT(publications_[0].keys, ElementsAre(Key("web"), Key("shop")));
  EXPECT_THAT(publications_[1].keys, ElementsAre(Key("web")));
}

TEST_F(WriterTest, RequiredSyncIsDoneBeforeCallbacksRun) {
  EventSeq synced;
  EXPECT_OK(writer_->SubmitAndWait([&](Draft& draft) {
    draft.Add(Note("a"));
    draft.RequireSync();
    draft.OnCommitted([&] { synced = journal_->last_synced(); });
  }));
  EXPECT_EQ(synced, EventSeq(1));
}

TEST_F(WriterTest, WithoutNeedNothingIsSyncedBeforeTheIntervalIsOver) {
  Add(Note("a"));
  Add(Note("b"));
  EXPECT_EQ(journal_->last_synced(), EventSeq(0));
  clock_.Advance(absl::Seconds(1));
  Add(Note("c"));
  EXPECT_GE(journal_->last_synced(), EventSeq(2));
}

TEST_F(WriterTest, EndOfTheWriterSyncsWhatWasSubmitted) {
  SubmitNote("a");
  SubmitNote("b");
  writer_.reset();
  EXPECT_EQ(journal_->last_synced(), EventSeq(2));
}

TEST_F(WriterTest, BookmarkMovesWithItsBatchAndCanBeTakenAway) {
  EXPECT_OK(writer_->SubmitAndWait([](Draft& draft) {
    draft.Add(Note("a"));
    draft.SetBookmark(kAppStream, "100");
    draft.SetBookmark(kAppStream, "101");
    draft.SetBookmark(kDeploymentStream, "55");
  }));
  auto bookmarks = journal_->Bookmarks();
  ASSERT_OK(bookmarks);
  EXPECT_EQ(bookmarks->at(kAppStream), (store::Bookmark{"101", EventSeq(1)}));
  EXPECT_EQ(bookmarks->at(kDeploymentStream), (store::Bookmark{"55", EventSeq(1)}));
  EXPECT_OK(writer_->SubmitAndWait([](Draft& draft) { draft.SetBookmark(kAppStream, ""); }));
  bookmarks = journal_->Bookmarks();
  ASSERT_OK(bookmarks);
  EXPECT_FALSE(bookmarks->contains(kAppStream));
  EXPECT_TRUE(bookmarks->contains(kDeploymentStream));
}

TEST_F(WriterTest, ListedEventsBecomeVisibleOnlyWhenTheListIsComplete) {
  OpenStreams();
  Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  for (std::string_view name : {"a", "b"}) {
    Add(ObservedEvent(ChangeType::kAdded, App(name, name, 10), {MarkOf(name)}, /*listed=*/true));
    EXPECT_THAT(FindIn(kApps, "a"), IsNull());
    EXPECT_THAT(CausesOf("a"), IsEmpty());
  }
  Add(StreamEvent(StreamChange::kListed, kAppStream, AppResource()));
  for (std::string_view name : {"a", "b"}) {
    EXPECT_THAT(FindIn(kApps, name), NotNull());
    EXPECT_THAT(CausesOf(name), ElementsAre(MarkReason::kObserved));
  }
}

TEST_F(WriterTest, WriterGoesOnWhereTheJournalEnds) {
  Add(Note("a"));
  CloseJournal();
  OpenJournal();
  EXPECT_EQ(Add(Note("b")), EventSeq(2));
  EXPECT_EQ(Events().back().run, RunId(2));
}

class BatchLimitTest : public WriterTest {
 protected:
  void SetUp() override {
    OpenJournal({.batch_bytes_max = 100, .batch_events_max = 2, .waiting_bytes_max = 1000});
  }
};

TEST_F(BatchLimitTest, BatchTakesNoMoreProposalsThanItMay) {
  Gate gate(*writer_);
  for (std::string_view text : {"a", "b", "c"}) {
    SubmitNote(text);
  }
  gate.Open();
  Flush();
  EXPECT_THAT(Published(), Contains(EventSeq(2)));
}

TEST_F(BatchLimitTest, BatchTakesNoFurtherProposalOnceItIsLarge) {
  Gate gate(*writer_);
  SubmitNote("a", 101);
  SubmitNote("b", 1);
  gate.Open();
  Flush();
  EXPECT_THAT(Published(), Contains(EventSeq(1)));
}

TEST_F(BatchLimitTest, SubmittersThatWaitForRoomAllGetThrough) {
  Gate gate(*writer_);
  std::vector<std::jthread> submitters;
  for (int i = 0; i < 4; ++i) {
    submitters.emplace_back([this] { SubmitNote("large", 1001); });
  }
  gate.Open();
  submitters.clear();
  Flush();
  EXPECT_EQ(Notes().size(), 4u);
}

}  // namespace
}  // namespace logbook::reconcile
