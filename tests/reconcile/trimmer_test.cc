#include "logbook/reconcile/trimmer.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "random_journal_fixture.h"
#include "view_text.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/reconcile/view_at.h"
#include "logbook/store/base.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/history.h"
#include "logbook/store/holds.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/state_rows.h"
#include "logbook/store/trim.h"
#include "logbook/store/verify.h"
#include "logbook/support/fake_clock.h"
#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::reconcile {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kBlock = store::kBlockEvents;

class TrimmerTest : public RandomJournalTest {
 protected:
  explicit TrimmerTest(bool lists = false) : RandomJournalTest(lists) {}

  void ExpectSound() {
    journal_.reset();
    RandomJournalTest::ExpectSound(temp_ / "store");
    Open();
  }

  // The watermark is where a view was noted only by chance, so some after it are looked at.
  void ExpectViewsSince(EventSeq watermark) {
    EXPECT_THAT(FoldTo(*journal_, EventSeq(watermark.value - 1)).status(),
                StatusIs(absl::StatusCode::kOutOfRange));
    auto view = views_.lower_bound(watermark);
    for (int i = 0; i < 3 && view != views_.end(); ++i) {
      const absl::StatusOr<Fold> fold = FoldTo(*journal_, view->first);
      ASSERT_OK(fold);
      EXPECT_EQ(TextOf(fold->state()), TextOf(view->second)) << "at " << view->first.value;
      view = views_.lower_bound(EventSeq(view->first.value + 1500));
    }
  }
};

class TrimmerListsTest : public TrimmerTest {
 protected:
  TrimmerListsTest() : TrimmerTest(true) {}
};

TEST_F(TrimmerListsTest, EveryViewSinceTheWatermarkIsWhatItWas) {
  EventSeq before;
  // A block with a list at its end waits for the next one, so a few may not do.
  for (uint64_t blocks = 1; blocks <= 4 || before == EventSeq(0); ++blocks) {
    Fill(EventSeq((blocks + 1) * kBlock));
    Checkpoint();
    ASSERT_OK(TrimTo(EventSeq(blocks * kBlock)));
    if (const EventSeq watermark = journal_->watermark().seq; watermark > before) {
      before = watermark;
      ExpectViewsSince(watermark);
    }
  }
  ExpectSound();
  EXPECT_THAT(journal_->Read(EventSeq(3), EventSeq(9), [](const Event&) { return true; }),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("event 3 of store")));
}

TEST_F(TrimmerTest, TrimmedStoreStartsFromItsCheckpointAndWithoutItFromItsBase) {
  Fill(EventSeq(2 * kBlock + 700));
  Checkpoint();
  ASSERT_OK(TrimTo(EventSeq(2 * kBlock)));
  const std::string expected = TextOf(fold_.state());
  Open();
  absl::StatusOr<ViewState> rows = store::LoadState(*journal_);
  ASSERT_OK(rows);
  EXPECT_EQ(TextOf(FoldFrom(*std::move(rows), *journal_, journal_->last())->state()), expected);
  store::RowBatch batch(journal_->database());
  batch.Delete(store::ColumnFamily::kMeta, "state_seq");
  ASSERT_OK(journal_->WriteDerived(batch));
  rows = store::LoadState(*journal_);
  ASSERT_OK(rows);
  EXPECT_EQ(rows->seq, journal_->watermark().seq);
  EXPECT_EQ(TextOf(FoldFrom(*std::move(rows), *journal_, journal_->last())->state()), expected);
}

TEST_F(TrimmerTest, JournalGoesOnWithItsNumbersThoughAllWasTrimmed) {
  Fill(EventSeq(kBlock - 1));
  Checkpoint();
  const EventSeq last = fold_.state().seq;
  ASSERT_OK(TrimTo(last));
  EXPECT_EQ(journal_->watermark().seq, last);
  Open();
  EXPECT_EQ(journal_->last(), last);
  Fill(EventSeq(last.value + 10));
  ExpectSound();
}

TEST_F(TrimmerTest, DeletionsStayWithTheirLastStateUntilTheAuditPeriodIsOver) {
  Fill(EventSeq(2 * kBlock));
  Checkpoint();
  std::vector<EventSeq> deletions;
  ASSERT_OK(journal_->Read(EventSeq(1), EventSeq(kBlock - 1), [&](const Event& event) {
    const auto* observed = std::get_if<Observed>(&event.body);
    if (observed != nullptr && IsRemoval(observed->change)) {
      deletions.push_back(event.seq);
    }
    return true;
  }));
  ASSERT_GT(deletions.size(), 10U);
  const Event before = *journal_->Get(deletions[0]);
  ASSERT_OK(TrimTo(EventSeq(2 * kBlock)));
  ASSERT_GE(journal_->watermark().seq, EventSeq(kBlock - 1));
  const auto kept = journal_->Get(deletions[0]);
  ASSERT_OK(kept);
  EXPECT_EQ(std::get<Observed>(kept->body).object->json(),
            std::get<Observed>(before.body).object->json());
  const auto entries = store::ReadHistory(*journal_, before.subjects[0], EventSeq(1), 1000);
  ASSERT_OK(entries);
  EXPECT_EQ(entries->front().seq, deletions[0]);
  ASSERT_OK(store::ExpireKept(*journal_, fold_.state(),
                              {.oldest = before.wall_time + absl::Nanoseconds(1)}));
  EXPECT_THAT(journal_->Get(deletions[0]).status(), StatusIs(absl::StatusCode::kOutOfRange));
  ASSERT_OK(journal_->Get(deletions[1]));
  ExpectSound();
}

TEST_F(TrimmerTest, KeptRecordsAreBoundedInBytes) {
  Fill(EventSeq(2 * kBlock));
  Checkpoint();
  ASSERT_OK(TrimTo(EventSeq(2 * kBlock)));
  ASSERT_OK(store::ExpireKept(*journal_, fold_.state(), {.bytes_max = 10'000}));
  const auto size = store::ReadKeptSize(journal_->database());
  ASSERT_OK(size);
  EXPECT_LE(size->bytes, 10'000U);
  EXPECT_GT(size->records, 0U);
  ExpectSound();
}

TEST_F(TrimmerTest, HoldKeepsItsEventsAndIsNamed) {
  Fill(EventSeq(3 * kBlock));
  Checkpoint();
  ASSERT_OK(store::PutHold(
      *journal_,
      {.name = "case-1", .from = EventSeq(kBlock + 5), .who = "ann", .why = "asked by legal"}));
  const auto report = TrimTo(EventSeq(3 * kBlock));
  ASSERT_OK(report);
  EXPECT_LT(report->watermark, EventSeq(kBlock + 5));
  EXPECT_EQ(report->held_by, "hold case-1, from event 4101 on");
  ASSERT_OK(journal_->Get(EventSeq(kBlock + 5)));
  ASSERT_OK(store::RemoveHold(*journal_, "case-1"));
  ASSERT_OK(TrimTo(EventSeq(3 * kBlock)));
  EXPECT_GT(journal_->watermark().seq, EventSeq(kBlock + 5));
}

TEST_F(TrimmerTest, WhatNoCheckpointCoversStays) {
  Fill(EventSeq(2 * kBlock));
  const auto report = TrimTo(EventSeq(2 * kBlock));
  ASSERT_OK(report);
  EXPECT_EQ(report->events, 0U);
  EXPECT_EQ(journal_->oldest(), EventSeq(1));
}

TEST_F(TrimmerTest, OldEventsGoByAge) {
  Fill(EventSeq(4 * kBlock));
  Checkpoint();
  clock_.Advance(absl::Seconds(2 * kBlock + 1) + absl::Hours(1));
  Trimmer trimmer(*journal_, {.age = absl::Hours(1)}, clock_);
  const auto report = trimmer.Trim(ViewState(), [] { return false; });
  ASSERT_OK(report);
  EXPECT_EQ(report->wanted, EventSeq(2 * kBlock - 1));
  EXPECT_THAT(report->held_by, IsEmpty());
}

TEST_F(TrimmerTest, UndecidedCausesAndOpenPlansHoldTheirEvents) {
  Fill(EventSeq(kBlock));
  ViewState view;
  view.keys.Set(KeyPath(Key("web")),
                std::make_shared<const KeyState>(KeyState{.decided = EventSeq(70), .open = true}));
  view.keys.Set(KeyPath(Key("shop")),
                std::make_shared<const KeyState>(KeyState{.causes = {{.seq = EventSeq(60)}}}));
  const auto hold = OldestHold(*journal_, view, journal_->last());
  ASSERT_OK(hold);
  ASSERT_TRUE(hold->has_value());
  EXPECT_EQ((*hold)->from, EventSeq(60));
  EXPECT_EQ((*hold)->what, "cause of shop/shop");
}

TEST_F(TrimmerTest, PendingFinalizersHoldWhatHappenedSinceTheDeletion) {
  Json app = App("zombie", "u-z", 900'000);
  Fill(EventSeq(100));
  const auto append = [&] {
    Event event = ObservedEvent(ChangeType::kModified, app);
    event.seq = journal_->last().Next();
    event.run = journal_->run();
    ASSERT_OK(journal_->Append({&event, 1}, {}, store::Fsync::kYes));
    fold_.Apply(event);
  };
  append();
  app["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:00Z";
  app["metadata"]["finalizers"] = Json::array({"example.com/hold"});
  append();
  const EventSeq seen = journal_->last();
  append();
  ViewState view;
  view.PutObject(kApps, {.object = MakeObject(app), .seq = journal_->last()});
  const auto hold = OldestHold(*journal_, view, journal_->last());
  ASSERT_OK(hold);
  ASSERT_TRUE(hold->has_value());
  EXPECT_EQ((*hold)->from, seen);
  EXPECT_EQ((*hold)->what, "finalizers of simpleapps.apps.bootcamp.local shop/zombie");
}

// A crash before the last batch leaves rows of a watermark that never came.
TEST_F(TrimmerTest, RowsOfATrimmingThatWasCutShortAreNotLookedAt) {
  Fill(EventSeq(2 * kBlock));
  Checkpoint();
  ASSERT_OK(TrimTo(EventSeq(kBlock)));
  const auto before = store::LoadBase(*journal_);
  ASSERT_OK(before);
  store::RowBatch batch(journal_->database());
  fold_.state().objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    const ObjectRef ref = RefFromPath(path);
    batch.Put(
        store::ColumnFamily::kBase,
        store::BaseRowKey(store::ObjectRowKey(ref.resource, ref.key), EventSeq(2 * kBlock - 1)),
        store::EncodeObjectRow(entry));
  });
  ASSERT_OK(journal_->WriteDerived(batch));
  const auto after = store::LoadBase(*journal_);
  ASSERT_OK(after);
  EXPECT_EQ(TextOf(*after), TextOf(*before));
  ASSERT_OK(TrimTo(EventSeq(2 * kBlock)));
  ExpectViewsSince(journal_->watermark().seq);
  ExpectSound();
}

TEST_F(TrimmerTest, VerifyFindsAMissingBlockAndAWrongWatermark) {
  Fill(EventSeq(2 * kBlock));
  Checkpoint();
  ASSERT_OK(TrimTo(EventSeq(kBlock)));
  store::RowBatch batch(journal_->database());
  batch.Delete(store::ColumnFamily::kEvents, store::EventRowKey(EventSeq(kBlock)));
  ASSERT_OK(journal_->WriteDerived(batch));
  const std::string directory = journal_->directory();
  journal_.reset();
  const auto report = store::VerifyStore({.directory = directory});
  ASSERT_OK(report);
  ASSERT_FALSE(report->ok());
  EXPECT_EQ(report->findings.front().check, "contiguous");
  EXPECT_EQ(store::Journal::Open({.directory = directory}).status().code(),
            absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace logbook::reconcile
