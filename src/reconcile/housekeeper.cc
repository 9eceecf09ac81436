#include "logbook/reconcile/housekeeper.h"

#include <utility>

#include "logbook/base/wait.h"
#include "logbook/reconcile/checkpoint_of.h"
#include "logbook/store/anchor.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/disk_space.h"
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
      trimmer_(journal, options_.retention, clock),
      trimmed_at_(clock.Monotonic()),
      state_seq_(state_seq),
      write_everything_(options.write_everything) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

// What the housekeeper could not write, the writer must be told: it would find out with its next
// event only, and none may come.
void Housekeeper::WakeWriterIfClosed() {
  if (!journal_.failure().ok()) {
    writer_.Submit({.propose = [](Draft& draft) { draft.RequireSync(); }});
  }
}

void Housekeeper::Run(const std::stop_token& stop) {
  while (WaitFor(options_.synced_interval, stop)) {
    if (!writer_.failure().ok()) {
      return;
    }
    if (const absl::Status status = journal_.RecordSynced(); !status.ok()) {
      log_.Error("Synced position not noted", {{"error", status}});
    }
    CheckSpace();
    if (!short_of_space_) {
      if (const absl::Status status = journal_.TrainDictionaryIfDue(); !status.ok()) {
        log_.Error("Dictionary not written", {{"error", status}});
      }
      WriteCheckpointIfDue(options_.checkpoint_events);
    }
    TrimIfDue(stop);
    WakeWriterIfClosed();
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
    input = CheckpointOf(draft.view(), draft.TakeChanges());
  });
  if (!taken.ok() || input.state == nullptr) {
    return;
  }
  input.everything = write_everything_ || state_seq_ == EventSeq();
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

void Housekeeper::CheckSpace() {
  const std::string& directory = journal_.directory();
  const absl::StatusOr<uint64_t> free =
      options_.free_bytes != nullptr ? options_.free_bytes(directory) : store::FreeBytes(directory);
  if (!free.ok()) {
    log_.Error("Free space is not known", {{"error", free.status()}});
    return;
  }
  // A little more to end it than to begin it, or it would come and go with each event.
  const uint64_t needed = options_.disk_reserve + (short_of_space_ ? options_.disk_reserve / 8 : 0);
  const bool is_short = *free < needed;
  if (is_short == short_of_space_) {
    return;
  }
  short_of_space_ = is_short;
  if (is_short) {
    log_.Error("Volume is nearly full, intake is paused",
               {{"directory", directory}, {"free", *free}, {"needed", needed}});
  } else {
    log_.Info("Volume has room again", {{"directory", directory}});
  }
  options_.on_space(is_short ? ResourceExhausted("the volume of ", directory, " has ", *free,
                                                 " bytes left, ", options_.disk_reserve,
                                                 " are needed: free space, intake then goes on")
                             : absl::OkStatus());
}

void Housekeeper::TrimIfDue(const std::stop_token& stop) {
  if (clock_.Monotonic() < trimmed_at_ + options_.trim_interval) {
    return;
  }
  trimmed_at_ = clock_.Monotonic();
  const absl::StatusOr<TrimReport> report = trimmer_.Trim(*writer_.view(), [&] {
    (void)journal_.RecordSynced();  // between two blocks; the next round tells of an error
    return stop.stop_requested();
  });
  if (!report.ok()) {
    log_.Error("Journal not trimmed", {{"error", report.status()}});
    return;
  }
  ReportTrim(*report);
}

void Housekeeper::ReportTrim(const TrimReport& report) {
  if (report.events > 0) {
    log_.Info("Journal trimmed", {{"events", report.events},
                                  {"kept", report.kept},
                                  {"watermark", report.watermark.value},
                                  {"took", clock_.Monotonic() - trimmed_at_}});
  }
  if (report.held_by != held_by_ && !report.held_by.empty()) {
    log_.Info("Trimming is held", {{"by", report.held_by},
                                   {"watermark", report.watermark.value},
                                   {"wanted", report.wanted.value}});
  }
  held_by_ = report.held_by;
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
  // If it failed the server is away, and whoever waits for our end would wait for it.
  if (!anchor_failed_) {
    MoveAnchorIfDue(absl::ZeroDuration(), std::stop_token());
  }
}

}  // namespace logbook::reconcile
