#include "session.h"

#include <iostream>
#include <utility>

#include "logbook/reconcile/checkpoint_of.h"
#include "logbook/store/checkpoint.h"
#include "logbook/support/fake_clock.h"

namespace logbook::crash {

store::JournalOptions StoreOptions(const std::string& directory) {
  static const FakeClock kClock;
  return {.directory = directory,
          .identity = {.cluster_uid = "cluster-1", .operator_name = "simpleapp"},
          .create_if_missing = true,
          .clock = &kClock};
}

bool IsScripted(const Event& event) {
  return event.kind() != EventKind::kGap;
}

Session::Session(store::JournalOptions options, Acknowledge acknowledge)
    : options_(std::move(options)), acknowledge_(std::move(acknowledge)) {}

absl::Status Session::Run() {
  LOGBOOK_RETURN_IF_ERROR(Open());
  LOGBOOK_ASSIGN_OR_RETURN(const size_t first, FirstStep());
  for (size_t i = first; i < script_.size(); ++i) {
    LOGBOOK_RETURN_IF_ERROR(Do(script_[i]));
  }
  LOGBOOK_RETURN_IF_ERROR(journal_->Close());
  Acknowledged();
  return absl::OkStatus();
}

absl::Status Session::Open() {
  journal_.reset();
  LOGBOOK_ASSIGN_OR_RETURN(journal_, store::Journal::Open(options_));
  Acknowledged();
  return LoadView();
}

// As the runtime does it: rows of the last state checkpoint, and the events since then.
absl::Status Session::LoadView() {
  absl::StatusOr<ViewState> rows = store::LoadState(*journal_);
  rows_unreadable_ = absl::IsDataLoss(rows.status());
  if (rows_unreadable_) {
    rows = ViewState();
  }
  LOGBOOK_RETURN_IF_ERROR(rows.status());
  fold_ = std::make_unique<reconcile::Fold>(*std::move(rows));
  return journal_->Read(fold_->state().seq.Next(), journal_->last(), [&](const Event& event) {
    fold_->Apply(event);
    return true;
  });
}

// The step behind the one whose events are the journal's last: steps without events may be done
// twice.
absl::StatusOr<size_t> Session::FirstStep() const {
  uint64_t there = 0;
  LOGBOOK_RETURN_IF_ERROR(journal_->Read(EventSeq(1), journal_->last(), [&](const Event& event) {
    there += IsScripted(event) ? 1 : 0;
    return true;
  }));
  size_t step = 0;
  for (uint64_t events = 0; events < there && step < script_.size(); ++step) {
    events += script_[step].events.size();
    if (events > there) {
      return Internal("journal ends at event ", there, " of the script, within a batch");
    }
  }
  return step;
}

absl::Status Session::Do(const Step& step) {
  switch (step.kind) {
    case StepKind::kAppend:
      LOGBOOK_RETURN_IF_ERROR(Append(step));
      break;
    case StepKind::kSync:
      LOGBOOK_RETURN_IF_ERROR(journal_->Sync());
      break;
    case StepKind::kRecordSynced:
      RecordSynced();
      break;
    case StepKind::kCheckpoint:
      return WriteCheckpoint();
    case StepKind::kReopen:
      LOGBOOK_RETURN_IF_ERROR(journal_->Close());
      return Open();
    case StepKind::kReopenDirty:
      return Open();
  }
  Acknowledged();
  return absl::OkStatus();
}

absl::Status Session::Append(const Step& step) {
  std::vector<Event> events;
  for (const EventMaker& make : step.events) {
    const EventSeq seq(journal_->last().value + events.size() + 1);
    events.push_back(make(seq, journal_->run(), fold_->state()));
  }
  LOGBOOK_RETURN_IF_ERROR(journal_->Append(events, step.bookmarks, step.fsync));
  for (const Event& event : events) {
    fold_->Apply(event);
  }
  return absl::OkStatus();
}

absl::Status Session::WriteCheckpoint() {
  if (fold_->ListPending()) {
    return absl::OkStatus();
  }
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq before, store::ReadStateSeq(journal_->database()));
  store::CheckpointInput input = reconcile::CheckpointOf(fold_->state(), fold_->TakeChanges());
  input.everything = rows_unreadable_ || before == EventSeq(0);
  LOGBOOK_RETURN_IF_ERROR(store::WriteCheckpoint(*journal_, input));
  rows_unreadable_ = false;
  return absl::OkStatus();
}

// The runtime, too, goes on with the old note.
void Session::RecordSynced() {
  if (const absl::Status status = journal_->RecordSynced(); !status.ok()) {
    std::cerr << "synced position not noted: " << status.message() << "\n";
  }
}

void Session::Acknowledged() {
  const store::Position at = journal_->position();
  acknowledge_({.last = at.seq, .chain = at.chain, .synced = journal_->last_synced()});
}

}  // namespace logbook::crash
