// What is derived from the journal now and then costs: state checkpoints, and with them the history
// of every object, which is then asked for one object among a million events.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "journal_events.h"
#include "report.h"
#include <benchmark/benchmark.h>

#include "logbook/base/clock.h"
#include "logbook/reconcile/checkpoint_of.h"
#include "logbook/reconcile/fold.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/history.h"
#include "logbook/support/temp_dir.h"

namespace logbook::bench {
namespace {

constexpr int64_t kObjects = 10'000;
constexpr int64_t kEventsPerObject = 100;
constexpr int64_t kQueries = 20'000;
constexpr int64_t kChanges = 1'000;

// A journal with its fold.
class World {
 public:
  void Append(std::string_view json) {
    const Event event = ObservedEvent(journal_->last().Next(), journal_->run(), json);
    Must(journal_->Append({&event, 1}, {}, store::Fsync::kNo));
    fold_.Apply(event);
  }

  // Of what changed since the last one, the first time of everything. Returns seconds.
  double WriteCheckpoint() {
    const store::CheckpointInput input =
        reconcile::CheckpointOf(fold_.state(), fold_.TakeChanges());
    const absl::Duration begin = SystemClock().Monotonic();
    Must(store::WriteCheckpoint(*journal_, input));
    Must(journal_->Sync());
    return absl::ToDoubleSeconds(SystemClock().Monotonic() - begin);
  }

  const store::Journal& journal() const { return *journal_; }

 private:
  const TempDir directory_;
  const std::unique_ptr<store::Journal> journal_ = MustOpen(directory_.path());
  reconcile::Fold fold_{ViewState()};
};

void Checkpoint(benchmark::State& state) {
  const ObjectTemplate app = MakeSettledApp().app;
  World world;
  for (int64_t i = 0; i < kObjects; ++i) {
    world.Append(app.Render(i));
  }
  const double first = world.WriteCheckpoint();
  double next = 0;
  for (auto _ : state) {
    for (int64_t i = 0; i < kChanges; ++i) {
      std::string json = app.Render(i * 7);
      app.SetVersion(json, 0, kFirstVersion + 1, 1);
      world.Append(json);
    }
    next = world.WriteCheckpoint();
  }
  state.counters["first_us_per_object"] = first * 1e6 / kObjects;
  state.counters["next_us_per_change"] = next * 1e6 / kChanges;
}

BENCHMARK(Checkpoint)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

// Small objects, so that a million events are made in time; what is read are the events' places,
// and those do not grow with the object.
void History(benchmark::State& state) {
  const auto json = [](int64_t i, int64_t version) {
    const ObjectKey key = AppKey(i);
    return Concat(
        R"({"apiVersion":"apps.bootcamp.local/v1","kind":"SimpleApp","metadata":{"name":")",
        key.name, R"(","namespace":")", key.ns, R"(","uid":"uid-)", i, R"(","resourceVersion":")",
        kFirstVersion + version, R"("}})");
  };
  World world;
  for (int64_t n = 0; n < kObjects * kEventsPerObject; ++n) {
    world.Append(json(n % kObjects, n));
  }
  world.WriteCheckpoint();
  std::vector<double> took_us;
  for (auto _ : state) {
    for (int64_t n = 0; n < kQueries; ++n) {
      const ObjectRef object{
          .resource = std::string(kApps), .key = AppKey(n * 7919 % kObjects), .uid = {}};
      const absl::Duration begin = SystemClock().Monotonic();
      const auto entries = store::ReadHistory(world.journal(), object, EventSeq(1), 200);
      took_us.push_back(absl::ToDoubleMicroseconds(SystemClock().Monotonic() - begin));
      LOGBOOK_CHECK(entries.ok() && entries->size() == kEventsPerObject);
    }
  }
  state.counters["p50_us"] = Quantile(took_us, 0.5);
  state.counters["p99_us"] = Quantile(took_us, 0.99);
}

BENCHMARK(History)->Iterations(1)->Unit(benchmark::kMillisecond);

std::vector<Row> Rows() {
  return {{"first state checkpoint, per object", "Checkpoint", "first_us_per_object", "µs"},
          {"next state checkpoint, per changed object", "Checkpoint", "next_us_per_change", "µs"},
          {"history of one object (100 of 1,000,000 events), p50", "History", "p50_us", "µs",
           AtMost(100)},
          {"history of one object (100 of 1,000,000 events), p99", "History", "p99_us", "µs"}};
}

}  // namespace
}  // namespace logbook::bench

int main(int argc, char** argv) {
  return logbook::bench::RunAndReport(argc, argv, logbook::bench::Rows());
}
