// What the journal costs, against the budgets of DESIGN §10. Events are observations of a custom
// resource of 1.5 KB. "cpu" counts all threads of the process, RocksDB's background work included.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "logbook/base/check.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/history.h"
#include "logbook/store/journal.h"
#include "logbook/store/verify.h"
#include "logbook/support/events.h"
#include "logbook/support/temp_dir.h"

namespace logbook::store {
namespace {

constexpr int64_t kObjects = 100'000;
constexpr size_t kPadding = 1'240;  // makes an object of 1.5 KB

// Seconds of processor time the process has used.
double CpuSeconds() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return time.tv_sec + time.tv_usec / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::unique_ptr<Journal> MustOpen(const std::string& directory) {
  auto journal = Journal::Open({.directory = directory,
                                .identity = {.cluster_uid = "cluster", .operator_name = "bench"},
                                .create_if_missing = true});
  LOGBOOK_CHECK(journal.ok());
  return *std::move(journal);
}

void Must(const absl::Status& status) {
  LOGBOOK_CHECK(status.ok());
}

// Text that compresses like a real object does, not like one letter.
std::string Filler(uint64_t seed) {
  std::string filler;
  while (filler.size() < kPadding) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    filler += Concat("env-", (seed >> 33) % 1000, "=value-", (seed >> 43) % 1000, ";");
  }
  filler.resize(kPadding);
  return filler;
}

ObjectSpec SpecOf(int64_t i) {
  return {.ns = Concat("team-", i % 100),
          .name = Concat("app-", i),
          .uid = Concat("6f1c2f0e-8a55-4d0e-9c57-", 100'000'000'000 + i),
          .resource_version = Concat(i + 1),
          .filler = Filler(static_cast<uint64_t>(i))};
}

std::vector<Event> Events(const Journal& journal, int64_t count) {
  std::vector<Event> events;
  for (int64_t i = 0; i < count; ++i) {
    events.push_back(ObservedEvent(EventSeq(journal.last().value + 1 + i), journal.run(), SpecOf(i),
                                   ChangeType::kModified));
  }
  return events;
}

void AppendMany(Journal& journal, int64_t count) {
  for (int64_t done = 0; done < count; done += 256) {
    Must(journal.Append(Events(journal, std::min<int64_t>(256, count - done)), {}, Fsync::kNo));
  }
}

void Append(benchmark::State& state) {
  const TempDir directory;
  const auto journal = MustOpen(directory.path());
  std::vector<Event> events = Events(*journal, state.range(0));
  const BookmarkUpdate bookmark{.stream = StreamId(1), .resource_version = "123456"};
  const Fsync fsync = state.range(1) == 1 ? Fsync::kYes : Fsync::kNo;
  const double cpu = CpuSeconds();
  for (auto _ : state) {
    Must(journal->Append(events, {&bookmark, 1}, fsync));
    for (Event& event : events) {
      event.seq.value += events.size();
    }
  }
  const auto appended = static_cast<double>(state.iterations() * state.range(0));
  state.SetItemsProcessed(static_cast<int64_t>(appended));
  state.counters["cpu_us_per_event"] = (CpuSeconds() - cpu) * 1e6 / appended;
}

BENCHMARK(Append)
    ->ArgNames({"batch", "synced"})
    ->ArgsProduct({{1, 16, 256}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

// 16 MB of log is the most there is to replay: what a SIGKILL leaves behind.
void OpenAfterKill(benchmark::State& state) {
  const TempDir directory;
  const TempDir image;
  {
    const auto journal = MustOpen(directory.path());
    AppendMany(*journal, 10'000);
    Must(journal->RecordSynced());
    std::filesystem::copy(directory.path(), image.path(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  }
  for (auto _ : state) {
    state.PauseTiming();
    const TempDir store;
    std::filesystem::copy(image.path(), store.path(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
    state.ResumeTiming();
    auto journal = MustOpen(store.path());
    state.PauseTiming();
    journal.reset();
    state.ResumeTiming();
  }
}

BENCHMARK(OpenAfterKill)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

void OpenAfterClose(benchmark::State& state) {
  const TempDir directory;
  {
    const auto journal = MustOpen(directory.path());
    AppendMany(*journal, 100'000);
    Must(journal->Close());
  }
  for (auto _ : state) {
    auto journal = MustOpen(directory.path());
    state.PauseTiming();
    Must(journal->Close());
    journal.reset();
    state.ResumeTiming();
  }
}

BENCHMARK(OpenAfterClose)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

// A store of kObjects objects, its view in memory, and no checkpoint yet.
struct World {
  TempDir directory;
  std::unique_ptr<Journal> journal = MustOpen(directory.path());
  std::shared_ptr<ViewState> view = std::make_shared<ViewState>();

  World() {
    for (int64_t i = 0; i < kObjects; ++i) {
      const Event event = ObservedEvent(journal->last().Next(), journal->run(), SpecOf(i));
      Must(journal->Append({&event, 1}, {}, Fsync::kNo));
      view->PutObject(kApps, {.object = std::get<Observed>(event.body).object,
                              .seq = event.seq,
                              .stream = event.stream});
    }
    view->seq = journal->last();
  }

  CheckpointInput Everything() const {
    CheckpointInput input;
    input.state = view;
    input.everything = true;
    return input;
  }
};

void FirstCheckpoint(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const World world;
    state.ResumeTiming();
    Must(WriteCheckpoint(*world.journal, world.Everything()));
    Must(world.journal->Sync());
  }
}

BENCHMARK(FirstCheckpoint)->Iterations(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void CheckpointOf1000Changes(benchmark::State& state) {
  const World world;
  Must(WriteCheckpoint(*world.journal, world.Everything()));
  for (auto _ : state) {
    state.PauseTiming();
    AppendMany(*world.journal, 1000);
    world.view->seq = world.journal->last();
    CheckpointInput input;
    input.state = world.view;
    for (int64_t i = 0; i < 1000; ++i) {
      const ObjectSpec spec = SpecOf(i);
      input.objects.insert(ObjectPath(kApps, {.ns = spec.ns, .name = spec.name}));
    }
    state.ResumeTiming();
    Must(WriteCheckpoint(*world.journal, input));
  }
}

BENCHMARK(CheckpointOf1000Changes)->Iterations(10)->UseRealTime()->Unit(benchmark::kMillisecond);

void LoadState100000(benchmark::State& state) {
  const World world;
  Must(WriteCheckpoint(*world.journal, world.Everything()));
  Must(world.journal->Close());
  for (auto _ : state) {
    const auto loaded = LoadState(*world.journal);
    LOGBOOK_CHECK(loaded.ok() && loaded->objects.size() == kObjects);
  }
}

BENCHMARK(LoadState100000)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);

void HistoryOfOneObject(benchmark::State& state) {
  const World world;
  Must(WriteCheckpoint(*world.journal, world.Everything()));
  int64_t i = 0;
  for (auto _ : state) {
    const ObjectSpec spec = SpecOf(i++ * 7919 % kObjects);
    const ObjectRef object{
        .resource = std::string(kApps), .key = {.ns = spec.ns, .name = spec.name}, .uid = {}};
    const auto entries = ReadHistory(*world.journal, object, EventSeq(1), 100);
    LOGBOOK_CHECK(entries.ok() && entries->size() == 1);
  }
}

BENCHMARK(HistoryOfOneObject)->UseRealTime()->Unit(benchmark::kMicrosecond);

void ReadAndDecode(benchmark::State& state) {
  const World world;
  for (auto _ : state) {
    Must(
        world.journal->Read(EventSeq(1), world.journal->last(), [](const Event&) { return true; }));
  }
  state.SetItemsProcessed(state.iterations() * kObjects);
}

BENCHMARK(ReadAndDecode)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);

void Verify(benchmark::State& state) {
  World world;
  Must(WriteCheckpoint(*world.journal, world.Everything()));
  Must(world.journal->Close());
  world.journal.reset();
  for (auto _ : state) {
    const auto report = VerifyStore({.directory = world.directory.path(), .logger = {}});
    LOGBOOK_CHECK(report.ok() && report->ok());
  }
  state.SetItemsProcessed(state.iterations() * kObjects);
}

BENCHMARK(Verify)->Iterations(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace logbook::store

BENCHMARK_MAIN();
