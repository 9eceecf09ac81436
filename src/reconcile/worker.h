// WorkerPool: takes ready keys, decides, and hands the decisions to the journal.
//
// Threads:  owns `threads` threads, joined in the destructor. A worker never waits for a disk: it
//           submits its decision and takes the next key; the key stays in hand until the decision
//           is published or, if it has effects, until those are done.
#ifndef LOGBOOK_RECONCILE_WORKER_H_
#define LOGBOOK_RECONCILE_WORKER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/reconcile/effect_runner.h"
#include "logbook/reconcile/operator.h"
#include "logbook/reconcile/work_queue.h"
#include "logbook/reconcile/writer.h"

namespace logbook::reconcile {

// Since the start of this run.
struct WorkerCounts {
  uint64_t decided = 0;   // decisions that became events
  uint64_t repeated = 0;  // no-op decisions that repeated the last one: counted, not recorded
  uint64_t over_budget = 0;
};

class WorkerPool {
 public:
  // A reconcile that uses more of a processor is named in the log.
  static constexpr absl::Duration kBudget = absl::Milliseconds(2);

  // All outlive the pool.
  WorkerPool(const std::vector<OperatorSpec>& specs, WorkQueue& queue, JournalWriter& writer,
             EffectRunner& runner, int threads, const Clock& clock, Logger log);

  WorkerCounts counts() const;

  // No key is taken any more; joins the threads. Callbacks of what they submitted still come.
  void Stop();

 private:
  void Run(const std::stop_token& stop);
  void Work(const ControllerKey& key);
  void Submit(const OperatorSpec& spec, Decided decided);

  const std::vector<OperatorSpec>& specs_;
  WorkQueue& queue_;
  JournalWriter& writer_;
  EffectRunner& runner_;
  const Clock& clock_;
  const Logger log_;

  std::atomic<uint64_t> decided_ = 0;
  std::atomic<uint64_t> repeated_ = 0;
  std::atomic<uint64_t> over_budget_ = 0;

  std::vector<std::jthread> threads_;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_WORKER_H_
