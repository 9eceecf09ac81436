// What the journal costs: appending by batches, synced and not, opening, reading, verifying. Events
// are observations of a custom resource of 1.5 KB.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "journal_events.h"
#include "report.h"
#include <benchmark/benchmark.h>

#include "logbook/base/clock.h"
#include "logbook/store/verify.h"
#include "logbook/support/temp_dir.h"

namespace logbook::bench {
namespace {

using store::Fsync;
using store::Journal;

constexpr int64_t kEvents = 50'000;

const ObjectTemplate& App() {
  static const ObjectTemplate app = MakeSettledApp().app;
  return app;
}

std::vector<Event> Events(const Journal& journal, int64_t count) {
  std::vector<Event> events;
  for (int64_t i = 0; i < count; ++i) {
    events.push_back(ObservedEvent(EventSeq(journal.last().value + 1 + static_cast<uint64_t>(i)),
                                   journal.run(), App().Render(i)));
  }
  return events;
}

// Renumbers what was appended, to append it again.
void Advance(std::vector<Event>& events) {
  for (Event& event : events) {
    event.seq.value += events.size();
  }
}

void Append(benchmark::State& state) {
  const TempDir directory;
  const auto journal = MustOpen(directory.path());
  AppendMany(*journal, App(), kTrainedAfter + 1);
  std::vector<Event> events = Events(*journal, state.range(0));
  const store::BookmarkUpdate bookmark{.stream = StreamId(1), .resource_version = "123456"};
  const Fsync fsync = state.range(1) == 1 ? Fsync::kYes : Fsync::kNo;
  const double cpu = ProcessCpuSeconds();
  const absl::Duration begin = SystemClock().Monotonic();
  for (auto _ : state) {
    Must(journal->Append(events, {&bookmark, 1}, fsync));
    Advance(events);
  }
  const double seconds = absl::ToDoubleSeconds(SystemClock().Monotonic() - begin);
  const auto appended = static_cast<double>(state.iterations() * state.range(0));
  state.counters["cpu_us_per_event"] = (ProcessCpuSeconds() - cpu) * 1e6 / appended;
  state.counters["events_per_s"] = appended / seconds;
}

BENCHMARK(Append)
    ->ArgNames({"batch", "synced"})
    ->ArgsProduct({{1, 16, 256}, {0, 1}})
    ->UseRealTime()
    ->Repetitions(3)
    ->Unit(benchmark::kMicrosecond);

// One event per batch, every second one synced: what the disk adds.
void FsyncCost(benchmark::State& state) {
  const TempDir directory;
  const auto journal = MustOpen(directory.path());
  AppendMany(*journal, App(), kTrainedAfter + 1);
  std::vector<Event> events = Events(*journal, 1);
  std::vector<double> costs_us;
  for (auto _ : state) {
    for (int i = 0; i < 500; ++i) {
      double took_us[2];
      for (const Fsync fsync : {Fsync::kNo, Fsync::kYes}) {
        const absl::Duration begin = SystemClock().Monotonic();
        Must(journal->Append(events, {}, fsync));
        Advance(events);
        took_us[fsync == Fsync::kYes ? 1 : 0] =
            absl::ToDoubleMicroseconds(SystemClock().Monotonic() - begin);
      }
      costs_us.push_back(took_us[1] - took_us[0]);
    }
  }
  state.counters["p50_us"] = Quantile(costs_us, 0.5);
  state.counters["p99_us"] = Quantile(costs_us, 0.99);
}

BENCHMARK(FsyncCost)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

void Copy(const std::string& from, const std::string& to) {
  std::filesystem::copy(
      from, to,
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
}

// 16 MB of log is the most there is to replay: what a kill leaves behind.
void OpenAfterKill(benchmark::State& state) {
  const TempDir directory;
  const TempDir image;
  {
    const auto journal = MustOpen(directory.path());
    AppendMany(*journal, App(), 45'000);  // of some 340 bytes in the log
    Must(journal->RecordSynced());
    Copy(directory.path(), image.path());
  }
  for (auto _ : state) {
    state.PauseTiming();
    const TempDir store;
    Copy(image.path(), store.path());
    state.ResumeTiming();
    auto journal = MustOpen(store.path());
    state.PauseTiming();
    journal.reset();
    state.ResumeTiming();
  }
}

BENCHMARK(OpenAfterKill)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

// The journal of kEvents, closed in order.
struct Closed {
  TempDir directory;

  Closed() {
    const auto journal = MustOpen(directory.path());
    AppendMany(*journal, App(), kEvents);
    Must(journal->Close());
  }
};

void OpenAfterClose(benchmark::State& state) {
  const Closed closed;
  for (auto _ : state) {
    auto journal = MustOpen(closed.directory.path());
    state.PauseTiming();
    Must(journal->Close());
    journal.reset();
    state.ResumeTiming();
  }
}

BENCHMARK(OpenAfterClose)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

void ReadAndDecode(benchmark::State& state) {
  const Closed closed;
  const auto journal = MustOpen(closed.directory.path());
  for (auto _ : state) {
    Must(journal->Read(EventSeq(1), journal->last(), [](const Event&) { return true; }));
  }
  state.counters["events_per_s"] = benchmark::Counter(
      static_cast<double>(kEvents * state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK(ReadAndDecode)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

void Verify(benchmark::State& state) {
  const Closed closed;
  for (auto _ : state) {
    const auto report =
        store::VerifyStore({.directory = closed.directory.path(), .logger = Logger()});
    LOGBOOK_CHECK(report.ok() && report->ok());
  }
  state.counters["events_per_s"] = benchmark::Counter(
      static_cast<double>(kEvents * state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK(Verify)->Iterations(1)->Unit(benchmark::kMillisecond);

std::vector<Row> Rows() {
  std::vector<Row> rows;
  for (const std::string batch : {"1", "16", "256"}) {
    for (const std::string synced : {"0", "1"}) {
      const std::string name = "Append/batch:" + batch + "/synced:" + synced;
      const std::string what =
          "append, batches of " + batch + (synced == "1" ? ", synced: " : ": ");
      rows.push_back({what + "CPU per event", name, "cpu_us_per_event", "µs"});
      rows.push_back({what + "per batch", name, kWallTime, "µs"});
      rows.push_back({what + "events", name, "events_per_s", "/s"});
    }
  }
  rows.push_back({"fsync of one event, p50", "FsyncCost", "p50_us", "µs"});
  rows.push_back({"fsync of one event, p99", "FsyncCost", "p99_us", "µs"});
  rows.push_back({"open after a kill, log of 16 MB", "OpenAfterKill", kWallTime, "µs"});
  rows.push_back({"open after a clean close", "OpenAfterClose", kWallTime, "µs"});
  rows.push_back({"read and decode", "ReadAndDecode", "events_per_s", "/s"});
  rows.push_back({"verify", "Verify", "events_per_s", "/s"});
  return rows;
}

}  // namespace
}  // namespace logbook::bench

int main(int argc, char** argv) {
  return logbook::bench::RunAndReport(argc, argv, logbook::bench::Rows());
}
