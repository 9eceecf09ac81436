// RandomJournalTest: a journal of random events, and the view after each hundredth of them.
#ifndef LOGBOOK_TESTS_RECONCILE_RANDOM_JOURNAL_FIXTURE_H_
#define LOGBOOK_TESTS_RECONCILE_RANDOM_JOURNAL_FIXTURE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "random_history.h"
#include <gtest/gtest.h>

#include "logbook/reconcile/trimmer.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/journal.h"
#include "logbook/store/verify.h"
#include "logbook/support/fake_clock.h"
#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::reconcile {

class RandomJournalTest : public ::testing::Test {
 protected:
  explicit RandomJournalTest(bool lists) : history_(TestSeed(), lists) {}

  void SetUp() override { Open(); }

  // The first opening, or another run.
  void Open() {
    journal_.reset();
    absl::StatusOr<std::unique_ptr<store::Journal>> journal =
        store::Journal::Open({.directory = temp_ / "store",
                              .identity = {.cluster_uid = "cluster", .operator_name = "simpleapp"},
                              .create_if_missing = true,
                              .clock = &clock_});
    ASSERT_OK(journal);
    journal_ = *std::move(journal);
  }

  // Appends random events up to `last`, a second each, and looks after the journal as the
  // housekeeper does.
  void Fill(EventSeq last) {
    std::vector<Event> batch;
    while (fold_.state().seq < last) {
      Event event = history_.Next(fold_);
      event.seq = fold_.state().seq.Next();
      event.run = journal_->run();
      event.wall_time = FakeClock::Start() + absl::Seconds(event.seq.value);
      fold_.Apply(event);
      batch.push_back(std::move(event));
      if (batch.size() == 100) {
        Append(batch);
      }
    }
    Append(batch);
    ASSERT_OK(journal_->Sync());
    ASSERT_OK(journal_->RecordSynced());
    ASSERT_OK(journal_->TrainDictionaryIfDue());
  }

  void FillUntilNoListIsPending() {
    while (fold_.ListPending()) {
      Fill(fold_.state().seq.Next());
    }
  }

  void Checkpoint() {
    FillUntilNoListIsPending();
    ASSERT_OK(store::WriteCheckpoint(
        *journal_,
        {.state = std::make_shared<const ViewState>(fold_.state()), .everything = true}));
  }

  // Trims up to `to` or, where a list is in progress, less.
  absl::StatusOr<TrimReport> TrimTo(EventSeq to) {
    return Trimmer(*journal_, {}, clock_).TrimTo(to, ViewState(), [] { return false; });
  }

  // Of a store that nobody has open.
  static void ExpectSound(const std::string& directory) {
    const absl::StatusOr<store::VerifyReport> report = store::VerifyStore({.directory = directory});
    ASSERT_OK(report);
    for (const store::Finding& finding : report->findings) {
      ADD_FAILURE() << finding.check << ": " << finding.text;
    }
  }

  RandomHistory history_;
  Fold fold_{ViewState()};
  std::map<EventSeq, ViewState> views_;
  FakeClock clock_;
  TempDir temp_;
  std::unique_ptr<store::Journal> journal_;

 private:
  void Append(std::vector<Event>& batch) {
    ASSERT_OK(journal_->Append(batch, {}, store::Fsync::kNo));
    views_.emplace(fold_.state().seq, fold_.state());
    batch.clear();
  }
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_TESTS_RECONCILE_RANDOM_JOURNAL_FIXTURE_H_
