// Pipe: watch frames in, published views out, and reconciles if asked for: the parts of a session
// put together as session.cc does, with hooks to measure at.
#ifndef LOGBOOK_BENCH_PIPE_H_
#define LOGBOOK_BENCH_PIPE_H_

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "memory_api.h"

#include "logbook/k8s/watcher.h"
#include "logbook/reconcile/anchor_keeper.h"
#include "logbook/reconcile/effect_performer.h"
#include "logbook/reconcile/effect_runner.h"
#include "logbook/reconcile/housekeeper.h"
#include "logbook/reconcile/ingester.h"
#include "logbook/reconcile/marks.h"
#include "logbook/reconcile/outcome_recorder.h"
#include "logbook/reconcile/sources.h"
#include "logbook/reconcile/work_queue.h"
#include "logbook/reconcile/worker.h"
#include "logbook/reconcile/writer.h"
#include "logbook/store/journal.h"
#include "logbook/support/temp_dir.h"

namespace logbook::bench {

struct PipeOptions {
  bool keep_house = false;  // state checkpoints, as a session writes them
  std::function<void(const reconcile::Publication&)> on_published;  // on the writer's thread
};

class Pipe {
 public:
  // Both outlive the pipe. Lists what `api` serves; returns when all of it is in the view.
  Pipe(const std::vector<reconcile::OperatorSpec>& specs, MemoryApi& api, PipeOptions options);
  ~Pipe();

  reconcile::JournalWriter& writer() { return *writer_; }

  reconcile::WorkQueue& queue() { return queue_; }

  // Hands ready keys to one worker from now on.
  void StartWorking();

  // Everything submitted so far is on the disk when it returns.
  void Sync();

 private:
  const std::vector<reconcile::OperatorSpec>& specs_;
  MemoryApi& api_;
  const PipeOptions options_;
  const TempDir directory_;
  const reconcile::MarkTable marks_;
  absl::Notification synced_;
  reconcile::WorkQueue queue_;
  reconcile::Sources sources_;
  reconcile::AnchorKeeper anchors_;
  reconcile::EffectPerformer performer_;
  std::unique_ptr<store::Journal> journal_;
  std::unique_ptr<reconcile::JournalWriter> writer_;
  std::unique_ptr<reconcile::OutcomeRecorder> recorder_;
  std::unique_ptr<reconcile::EffectRunner> runner_;
  std::unique_ptr<reconcile::WorkerPool> workers_;
  std::unique_ptr<reconcile::Housekeeper> housekeeper_;
  std::vector<std::unique_ptr<reconcile::Ingester>> ingesters_;
  std::vector<std::unique_ptr<k8s::Watcher>> watchers_;
  std::vector<std::jthread> watcher_threads_;
};

}  // namespace logbook::bench

#endif  // LOGBOOK_BENCH_PIPE_H_
