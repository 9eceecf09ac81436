// What a reconcile costs that finds nothing to do, with the SimpleApp operator on settled apps:
// alone, per key in a burst, and as latency from the watch event's bytes to the committed decision.
#include <atomic>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "frame_feed.h"
#include "pipe.h"
#include "report.h"
#include <benchmark/benchmark.h>

#include "logbook/base/check.h"
#include "logbook/base/wait.h"
#include "logbook/operators/simpleapp/simpleapp.h"
#include "logbook/reconcile/decide.h"

namespace logbook::bench {
namespace {

constexpr int64_t kObjects = 10'000;
constexpr int64_t kSamples = 2'000;

std::vector<reconcile::OperatorSpec> SimpleAppSpecs() {
  auto spec = operators::SimpleAppOperator({});
  LOGBOOK_CHECK(spec.ok());
  return {*std::move(spec)};
}

// kObjects settled apps with their Deployments and Services, listed and reconciled once.
class SettledWorld {
 public:
  SettledWorld()
      : settled_(MakeSettledApp()), specs_(SimpleAppSpecs()), feed_(settled_.app, kObjects) {
    api_.Serve("simpleapps", feed_.AsCollection(settled_.app));
    api_.Serve("deployments", Of(settled_.deployment));
    api_.Serve("services", Of(settled_.service));
    pipe_ = std::make_unique<Pipe>(
        specs_, api_, PipeOptions{.on_published = [this](const reconcile::Publication& now) {
          OnPublished(now);
        }});
    pipe_->StartWorking();
    AwaitDecisions(kObjects);
    LOGBOOK_CHECK(OpenPlans() == 0);
  }

  Pipe& pipe() { return *pipe_; }

  FrameFeed& feed() { return feed_; }

  const reconcile::OperatorSpec& spec() const { return specs_.front(); }

  // Until `count` decisions were committed and published since the world began; when that was.
  absl::Duration AwaitDecisions(int64_t count) {
    absl::MutexLock lock(&mu_);
    const auto enough = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return decisions_ >= count; };
    mu_.Await(absl::Condition(&enough));
    return decided_at_;
  }

 private:
  static Collection Of(const ObjectTemplate& object) {
    return {.count = kObjects, .item = [&object](int64_t i) { return object.Render(i); }};
  }

  void OnPublished(const reconcile::Publication& now) {
    int64_t decisions = 0;
    for (const ControllerKey& key : now.keys) {
      const KeyState* state = now.view->FindKey(key);
      decisions += state != nullptr && !state->dirty() ? 1 : 0;
    }
    if (decisions > 0) {
      absl::MutexLock lock(&mu_);
      decisions_ += decisions;
      decided_at_ = SystemClock().Monotonic();
    }
  }

  int64_t OpenPlans() {
    int64_t open = 0;
    pipe_->writer().view()->keys.ForEach(
        [&](const std::string&, const KeyStatePtr& state) { open += state->open ? 1 : 0; });
    return open;
  }

  const SettledApp settled_;
  const std::vector<reconcile::OperatorSpec> specs_;
  FrameFeed feed_;
  MemoryApi api_;
  absl::Mutex mu_;
  int64_t decisions_ ABSL_GUARDED_BY(mu_) = 0;
  absl::Duration decided_at_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<Pipe> pipe_;
};

// The pure part: the operator on a view.
void Decide(benchmark::State& state) {
  SettledWorld world;
  const ViewStatePtr view = world.pipe().writer().view();
  const absl::Time now = SystemClock().Now();
  int64_t n = 0;
  for (auto _ : state) {
    const Decided decided = reconcile::Decide(world.spec(), View(view, world.spec().scope, now),
                                              AppKey(n++ * 7919 % kObjects));
    LOGBOOK_CHECK(decided.effects.empty() && decided.verdict == Verdict::kSettled);
  }
}

BENCHMARK(Decide)->Iterations(20'000)->Repetitions(3)->Unit(benchmark::kMicrosecond);

// kObjects changed objects, ingested first, so that what is measured is reconciling alone: worker,
// decision, journal, fold, view.
void Burst(benchmark::State& state) {
  SettledWorld world;
  double cpu = 0;
  double seconds = 0;
  for (auto _ : state) {
    world.pipe().queue().SetOpen(false);
    world.feed().Let(kObjects);
    while (world.pipe().queue().depth() < kObjects) {
      world.pipe().Sync();
    }
    const double cpu_before = ProcessCpuSeconds();
    const absl::Duration begin = SystemClock().Monotonic();
    world.pipe().queue().SetOpen(true);
    seconds = absl::ToDoubleSeconds(world.AwaitDecisions(2 * kObjects) - begin);
    cpu = ProcessCpuSeconds() - cpu_before;
  }
  state.counters["cpu_us_per_reconcile"] = cpu * 1e6 / kObjects;
  state.counters["reconciles_per_s"] = kObjects / seconds;
}

BENCHMARK(Burst)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

// One event at a time, 1 to 3 ms apart: from the bytes being there to the decision being committed
// and published. The one thing that syncs meanwhile is the journal's own pace of one per second.
void Latency(benchmark::State& state) {
  SettledWorld world;
  std::mt19937 random(1);
  std::uniform_int_distribution<int> gap_us(1000, 3000);
  const std::stop_token never;
  std::vector<double> latencies;
  double cpu = 0;
  for (auto _ : state) {
    const double cpu_before = ProcessCpuSeconds();
    for (int64_t i = 1; i <= kSamples; ++i) {
      WaitFor(absl::Microseconds(gap_us(random)), never);
      world.feed().Let(1);
      const absl::Duration decided = world.AwaitDecisions(kObjects + i);
      latencies.push_back(absl::ToDoubleMicroseconds(decided - world.feed().read_at()));
    }
    cpu = ProcessCpuSeconds() - cpu_before;
  }
  state.counters["p50_us"] = Quantile(latencies, 0.5);
  state.counters["p99_us"] = Quantile(latencies, 0.99);
  state.counters["cpu_us_per_event"] = cpu * 1e6 / kSamples;
}

BENCHMARK(Latency)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

std::vector<Row> Rows() {
  return {
      {"no-op reconcile: bytes received to decision committed, p50", "Latency", "p50_us", "µs",
       AtMost(60)},
      {"no-op reconcile: bytes received to decision committed, p99", "Latency", "p99_us", "µs",
       AtMost(300)},
      {"CPU per paced event with its reconcile, whole process", "Latency", "cpu_us_per_event", "µs",
       ToBeat(250)},
      {"CPU per no-op reconcile in a burst, whole process", "Burst", "cpu_us_per_reconcile", "µs"},
      {"no-op reconciles in a burst, one worker", "Burst", "reconciles_per_s", "/s"},
      {"of it: the decision alone", "Decide", kCpuTime, "µs"}};
}

}  // namespace
}  // namespace logbook::bench

int main(int argc, char** argv) {
  return logbook::bench::RunAndReport(argc, argv, logbook::bench::Rows());
}
