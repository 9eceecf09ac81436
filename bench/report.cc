#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <utility>

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

// jemalloc's, where the program is linked with it.
extern "C" int mallctl(const char*, void*, size_t*, void*, size_t) __attribute__((weak));

namespace logbook::bench {
namespace {

// Keeps what the console shows: samples by benchmark and value.
class Collector : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration && !run.error_occurred) {
        Take(run);
      }
    }
    ConsoleReporter::ReportRuns(runs);
  }

  const std::vector<double>& Samples(const std::string& benchmark, const std::string& value) const {
    static const std::vector<double> kNone;
    const auto found = samples_.find({benchmark, value});
    return found == samples_.end() ? kNone : found->second;
  }

 private:
  void Take(const Run& run) {
    const std::string name = run.run_name.args.empty()
                                 ? run.run_name.function_name
                                 : run.run_name.function_name + "/" + run.run_name.args;
    const auto iterations = static_cast<double>(run.iterations);
    samples_[{name, kCpuTime}].push_back(run.cpu_accumulated_time / iterations * 1e6);
    samples_[{name, kWallTime}].push_back(run.real_accumulated_time / iterations * 1e6);
    for (const auto& [counter, value] : run.counters) {
      samples_[{name, counter}].push_back(value);
    }
  }

  std::map<std::pair<std::string, std::string>, std::vector<double>> samples_;
};

std::string Text(double value) {
  char text[32];
  const double size = std::abs(value);
  const int decimals = value == std::round(value) || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

std::string TargetText(const Row& row) {
  if (!row.target.has_value()) {
    return "";
  }
  const std::string_view word = !row.target->budget   ? "to beat "
                                : row.target->at_most ? "budget ≤ "
                                                      : "budget ≥ ";
  return std::string(word) + Text(row.target->value);
}

std::string RatioText(const Row& row, double median) {
  if (!row.target.has_value()) {
    return "";
  }
  const bool met = row.target->at_most ? median <= row.target->value : median >= row.target->value;
  return Text(median / row.target->value) + (met ? "" : " MISSED");
}

// By characters, not bytes: "µ" is two of them.
void PrintCell(const std::string& text, size_t width) {
  const auto shown = static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  std::printf("%s%*s | ", text.c_str(), static_cast<int>(width > shown ? width - shown : 0), "");
}

void PrintLine(const std::vector<std::string>& cells) {
  constexpr size_t kWidths[] = {58, 18, 18, 18, 12};
  std::printf("| ");
  for (size_t i = 0; i < cells.size(); ++i) {
    PrintCell(cells[i], kWidths[i]);
  }
  std::printf("\n");
}

void Print(const std::vector<Row>& rows, const Collector& collected) {
  std::printf("\n");
  PrintLine({"what", "measured (median)", "range", "budget, to beat", "ratio"});
  for (const Row& row : rows) {
    const std::vector<double>& samples = collected.Samples(row.benchmark, row.value);
    if (samples.empty()) {
      continue;
    }
    const double median = Quantile(samples, 0.5);
    const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
    const std::string range = samples.size() == 1 ? "" : Text(*low) + " to " + Text(*high);
    PrintLine(
        {row.what, Text(median) + " " + row.unit, range, TargetText(row), RatioText(row, median)});
  }
}

}  // namespace

int RunAndReport(int argc, char** argv, const std::vector<Row>& rows) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 1;
  }
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  Print(rows, collector);
  return 0;
}

double ProcessCpuSeconds() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ResidentBytes() {
  if (mallctl != nullptr) {
    constexpr char kPurgeAll[] = "arena.4096.purge";  // MALLCTL_ARENAS_ALL
    mallctl(kPurgeAll, nullptr, nullptr, nullptr, 0);
  }
  ::malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double Quantile(std::vector<double> samples, double share) {
  if (samples.empty()) {
    return 0;
  }
  const auto at = static_cast<size_t>(share * static_cast<double>(samples.size() - 1) + 0.5);
  std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(at),
                   samples.end());
  return samples[at];
}

}  // namespace logbook::bench
