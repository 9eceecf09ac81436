// A restart on 100,000 objects of 1.5 KB, each with its key: how long until the first reconcile
// runs, after a clean stop and after a kill; what the view takes in memory; how fast it is folded.
#include <atomic>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "frame_feed.h"
#include "journal_events.h"
#include "memory_api.h"
#include "report.h"
#include <benchmark/benchmark.h>

#include "logbook/base/check.h"
#include "logbook/base/wait.h"
#include "logbook/reconcile/session.h"
#include "logbook/store/checkpoint.h"
#include "logbook/support/temp_dir.h"

namespace logbook::bench {
namespace {

constexpr int64_t kObjects = 100'000;
constexpr int64_t kChanges = 4'990;  // with their decisions a tail of 10,000 events, no checkpoint

double MillisecondsSince(absl::Duration begin) {
  return absl::ToDoubleMilliseconds(SystemClock().Monotonic() - begin);
}

// An operator that counts its reconciles, in a session on a directory.
class Restarted {
 public:
  Restarted(const std::string& directory, const ObjectTemplate& app)
      : options_({.data_dir = directory, .operator_name = "bench", .build_id = "1"}),
        specs_(Specs()),
        feed_(app, kObjects) {
    api_.Serve("simpleapps", feed_.AsCollection(app));
    session_ = std::make_unique<reconcile::Session>(options_, specs_, redactor_, api_, "cluster",
                                                    SystemClock(), log_);
  }

  void Start() { LOGBOOK_CHECK(session_->Start(std::stop_token()).ok()); }

  void Stop() { session_->Stop(); }

  FrameFeed& feed() { return feed_; }

  int64_t reconciles() const { return reconciles_; }

  void AwaitFirst() { first_.WaitForNotification(); }

  void AwaitReconciles(int64_t count) {
    while (reconciles_ < count) {
      WaitFor(absl::Milliseconds(5), std::stop_token());
    }
  }

 private:
  std::vector<reconcile::OperatorSpec> Specs() {
    auto spec = reconcile::Operator("simpleapp")
                    .For("apps.bootcamp.local/v1/simpleapps", "SimpleApp")
                    .Reconciles([this](const View&, const ObjectKey&) {
                      if (++reconciles_ == 1) {
                        first_.Notify();
                      }
                      return Plan::AwaitChange("all as wanted, phase Available");
                    })
                    .Build();
    LOGBOOK_CHECK(spec.ok());
    return {*std::move(spec)};
  }

  std::atomic<int64_t> reconciles_ = 0;
  absl::Notification first_;
  const Logger log_;
  const reconcile::RuntimeOptions options_;
  const std::vector<reconcile::OperatorSpec> specs_;
  const Redactor redactor_{""};
  FrameFeed feed_;
  MemoryApi api_;
  std::unique_ptr<reconcile::Session> session_;
};

void Copy(const std::string& from, const std::string& to) {
  std::filesystem::copy(
      from, to,
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
}

// Two directories as they were left, made once: by a clean stop, and by a kill.
struct Images {
  ObjectTemplate app = MakeSettledApp().app;
  TempDir clean;
  TempDir killed;

  Images() {
    {
      Restarted first(clean.path(), app);
      first.Start();
      first.AwaitReconciles(kObjects);
      first.Stop();
    }
    const TempDir work;
    Copy(clean.path(), work.path());
    Restarted second(work.path(), app);
    second.feed().Let(kChanges);
    second.Start();
    second.AwaitReconciles(kChanges);
    // What was acknowledged is in the system's memory, so a copy has what a kill would leave.
    WaitFor(absl::Milliseconds(100), std::stop_token());
    Copy(work.path(), killed.path());
    second.Stop();
  }

  static const Images& Get() {
    static const Images images;
    return images;
  }
};

// A session is started with one change waiting, so the first reconcile is the only one that is due.
void Restart(benchmark::State& state) {
  const Images& images = Images::Get();
  const bool after_kill = state.range(0) == 1;
  double first_ms = 0;
  int64_t reconciles = 0;
  for (auto _ : state) {
    const TempDir directory;
    Copy((after_kill ? images.killed : images.clean).path(), directory.path());
    Restarted restarted(directory.path(), images.app);
    restarted.feed().StartAt(after_kill ? kChanges : 0);
    restarted.feed().Let(1);
    ResidentBytes();  // a new process has no memory yet
    const absl::Duration begin = SystemClock().Monotonic();
    restarted.Start();
    restarted.AwaitFirst();
    first_ms = MillisecondsSince(begin);
    WaitFor(absl::Milliseconds(300), std::stop_token());
    reconciles = restarted.reconciles();
    restarted.Stop();
  }
  state.counters["first_reconcile_ms"] = first_ms;
  state.counters["reconciles"] = static_cast<double>(reconciles);
}

BENCHMARK(Restart)->ArgName("killed")->Arg(0)->Arg(1)->Iterations(1)->Repetitions(5)->Unit(
    benchmark::kMillisecond);

// The steps of loading, one by one, and the memory of what they loaded.
void Load(benchmark::State& state) {
  const Images& images = Images::Get();
  const bool after_kill = state.range(0) == 1;
  const TempDir directory;
  Copy((after_kill ? images.killed : images.clean).path(), directory.path());
  for (auto _ : state) {
    const double resident_before = ResidentBytes();
    absl::Duration begin = SystemClock().Monotonic();
    auto journal = store::Journal::Open({.directory = directory.path()});
    LOGBOOK_CHECK(journal.ok());
    state.counters["open_ms"] = MillisecondsSince(begin);
    begin = SystemClock().Monotonic();
    auto rows = store::LoadState(**journal);
    LOGBOOK_CHECK(rows.ok());
    state.counters["rows_ms"] = MillisecondsSince(begin);
    begin = SystemClock().Monotonic();
    const EventSeq from = rows->seq.Next();
    reconcile::Fold fold(*std::move(rows));
    const absl::Status folded = (*journal)->Read(from, (*journal)->last(), [&](const Event& event) {
      fold.Apply(event);
      return true;
    });
    LOGBOOK_CHECK(folded.ok());
    state.counters["tail_ms"] = MillisecondsSince(begin);
    journal->reset();
    const double resident = ResidentBytes() - resident_before;
    LOGBOOK_CHECK(fold.state().objects.size() == kObjects);
    state.counters["bytes_per_object"] = resident / kObjects;
  }
}

BENCHMARK(Load)->ArgName("killed")->Arg(0)->Arg(1)->Iterations(1)->Repetitions(3)->Unit(
    benchmark::kMillisecond);

// Folds a journal of watch events from its first one, each with the key it marks.
void Replay(benchmark::State& state) {
  const ObjectTemplate& app = Images::Get().app;
  const TempDir directory;
  const auto journal = MustOpen(directory.path());
  AppendMany(*journal, app, kObjects);
  for (auto _ : state) {
    reconcile::Fold fold({});
    const absl::Status folded =
        journal->Read(EventSeq(1), journal->last(), [&](const Event& event) {
          fold.Apply(event);
          return true;
        });
    LOGBOOK_CHECK(folded.ok() && fold.state().objects.size() == kObjects);
  }
  state.counters["events_per_s"] = benchmark::Counter(
      static_cast<double>(kObjects * state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK(Replay)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

std::vector<Row> Rows() {
  const double json = kAppBytes;
  return {{"start after a clean stop, to the first reconcile", "Restart/killed:0",
           "first_reconcile_ms", "ms", AtMost(150)},
          {"reconciles run, one object having changed", "Restart/killed:0", "reconciles", "",
           AtMost(1)},
          {"start after a kill, to the first reconcile", "Restart/killed:1", "first_reconcile_ms",
           "ms", AtMost(400)},
          {"reconciles run, one object having changed", "Restart/killed:1", "reconciles", "",
           AtMost(1)},
          {"clean stop: open the journal", "Load/killed:0", "open_ms", "ms"},
          {"clean stop: load the rows of the state checkpoint", "Load/killed:0", "rows_ms", "ms"},
          {"kill: open the journal", "Load/killed:1", "open_ms", "ms"},
          {"kill: load the rows", "Load/killed:1", "rows_ms", "ms"},
          {"kill: fold the tail of 10,000 events", "Load/killed:1", "tail_ms", "ms"},
          {"resident per object of 1.5 KB, its key included", "Load/killed:0", "bytes_per_object",
           "bytes", AtMost(0.35 * json + 100)},
          {"replay: observed events read, decoded and folded", "Replay", "events_per_s", "/s",
           AtLeast(400'000)}};
}

}  // namespace
}  // namespace logbook::bench

int main(int argc, char** argv) {
  return logbook::bench::RunAndReport(argc, argv, logbook::bench::Rows());
}
