// JournalWriter: the one thread that turns proposals into events, folds them, commits them, and
// shows the result.
//
// How:      whoever has something to record submits a Proposal. The writer takes all proposals that
//           are there (adaptive group commit), lets each add its events to a Draft, in which every
//           event is numbered and folded at once, so that the next proposal sees it; commits the
//           batch with its bookmarks as one unit; then publishes the new view and calls back.
//           So nobody ever sees an event that is not in the journal.
// Errors:   after the first failed write the writer is dead: pending and later proposals are
//           refused by their on_failed, and failure() says why. The journal must be opened again,
//           since what that write left on disk is unknown.
// Threads:  Thread-safe. Proposals run on the writer's thread, one at a time, and must be quick.
// Owns:     its thread, which it joins in its destructor; the fold. Borrows the journal.
//
// Invariants
//   1. A proposal's callbacks run after its events are committed and published, in order.
//   2. A batch that must be synced is synced before any callback of it runs.
//   3. Events are synced at most `sync_interval` after they were committed.
#ifndef LOGBOOK_RECONCILE_WRITER_H_
#define LOGBOOK_RECONCILE_WRITER_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/model/redactor.h"
#include "logbook/reconcile/fold.h"

namespace logbook::store {
class Journal;
}

namespace logbook::reconcile {

class JournalWriter;

// The batch in the making. Confined to the writer's thread, valid during one proposal.
class Draft {
 public:
  // The view as of the last event added, by this proposal or those before it.
  const ViewState& view() const;

  // Redacts and numbers `event`, folds it and returns its seq; fills in seq, run and wall time.
  EventSeq Add(Event event);

  // Moves the stream's bookmark together with this batch.
  void SetBookmark(StreamId stream, std::string resource_version);

  // The batch must be on the disk, not just in the system's memory, before callbacks run.
  void RequireSync();

  // Called on the writer's thread after commit and publication; must be quick and not submit
  // anything it then waits for.
  void OnCommitted(std::function<void()> callback);

  RunId run() const;

  // What changed since the last state checkpoint; the caller writes it.
  ViewChanges TakeChanges();
  bool ListPending() const;

 private:
  friend class JournalWriter;

  explicit Draft(JournalWriter& writer) : writer_(writer) {}

  JournalWriter& writer_;
};

struct Proposal {
  std::function<void(Draft&)> propose;
  std::function<void()> on_failed;  // optional; the writer is dead
  size_t bytes = 0;                 // memory it holds, for the bound on what is waiting
  bool intake = false;              // brings news of the cluster, which can wait
};

// What readers see: the newest committed view.
struct Publication {
  ViewStatePtr view;
  std::vector<ControllerKey> keys;  // whose KeyState changed since the publication before
};

struct WriterOptions {
  size_t batch_bytes_max = 1 << 20;     // of proposals taken into one batch
  size_t batch_events_max = 512;        // after which a batch takes no further proposal
  size_t waiting_bytes_max = 64 << 20;  // Submit blocks while more than this is waiting
  absl::Duration sync_interval = absl::Seconds(1);
  const Redactor* redactor = nullptr;  // outlives the writer; null: one that covers Secrets
};

class JournalWriter {
 public:
  // `on_published` is called on the writer's thread after each commit, before callbacks.
  // `on_dead` is called once there, when a write failed. `journal` and `clock` outlive the writer.
  JournalWriter(store::Journal& journal, Fold fold, WriterOptions options, const Clock& clock,
                Logger log, std::function<void(const Publication&)> on_published,
                std::function<void(const absl::Status&)> on_dead);

  // Commits what was submitted, syncs it and joins the thread.
  ~JournalWriter();

  // Blocks while too much is waiting, and intake while that is closed, unless the writer is dead or
  // stopping.
  void Submit(Proposal proposal);

  // Submits and waits until it is committed. Errors: why the writer is dead.
  absl::Status SubmitAndWait(std::function<void(Draft&)> propose, size_t bytes = 0);

  // What every event passes before it is folded.
  const Redactor& redactor() const { return redactor_; }

  // Closes or opens the way for intake; what we do ourselves is recorded all the same.
  void SetIntake(bool open);

  // The newest committed view.
  ViewStatePtr view() const;

  // OK, or why the writer is dead.
  absl::Status failure() const;

  // Proposals that are waiting.
  size_t waiting() const;

 private:
  friend class Draft;

  // The batch that is being made; touched by the writer's thread only.
  struct Batch {
    std::vector<Event> events;
    std::map<StreamId, std::string> bookmarks;
    std::vector<std::function<void()>> callbacks;
    std::vector<std::function<void()>> failures;
    bool sync = false;

    bool empty() const { return events.empty() && bookmarks.empty(); }
  };

  void Run();
  std::deque<Proposal> TakeWaiting();
  void Make(std::deque<Proposal> proposals);
  absl::Status Commit();
  void Publish();
  void Die(const absl::Status& error);
  void SyncIfDue();

  // Constant after construction.
  store::Journal& journal_;
  const WriterOptions options_;
  const Redactor default_redactor_{""};
  const Redactor& redactor_;
  const Clock& clock_;
  const Logger log_;
  const std::function<void(const Publication&)> on_published_;
  const std::function<void(const absl::Status&)> on_dead_;

  // Confined to the writer's thread.
  Fold fold_;
  Batch batch_;
  absl::Duration unsynced_since_ = absl::InfiniteDuration();  // monotonic

  mutable absl::Mutex mu_;
  std::deque<Proposal> waiting_ ABSL_GUARDED_BY(mu_);
  size_t waiting_bytes_ ABSL_GUARDED_BY(mu_) = 0;
  ViewStatePtr view_ ABSL_GUARDED_BY(mu_);
  absl::Status failure_ ABSL_GUARDED_BY(mu_);
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  bool intake_open_ ABSL_GUARDED_BY(mu_) = true;

  std::jthread thread_;  // last: the others are there when it starts
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_WRITER_H_
