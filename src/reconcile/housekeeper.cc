#include "logbook/reconcile/housekeeper.h"

#include <utility>

#include "logbook/base/wait.h"
#include "logbook/store/anchor.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/journal.h"

namespace logbook::reconcile {

Housekeeper::Housekeeper(store::Journal& journal, JournalWriter& writer, AnchorKeeper& anchors,
                         EventSeq state_seq, HousekeepingOptions options, const Clock& clock,
                         Logger log)
    : journal_(journal),
      writer_(writer),
      anchors_(anchors),
      options_(options),
      clock_(clock),
      log_(std::move(log)),
      state_seq_(state_seq),
      write_everything_(options.write_everything) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Housekeeper::Run(const std::stop_token& stop) {
  while (WaitFor(options_.synced_interval, stop)) {
    if (!writer_.failure().ok()) {
      return;
    }
    if (const absl::Status status = journal_.RecordSynced(); !status.ok()) {
      log_.Error("Synced position not noted", {{"error", status}});
    }
    if (const absl::Status status = journal_.TrainDictionaryIfDue(); !status.ok()) {
      log_.Error("Dictionary not written", {{"error", status}});
    }
    WriteCheckpointIfDue(options_.checkpoint_events);
    MoveAnchorIfDue(options_.anchor_interval, stop);
  }
}

void Housekeeper::WriteCheckpointIfDue(uint64_t events_min) {
  if (writer_.view()->seq.value < state_seq_.value + events_min) {
    return;
  }
  store::CheckpointInput input;
  const absl::Status taken = writer_.SubmitAndWait([&](Draft& draft) {
    if (draft.ListPending()) {
      return;  // the listed events are in the journal, but not in the view yet
    }
    ViewChanges changes = draft.TakeChanges();
    input.state = std::make_shared<const ViewState>(draft.view());
    input.objects = {changes.objects.begin(), changes.objects.end()};
    input.keys = {changes.keys.begin(), changes.keys.end()};
    input.tombstones = {changes.tombstones.begin(), changes.tombstones.end()};
  });
  if (!taken.ok() || input.state == nullptr) {
    return;
  }
  input.everything = write_everything_ || state_seq_ == EventSeq();
  input.state->streams.ForEach([&](StreamId id, const StreamState&) { input.streams.insert(id); });
  const absl::Duration start = clock_.Monotonic();
  if (const absl::Status status = store::WriteCheckpoint(journal_, input); !status.ok()) {
    log_.Error("State checkpoint failed", {{"error", status}});
    write_everything_ = true;  // what had changed since the last one was taken, and is lost
    return;
  }
  state_seq_ = input.state->seq;
  write_everything_ = false;
  log_.Info("State checkpoint written", {{"seq", state_seq_.value},
                                         {"objects", uint64_t{input.state->objects.size()}},
                                         {"took", clock_.Monotonic() - start}});
}

void Housekeeper::MoveAnchorIfDue(absl::Duration interval, const std::stop_token& stop) {
  const store::Anchor anchor = journal_.anchor();
  if (anchor.position.seq == anchored_ || clock_.Monotonic() < anchored_at_ + interval) {
    return;
  }
  anchored_at_ = clock_.Monotonic();
  if (const absl::Status status = anchors_.Save(anchor, stop); !status.ok()) {
    log_.Error("Anchor not moved", {{"error", status}});
    anchor_failed_ = true;
    return;
  }
  anchored_ = anchor.position.seq;
  anchor_failed_ = false;
}

void Housekeeper::Finish() {
  thread_ = {};
  if (!writer_.failure().ok()) {
    return;
  }
  WriteCheckpointIfDue(1);
  if (!anchor_failed_) {  // else the server is away, and whoever waits for our end would wait for
                          // it
    MoveAnchorIfDue(absl::ZeroDuration(), std::stop_token());
  }
}

}  // namespace logbook::reconcile
