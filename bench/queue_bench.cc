// What the work queue costs, above all marking a key that is queued already: de-duplication.
#include <cstdint>
#include <stop_token>
#include <vector>

#include "report.h"
#include "simple_apps.h"
#include <benchmark/benchmark.h>

#include "logbook/base/check.h"
#include "logbook/reconcile/work_queue.h"

namespace logbook::bench {
namespace {

struct Filled {
  reconcile::WorkQueue queue{SystemClock()};
  std::vector<ControllerKey> keys;
  KeyState dirty;

  explicit Filled(int64_t count) {
    dirty.causes.push_back({.seq = EventSeq(1), .visible = EventSeq(1)});
    for (int64_t i = 0; i < count; ++i) {
      keys.push_back({.controller = "simpleapp", .object = AppKey(i)});
      queue.Update(keys.back(), &dirty);
    }
    queue.SetOpen(true);
  }

  // In an order that no cache foresees.
  const ControllerKey& Key(uint64_t n) const { return keys[n * 7919 % keys.size()]; }
};

void MarkQueuedKey(benchmark::State& state) {
  Filled filled(state.range(0));
  uint64_t n = 0;
  for (auto _ : state) {
    filled.queue.Update(filled.Key(n++), &filled.dirty);
  }
  LOGBOOK_CHECK(filled.queue.depth() == filled.keys.size());
}

BENCHMARK(MarkQueuedKey)->Arg(1'000)->Arg(100'000)->Repetitions(5);

// One key's way: queued, marked a second time, taken, and released with nothing left to do.
void QueueMarkTakeRelease(benchmark::State& state) {
  Filled filled(state.range(0));
  const KeyState clean;
  const std::stop_token never;
  for (auto _ : state) {
    const ControllerKey key = *filled.queue.Pop(never);
    filled.queue.Update(key, &clean);
    filled.queue.Release(key);
    filled.queue.Update(key, &filled.dirty);
    filled.queue.Update(key, &filled.dirty);
  }
}

BENCHMARK(QueueMarkTakeRelease)->Arg(1'000)->Arg(100'000)->Repetitions(5);

std::vector<Row> Rows() {
  return {
      {"mark a key that is queued, 1,000 queued", "MarkQueuedKey/1000", kCpuTime, "µs", ToBeat(12)},
      {"mark a key that is queued, 100,000 queued", "MarkQueuedKey/100000", kCpuTime, "µs",
       ToBeat(12)},
      {"queue, mark again, take and release, 1,000 queued", "QueueMarkTakeRelease/1000", kCpuTime,
       "µs"},
      {"queue, mark again, take and release, 100,000 queued", "QueueMarkTakeRelease/100000",
       kCpuTime, "µs"}};
}

}  // namespace
}  // namespace logbook::bench

int main(int argc, char** argv) {
  return logbook::bench::RunAndReport(argc, argv, logbook::bench::Rows());
}
