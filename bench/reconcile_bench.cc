// What a reconcile costs that finds nothing to do, with the SimpleApp operator on settled apps:
// alone, per key in a burst, and as latency from the watch event's bytes to the reconciler's return
// and on to the committed decision.
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

// kObjects settled apps with their Deployments and Services, listed and reconciled once.
class SettledWorld {
 public:
  SettledWorld() : settled_(MakeSettledApp()), specs_(Specs()), feed_(settled_.app, kObjects) {
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

  // When the reconciler last returned, on the monotonic clock.
  absl::Duration returned_at() const { return absl::Nanoseconds(returned_ns_.load()); }

  // Until `count` decisions were committed and published since the world began; when that was.
  absl::Duration AwaitDecisions(int64_t count) {
    absl::MutexLock lock(&mu_);
    const auto enough = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return decisions_ >= count; };
    mu_.Await(absl::Condition(&enough));
    return decided_at_;
  }

 private:
  std::vector<reconcile::OperatorSpec> Specs() {
    auto spec = operators::SimpleAppOperator({});
    LOGBOOK_CHECK(spec.ok());
    spec->reconcile = [this](const View& view, const ObjectKey& key) {
      Plan plan = operators::ReconcileSimpleApp(view, key);
      returned_ns_ = absl::ToInt64Nanoseconds(SystemClock().Monotonic());
      return plan;
    };
    return {*std::move(spec)};
  }

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

  std::atomic<int64_t> returned_ns_ = 0;
  const SettledApp settled_;
  const std::vector<reconcile::OperatorSpec> specs_;
  FrameFeed feed_;
  MemoryApi api_;
  absl::Mutex mu_;
  int64_t decisions_ ABSL_GUARDED_BY(mu_) = 0;
  absl::Duration decided_at_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<Pipe> pipe_;
};

void MustSettle(const SettledWorld& world, const ViewStatePtr& view, int64_t n) {
  const Decided decided =
      reconcile::Decide(world.spec(), View(view, world.spec().scope, SystemClock().Now()),
                        AppKey(n * 7919 % kObjects));
  LOGBOOK_CHECK(decided.effects.empty() && decided.verdict == Verdict::kSettled);
}

// The pure part: the operator on a view.
void Decide(benchmark::State& state) {
  SettledWorld world;
  const ViewStatePtr view = world.pipe().writer().view();
  int64_t n = 0;
  for (auto _ : state) {
    MustSettle(world, view, n++);
  }
}

BENCHMARK(Decide)->Iterations(20'000)->Repetitions(3)->Unit(benchmark::kMicrosecond);

// The same after 2 ms of idling each: with caches that others have used meanwhile.
void DecideAfterIdling(benchmark::State& state) {
  SettledWorld world;
  const ViewStatePtr view = world.pipe().writer().view();
  std::vector<double> took_us;
  for (auto _ : state) {
    for (int64_t n = 0; n < kSamples; ++n) {
      WaitFor(absl::Milliseconds(2), std::stop_token());
      const absl::Duration begin = SystemClock().Monotonic();
      MustSettle(world, view, n);
      took_us.push_back(absl::ToDoubleMicroseconds(SystemClock().Monotonic() - begin));
    }
  }
  state.counters["p50_us"] = Quantile(took_us, 0.5);
}

BENCHMARK(DecideAfterIdling)->Iterations(1)->Unit(benchmark::kMillisecond);

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

// One event at a time, after 1 to 3 ms of idling or at once: from the bytes being there to the
// reconciler's return, and to the decision being committed and published. The one thing that syncs
// meanwhile is the journal's own pace of one per second.
void Latency(benchmark::State& state) {
  SettledWorld world;
  std::mt19937 random(1);
  std::uniform_int_distribution<int> gap_us(1000, 3000);
  std::vector<double> to_return;
  std::vector<double> to_commit;
  double cpu = 0;
  for (auto _ : state) {
    const double cpu_before = ProcessCpuSeconds();
    for (int64_t i = 1; i <= kSamples; ++i) {
      if (state.range(0) == 1) {
        WaitFor(absl::Microseconds(gap_us(random)), std::stop_token());
      }
      world.feed().Let(1);
      const absl::Duration decided = world.AwaitDecisions(kObjects + i);
      const absl::Duration read = world.feed().read_at();
      to_return.push_back(absl::ToDoubleMicroseconds(world.returned_at() - read));
      to_commit.push_back(absl::ToDoubleMicroseconds(decided - read));
    }
    cpu = ProcessCpuSeconds() - cpu_before;
  }
  state.counters["return_p50_us"] = Quantile(to_return, 0.5);
  state.counters["return_p99_us"] = Quantile(to_return, 0.99);
  state.counters["commit_p50_us"] = Quantile(to_commit, 0.5);
  state.counters["commit_p99_us"] = Quantile(to_commit, 0.99);
  state.counters["cpu_us_per_event"] = cpu * 1e6 / kSamples;
}

BENCHMARK(Latency)->ArgName("idle")->Arg(1)->Arg(0)->Iterations(1)->Repetitions(3)->Unit(
    benchmark::kMillisecond);

std::vector<Row> Rows() {
  std::vector<Row> rows;
  for (const bool idle : {true, false}) {
    const std::string name = idle ? "Latency/idle:1" : "Latency/idle:0";
    const std::string when = idle ? ", after 1-3 ms idle" : ", one after the other";
    rows.push_back(
        {"bytes to reconciler's return, p50" + when, name, "return_p50_us", "µs", AtMost(60)});
    rows.push_back(
        {"bytes to reconciler's return, p99" + when, name, "return_p99_us", "µs", AtMost(300)});
    rows.push_back({"bytes to committed decision, p50" + when, name, "commit_p50_us", "µs"});
    rows.push_back({"bytes to committed decision, p99" + when, name, "commit_p99_us", "µs"});
    rows.push_back(
        {"CPU per event and reconcile" + when, name, "cpu_us_per_event", "µs", ToBeat(250)});
  }
  rows.push_back({"CPU per no-op reconcile in a burst", "Burst", "cpu_us_per_reconcile", "µs"});
  rows.push_back({"no-op reconciles in a burst, one worker", "Burst", "reconciles_per_s", "/s"});
  rows.push_back({"of it: the decision", "Decide", kCpuTime, "µs"});
  rows.push_back({"the decision after 2 ms idle, p50", "DecideAfterIdling", "p50_us", "µs"});
  return rows;
}

}  // namespace
}  // namespace logbook::bench

int main(int argc, char** argv) {
  return logbook::bench::RunAndReport(argc, argv, logbook::bench::Rows());
}
