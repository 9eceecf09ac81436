// What the writer tells, and whom, when its journal fails.
#include <thread>

#include "journal_fixture.h"
#include "store/faulty_file_system.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/reconcile/writer.h"

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// How often a proposal was told that it is committed, and that it is not.
struct Told {
  int committed = 0;
  int failed = 0;
};

class WriterFailureTest : public JournalTest {
 protected:
  void SetUp() override {
    env_ = faulty_.env();
    OpenJournal();
  }

  // CloseJournal uses the environment, so it comes before the members of this class go.
  ~WriterFailureTest() override { CloseJournal(); }

  void FillDisk() { faulty_.faults().log_bytes_left = 0; }

  Proposal Note(Told& told, size_t bytes = 0) {
    return {.propose =
                [&told](Draft& draft) {
                  draft.Add({.body = Marked{.reason = "note"}});
                  draft.OnCommitted([&told] { ++told.committed; });
                },
            .on_failed = [&told] { ++told.failed; },
            .bytes = bytes};
  }

  store::FaultyEnv faulty_;
};

TEST_F(WriterFailureTest, EveryProposalOfAFailedBatchAndBehindItIsRefusedOnce) {
  std::vector<Told> told(3);
  {
    Gate gate(*writer_);
    for (Told& one : told) {
      writer_->Submit(Note(one));
    }
    FillDisk();
  }
  EXPECT_THAT(writer_->SubmitAndWait([](Draft&) {}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  writer_.reset();
  for (const Told& one : told) {
    EXPECT_EQ(one.committed, 0);
    EXPECT_EQ(one.failed, 1);
  }
}

TEST_F(WriterFailureTest, FailureIsReportedOnceAndStays) {
  FillDisk();
  const absl::Status refused =
      writer_->SubmitAndWait([](Draft& draft) { draft.Add({.body = Marked{}}); });
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("free space")));
  faulty_.faults().log_bytes_left = int64_t{1} << 40;
  Told late;
  writer_->Submit(Note(late));
  EXPECT_EQ(late.failed, 1);
  EXPECT_EQ(writer_->SubmitAndWait([](Draft&) {}), refused);
  EXPECT_EQ(writer_->failure(), refused);
  EXPECT_EQ(writer_->waiting(), 0u);
  writer_.reset();
  EXPECT_THAT(Deaths(), ElementsAre(refused));
}

TEST_F(WriterFailureTest, NothingOfAFailedBatchIsEverSeen) {
  Add({.body = Marked{.reason = "good"}});
  FillDisk();
  EXPECT_FALSE(writer_->SubmitAndWait([](Draft& draft) { draft.Add({.body = Marked{}}); }).ok());
  EXPECT_EQ(view()->seq, EventSeq(1));
  EXPECT_THAT(Published(), ElementsAre(EventSeq(1)));
}

TEST_F(WriterFailureTest, FailedSyncRefusesTheProposalThatNeededIt) {
  faulty_.faults().log_sync_fails = true;
  Told told;
  const auto propose = [&](Draft& draft) {
    Note(told).propose(draft);
    draft.RequireSync();
  };
  EXPECT_THAT(writer_->SubmitAndWait(propose), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(told.committed, 0);
  writer_.reset();
  EXPECT_THAT(Deaths(), SizeIs(1));
}

TEST_F(WriterFailureTest, WhoWasAcknowledgedIsNotRefusedByALaterSync) {
  Told told;
  writer_->Submit(Note(told));
  EXPECT_OK(writer_->SubmitAndWait([](Draft&) {}));
  Told last;
  writer_->Submit(Note(last));
  faulty_.faults().log_sync_fails = true;
  writer_.reset();  // syncs
  for (const Told& one : {told, last}) {
    EXPECT_EQ(one.committed, 1);
    EXPECT_EQ(one.failed, 0);
  }
  EXPECT_THAT(Deaths(), ElementsAre(StatusIs(absl::StatusCode::kUnavailable)));
}

TEST_F(WriterFailureTest, SubmitterThatWaitsForRoomIsLetGo) {
  CloseJournal();
  OpenJournal({.waiting_bytes_max = 10});
  std::vector<Told> told(3);
  std::vector<std::jthread> submitters;
  {
    Gate gate(*writer_);
    for (Told& one : told) {
      submitters.emplace_back([&] { writer_->Submit(Note(one, 100)); });
    }
    FillDisk();
  }
  submitters.clear();
  EXPECT_FALSE(writer_->SubmitAndWait([](Draft&) {}).ok());
  writer_.reset();
  for (const Told& one : told) {
    EXPECT_EQ(one.failed, 1);
  }
}

TEST_F(WriterFailureTest, JournalIsReadAgainWithAllThatWasAcknowledged) {
  Add({.body = Marked{.reason = "good"}});
  FillDisk();
  EXPECT_FALSE(writer_->SubmitAndWait([](Draft& draft) { draft.Add({.body = Marked{}}); }).ok());
  CloseJournal();
  faulty_.faults().log_bytes_left = int64_t{1} << 40;
  OpenJournal();
  EXPECT_THAT(Bodies<Marked>(), ::testing::Contains(::testing::Field(&Marked::reason, "good")));
  EXPECT_THAT(Bodies<Gap>(), IsEmpty());
}

}  // namespace
}  // namespace logbook::reconcile
