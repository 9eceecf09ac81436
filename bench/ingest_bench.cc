// What a watch event costs on its way in: frame bytes, watcher, ingester, journal on a real
// RocksDB, fold, published view and queue. Without TLS and sockets, without reconciles.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "frame_feed.h"
#include "pipe.h"
#include "report.h"
#include <benchmark/benchmark.h>

#include "logbook/base/check.h"
#include "logbook/base/json_peek.h"
#include "logbook/model/record_codec.h"

namespace logbook::bench {
namespace {

constexpr int64_t kObjects = 10'000;
constexpr int64_t kEvents = 100'000;

std::vector<reconcile::OperatorSpec> Watching() {
  auto spec = reconcile::Operator("simpleapp")
                  .For("apps.bootcamp.local/v1/simpleapps", "SimpleApp")
                  .Reconciles([](const View&, const ObjectKey&) { return Plan(); })
                  .Build();
  LOGBOOK_CHECK(spec.ok());
  return {*std::move(spec)};
}

// Each event changes an annotation of an object, so each also marks a key. With `house`, state
// checkpoints are written meanwhile, one per 10,000 events but not more often than each second.
void Ingest(benchmark::State& state) {
  const bool keep_house = state.range(0) == 1;
  const SettledApp settled = MakeSettledApp();
  const std::vector<reconcile::OperatorSpec> specs = Watching();
  FrameFeed feed(settled.app, kObjects);
  MemoryApi api;
  api.Serve("simpleapps", feed.AsCollection(settled.app));
  std::atomic<uint64_t> target = UINT64_MAX;
  absl::Notification done;
  Pipe pipe(specs, api,
            {.keep_house = keep_house, .on_published = [&](const reconcile::Publication& now) {
               if (now.view->seq.value >= target && !done.HasBeenNotified()) {
                 done.Notify();
               }
             }});
  double cpu = 0;
  double seconds = 0;
  for (auto _ : state) {
    pipe.Sync();
    target = pipe.writer().view()->seq.value + kEvents;
    const double cpu_before = ProcessCpuSeconds();
    const absl::Duration begin = SystemClock().Monotonic();
    feed.Let(kEvents);
    done.WaitForNotification();
    pipe.Sync();
    seconds = absl::ToDoubleSeconds(SystemClock().Monotonic() - begin);
    cpu = ProcessCpuSeconds() - cpu_before;
  }
  LOGBOOK_CHECK(pipe.writer().view()->objects.size() == kObjects);
  state.counters["cpu_us_per_event"] = cpu * 1e6 / kEvents;
  state.counters["events_per_s"] = kEvents / seconds;
}

BENCHMARK(Ingest)->ArgName("house")->Arg(0)->Arg(1)->Iterations(1)->Repetitions(5)->Unit(
    benchmark::kMillisecond);

// Lists kObjects into an empty store, until they are in the view.
void FirstList(benchmark::State& state) {
  const SettledApp settled = MakeSettledApp();
  const std::vector<reconcile::OperatorSpec> specs = Watching();
  std::vector<std::string> items;
  for (int64_t i = 0; i < kObjects; ++i) {
    items.push_back(settled.app.Render(i));
  }
  MemoryApi api;
  api.Serve("simpleapps",
            {.count = kObjects, .item = [&](int64_t i) { return items[static_cast<size_t>(i)]; }});
  double cpu = 0;
  for (auto _ : state) {
    const double before = ProcessCpuSeconds();
    const Pipe pipe(specs, api, {});
    cpu = ProcessCpuSeconds() - before;
  }
  state.counters["cpu_us_per_object"] = cpu * 1e6 / kObjects;
}

BENCHMARK(FirstList)->Iterations(1)->Repetitions(5)->Unit(benchmark::kMillisecond);

// The two steps that look at every byte: validating and hashing the object, and the record with the
// journal's chain.
void Decode(benchmark::State& state) {
  const SettledApp settled = MakeSettledApp();
  const std::string frame = Concat(R"({"type":"MODIFIED","object":)", settled.app.Render(1), "}");
  JsonPeeker peeker;
  for (auto _ : state) {
    const auto peeked = peeker.Frame(frame);
    benchmark::DoNotOptimize(std::make_shared<const Object>(*peeker.Object(peeked->object)));
  }
}

BENCHMARK(Decode)->Repetitions(5)->Unit(benchmark::kMicrosecond);

void Encode(benchmark::State& state) {
  const SettledApp settled = MakeSettledApp();
  const ObjectPtr object = *Object::FromJson(settled.app.Render(1));
  Event event{.seq = EventSeq(1),
              .run = RunId(1),
              .stream = StreamId(1),
              .subjects = {{.resource = std::string(kApps),
                            .key = object->key(),
                            .uid = std::string(object->uid())}},
              .resource_version = std::string(object->resource_version()),
              .marks = {{.key = {.controller = "simpleapp", .object = object->key()}}},
              .body = Observed{.change = ChangeType::kModified, .object = object}};
  RecordCodec codec;
  Chain chain = {};
  for (auto _ : state) {
    benchmark::DoNotOptimize(codec.Encode(event, chain));
  }
}

BENCHMARK(Encode)->Repetitions(5)->Unit(benchmark::kMicrosecond);

std::vector<Row> Rows() {
  return {{"ingest: CPU per event, whole process", "Ingest/house:0", "cpu_us_per_event", "µs",
           AtMost(8)},
          {"ingest: events", "Ingest/house:0", "events_per_s", "/s", AtLeast(100'000)},
          {"ingest with state checkpoints: CPU per event", "Ingest/house:1", "cpu_us_per_event",
           "µs", AtMost(8)},
          {"ingest with state checkpoints: events", "Ingest/house:1", "events_per_s", "/s",
           AtLeast(100'000)},
          {"first list: CPU per object, the server's part included", "FirstList",
           "cpu_us_per_object", "µs"},
          {"of it: frame to validated and hashed object", "Decode", kCpuTime, "µs"},
          {"of it: event to record, with its link of the chain", "Encode", kCpuTime, "µs"}};
}

}  // namespace
}  // namespace logbook::bench

int main(int argc, char** argv) {
  return logbook::bench::RunAndReport(argc, argv, logbook::bench::Rows());
}
