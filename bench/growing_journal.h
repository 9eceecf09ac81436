// A journal that grows with its fold, looked after as a session does it: dictionaries, state
// checkpoints, retention.
#ifndef LOGBOOK_BENCH_GROWING_JOURNAL_H_
#define LOGBOOK_BENCH_GROWING_JOURNAL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "journal_events.h"

#include "logbook/base/clock.h"
#include "logbook/reconcile/checkpoint_of.h"
#include "logbook/reconcile/fold.h"
#include "logbook/reconcile/trimmer.h"
#include "logbook/store/checkpoint.h"

namespace logbook::bench {

class GrowingJournal {
 public:
  // Events are versions of `objects` apps in turn.
  GrowingJournal(std::string directory, int64_t objects)
      : directory_(std::move(directory)), objects_(objects), journal_(MustOpen(directory_)) {}

  // Appends `count` events, some hundred to a batch; a decision that nothing is to be done follows
  // each, so that no key stays dirty.
  void Append(int64_t count) {
    std::vector<Event> batch;
    for (int64_t i = 0; i < count; ++i) {
      Add(Observe(), batch);
      Add(Decide(batch.back()), batch);
      if (batch.size() >= kBatch || i + 1 == count) {
        Must(journal_->Append(batch, {}, store::Fsync::kNo));
        fold_.TakeTouchedKeys();  // as the writer does with each batch
        batch.clear();
      }
    }
    Must(journal_->Sync());
    Must(journal_->RecordSynced());
    Must(journal_->TrainDictionaryIfDue());
  }

  void Checkpoint() {
    Must(store::WriteCheckpoint(*journal_,
                                reconcile::CheckpointOf(fold_.state(), fold_.TakeChanges())));
    Must(journal_->Sync());
  }

  reconcile::TrimReport Trim(const reconcile::RetentionPolicy& policy) {
    auto report = reconcile::Trimmer(*journal_, policy, SystemClock()).Trim(fold_.state(), [] {
      return false;
    });
    Must(report.status());
    return *report;
  }

  void Close() {
    Must(journal_->Close());
    journal_.reset();
  }

  const store::Journal& journal() const { return *journal_; }

  const ViewState& view() const { return fold_.state(); }

 private:
  static constexpr size_t kBatch = 256;

  void Add(Event event, std::vector<Event>& batch) {
    event.seq = fold_.state().seq.Next();
    event.run = journal_->run();
    event.wall_time = SystemClock().Now();
    fold_.Apply(event);
    batch.push_back(std::move(event));
  }

  Event Observe() {
    const int64_t n = changes_++;
    std::string text = app_.Render(n % objects_);
    app_.SetVersion(text, 0, kFirstVersion + n, n);
    return ObservedEvent(EventSeq(), RunId(), text);
  }

  static Event Decide(const Event& observed) {
    const ObjectRef& subject = observed.subjects.front();
    Event event;
    event.subjects = {subject};
    event.causes = {observed.seq};
    event.body = Decided{.key = observed.marks.front().key,
                         .resource = subject.resource,
                         .uid = subject.uid,
                         .view_seq = observed.seq,
                         .reason = "all as wanted, phase Available",
                         .segment = "reconcile"};
    return event;
  }

  const std::string directory_;
  const int64_t objects_;
  const ObjectTemplate app_ = MakeSettledApp().app;
  int64_t changes_ = 0;
  reconcile::Fold fold_{ViewState()};
  std::unique_ptr<store::Journal> journal_;
};

}  // namespace logbook::bench

#endif  // LOGBOOK_BENCH_GROWING_JOURNAL_H_
