// Session: everything that lives with one opening of the journal: the writer, the queue, workers,
// effect runners, one watcher per stream, and the housekeeper.
//
// How it starts: open the journal; fold what it says; ask the cluster's anchors whether it is all
//           there; note the run; close open plans; watch. Workers get keys when every source is
//           synced.
// How it ends: no more is watched and decided; plans in hand are carried out; a state checkpoint is
//           written, so that the next start has nothing to fold; the journal is closed.
// Threads:  Start, Wait and Stop are confined to one thread; the checks are thread-safe.
#ifndef LOGBOOK_RECONCILE_SESSION_H_
#define LOGBOOK_RECONCILE_SESSION_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/k8s/watcher.h"
#include "logbook/reconcile/anchor_keeper.h"
#include "logbook/reconcile/effect_performer.h"
#include "logbook/reconcile/effect_runner.h"
#include "logbook/reconcile/housekeeper.h"
#include "logbook/reconcile/ingester.h"
#include "logbook/reconcile/marks.h"
#include "logbook/reconcile/outcome_recorder.h"
#include "logbook/reconcile/runtime.h"
#include "logbook/reconcile/sources.h"
#include "logbook/reconcile/work_queue.h"
#include "logbook/reconcile/worker.h"
#include "logbook/reconcile/writer.h"
#include "logbook/store/journal.h"

namespace logbook::reconcile {

class Session {
 public:
  // All outlive the session. `cluster` is the cluster's uid.
  Session(const RuntimeOptions& options, const std::vector<OperatorSpec>& specs,
          const Redactor& redactor, k8s::ApiClient& api, std::string cluster, const Clock& clock,
          const Logger& log);
  ~Session();

  // Errors: see Runtime; kUnavailable and the like may pass by themselves.
  absl::Status Start(const std::stop_token& stop);

  // Until `stop` is requested (OK) or the journal is dead (why).
  absl::Status Wait(const std::stop_token& stop);

  // After Wait: no more is watched, decided and sent; what is in the journal can still be asked
  // for.
  void Quiesce();

  // Ends it in order; what is still in hand after the graceful timeout is left open.
  void Stop();

  absl::Status CheckSources() const { return sources_.Check(); }

  absl::Status CheckJournal() const;

 private:
  absl::Status OpenJournal();
  absl::Status LoadView();
  absl::StatusOr<std::vector<store::Anchor>> CheckAnchors(const std::stop_token& stop);
  absl::Status BeginRun(const std::vector<store::Anchor>& lost_stores);
  absl::Status Recover(const std::stop_token& stop);
  absl::Status StartWatching();
  void StartWorking();
  void OnPublished(const Publication& publication);
  void OnSpace(const absl::Status& space);
  void OpenQueueIfReady();
  bool IsOurs(const ControllerKey& key) const;

  const RuntimeOptions& options_;
  const std::vector<OperatorSpec>& specs_;
  const Redactor& redactor_;
  k8s::ApiClient& api_;
  const std::string cluster_;
  const Clock& clock_;
  const Logger log_;
  const MarkTable marks_;
  std::set<std::string> controllers_;

  // In the order of construction; taken down in Stop.
  WorkQueue queue_;
  Sources sources_;
  AnchorKeeper anchors_;
  EffectPerformer performer_;
  std::unique_ptr<store::Journal> journal_;
  EventSeq state_seq_;
  bool rows_unreadable_ = false;
  std::unique_ptr<JournalWriter> writer_;
  std::unique_ptr<OutcomeRecorder> recorder_;
  std::unique_ptr<EffectRunner> runner_;
  std::unique_ptr<WorkerPool> workers_;
  std::unique_ptr<Housekeeper> housekeeper_;
  std::vector<std::unique_ptr<Ingester>> ingesters_;
  std::vector<std::unique_ptr<k8s::Watcher>> watchers_;
  std::vector<std::jthread> watcher_threads_;

  mutable absl::Mutex mu_;
  absl::Status dead_ ABSL_GUARDED_BY(mu_);
  absl::Status space_ ABSL_GUARDED_BY(mu_);  // whether the volume has room
  bool quiescing_ ABSL_GUARDED_BY(mu_) = false;
  bool synced_ ABSL_GUARDED_BY(mu_) = false;  // every source has been
  bool running_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_SESSION_H_
