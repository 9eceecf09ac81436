// Housekeeper: what a running session has to do now and then: write state checkpoints, note how far
// the journal is synced, have it train dictionaries, trim what is old, see whether the volume has
// room, and move the anchor in the cluster.
//
// Threads:  owns one thread, joined in the destructor.
// Errors:   an anchor that cannot be moved is logged and tried again; a failed write to the journal
//           ends the session by itself.
#ifndef LOGBOOK_RECONCILE_HOUSEKEEPER_H_
#define LOGBOOK_RECONCILE_HOUSEKEEPER_H_

#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/reconcile/anchor_keeper.h"
#include "logbook/reconcile/retention.h"
#include "logbook/reconcile/trimmer.h"
#include "logbook/reconcile/writer.h"

namespace logbook::store {
class Journal;
}

namespace logbook::reconcile {

struct HousekeepingOptions {
  uint64_t checkpoint_events = 10'000;  // after which a state checkpoint is written
  absl::Duration synced_interval = absl::Seconds(1);
  absl::Duration anchor_interval = absl::Seconds(30);
  absl::Duration trim_interval = absl::Minutes(1);
  RetentionPolicy retention;
  uint64_t disk_reserve = 0;  // less room than this on the volume is told of; 0: never
  // How much room the volume of a directory has; null: as the system says.
  std::function<absl::StatusOr<uint64_t>(const std::string&)> free_bytes;
  // Called on the housekeeper's thread when the volume gets short of room (kResourceExhausted), and
  // when it no longer is (OK).
  std::function<void(const absl::Status&)> on_space;
  bool write_everything = false;  // the rows on disk could not be read
};

class Housekeeper {
 public:
  // All outlive the housekeeper. `state_seq` is that of the last state checkpoint.
  Housekeeper(store::Journal& journal, JournalWriter& writer, AnchorKeeper& anchors,
              EventSeq state_seq, HousekeepingOptions options, const Clock& clock, Logger log);

  // Joins the thread, then writes what a clean end owes: checkpoint, SYNCED, anchor.
  void Finish();

 private:
  void Run(const std::stop_token& stop);
  void WriteCheckpointIfDue(uint64_t events_min);
  void CheckSpace();
  void WakeWriterIfClosed();
  void TrimIfDue(const std::stop_token& stop);
  void ReportTrim(const TrimReport& report);
  void MoveAnchorIfDue(absl::Duration interval, const std::stop_token& stop);

  store::Journal& journal_;
  JournalWriter& writer_;
  AnchorKeeper& anchors_;
  const HousekeepingOptions options_;
  const Clock& clock_;
  const Logger log_;

  // Confined to the thread, and after it to Finish.
  Trimmer trimmer_;
  absl::Duration trimmed_at_;  // monotonic
  std::string held_by_;        // as it was last reported
  bool short_of_space_ = false;
  EventSeq state_seq_;
  EventSeq anchored_;
  bool write_everything_;
  bool anchor_failed_ = false;                              // the last time
  absl::Duration anchored_at_ = -absl::InfiniteDuration();  // monotonic

  std::jthread thread_;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_HOUSEKEEPER_H_
