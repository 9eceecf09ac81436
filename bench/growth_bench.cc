// How costs grow with the journal: the same steps on 10,000, 100,000 and 1,000,000 events, and the
// exponent of a power law through them. 0 is constant, 1 is in proportion.
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "growing_journal.h"
#include "report.h"

#include "logbook/reconcile/view_at.h"
#include "logbook/store/history.h"
#include "logbook/store/verify.h"
#include "logbook/support/temp_dir.h"

namespace logbook::bench {
namespace {

constexpr int64_t kSizes[] = {10'000, 100'000, 1'000'000};
constexpr int64_t kObjects = 1'000;
constexpr int kQueries = 2'000;
constexpr int64_t kTail = 5'000;

struct Step {
  std::string what;
  std::string unit;
  std::vector<double> values = {};
};

double CpuOf(const std::function<void()>& work) {
  const double begin = ProcessCpuSeconds();
  work();
  return ProcessCpuSeconds() - begin;
}

double WallOf(const std::function<void()>& work) {
  const absl::Duration begin = SystemClock().Monotonic();
  work();
  return absl::ToDoubleSeconds(SystemClock().Monotonic() - begin);
}

// The slope through the points on logarithmic axes, by least squares.
double Exponent(const std::vector<double>& values) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = std::log(static_cast<double>(kSizes[i]));
    const double y = std::log(values[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

double HistoryP50(const store::Journal& journal, const ViewState& view) {
  std::vector<ObjectRef> refs;
  view.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    refs.push_back(RefFromPath(path));
    refs.back().uid = entry.object->uid();
  });
  std::mt19937_64 random(1);
  std::vector<double> micros;
  for (int i = 0; i < kQueries; ++i) {
    const ObjectRef& ref = refs[random() % refs.size()];
    micros.push_back(
        1e6 * WallOf([&] { Must(store::ReadHistory(journal, ref, EventSeq(1), 20).status()); }));
  }
  return Quantile(std::move(micros), 0.5);
}

// What is measured of a journal of `events` events, in the order of the steps.
std::vector<double> Measure(int64_t events) {
  const TempDir directory;
  const auto n = static_cast<double>(events);
  GrowingJournal journal(directory.path(), kObjects);
  journal.Append(2'000);  // until there is a dictionary
  const double ingest = CpuOf([&] { journal.Append(events / 2 - 2'000 - kTail / 2); });
  const double checkpoint = CpuOf([&] { journal.Checkpoint(); });
  journal.Append(kTail / 2);
  const double history = HistoryP50(journal.journal(), journal.view());
  const auto bytes =
      static_cast<double>(journal.journal().database().TableBytes(store::ColumnFamily::kEvents));
  journal.Close();
  const double verify = CpuOf([&] {
    const auto report = store::VerifyStore({.directory = directory.path()});
    LOGBOOK_CHECK(report.ok() && report->ok());
  });
  std::unique_ptr<store::Journal> reopened;
  const double start = WallOf([&] {
    reopened = MustOpen(directory.path());
    Must(reconcile::FoldNewest(*reopened).status());
  });
  const double replay =
      CpuOf([&] { Must(reconcile::FoldFrom(ViewState(), *reopened, reopened->last()).status()); });
  return {1e6 * ingest / n, 1e6 * checkpoint / n, history,          bytes / n,
          1e3 * start,      1e6 * replay / n,     1e6 * verify / n, verify};
}

void Print(const std::vector<Step>& steps) {
  std::printf(
      "| what | 10,000 | 100,000 | 1,000,000 | unit | exponent |\n|---|---|---|---|---|---|\n");
  for (const Step& step : steps) {
    std::printf("| %s | %.3g | %.3g | %.3g | %s | %.2f |\n", step.what.c_str(), step.values[0],
                step.values[1], step.values[2], step.unit.c_str(), Exponent(step.values));
  }
}

void Run() {
  std::vector<Step> steps = {{"append and fold: CPU per event", "µs"},
                             {"one state checkpoint of all of it: CPU per event", "µs"},
                             {"history of one object, 20 events, p50", "µs"},
                             {"tables of events, per event", "bytes"},
                             {"open, load and fold a tail of 5,000", "ms"},
                             {"replay: CPU per event", "µs"},
                             {"verify: CPU per event", "µs"},
                             {"verify: CPU in all", "s"}};
  for (int64_t size : kSizes) {
    const std::vector<double> values = Measure(size);
    for (size_t i = 0; i < steps.size(); ++i) {
      steps[i].values.push_back(values[i]);
    }
  }
  Print(steps);
}

}  // namespace
}  // namespace logbook::bench

int main() {
  logbook::bench::Run();
}
