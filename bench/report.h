// Report: the table at the end of every benchmark program: what was measured, against which figure.
//
// How:      each repetition of a benchmark gives one sample of its counters and times; the table
//           shows the median of them and how far they spread.
// Times:    "cpu" counts the whole process where a benchmark says so in a counter, RocksDB's
//           background work included; kCpuTime is that of the thread that runs the loop.
//
// Example
//   int main(int argc, char** argv) {
//     return logbook::bench::RunAndReport(argc, argv,
//         {{"mark a queued key", "Mark/100000", kCpuTime, "µs", ToBeat(12)}});
//   }
#ifndef LOGBOOK_BENCH_REPORT_H_
#define LOGBOOK_BENCH_REPORT_H_

#include <optional>
#include <string>
#include <vector>

namespace logbook::bench {

struct Target {
  double value = 0;
  bool at_most = true;
  bool budget = true;  // else a rival's figure
};

inline Target AtMost(double value) {
  return {.value = value};
}

inline Target AtLeast(double value) {
  return {.value = value, .at_most = false};
}

inline Target ToBeat(double value) {
  return {.value = value, .budget = false};
}

// What a row may name in place of a counter: microseconds per iteration.
inline constexpr char kCpuTime[] = "cpu time";
inline constexpr char kWallTime[] = "wall time";

struct Row {
  std::string what;
  std::string benchmark;  // the function's name with its arguments: "Append/batch:1/synced:0"
  std::string value;      // one of its counters, or kCpuTime or kWallTime
  std::string unit;
  std::optional<Target> target = std::nullopt;
};

// Runs the benchmarks as Google Benchmark's own main does, then prints the rows that were measured.
int RunAndReport(int argc, char** argv, const std::vector<Row>& rows);

// Seconds of processor time that all threads of the process have used.
double ProcessCpuSeconds();

// Bytes of physical memory the process holds, after free memory was given back.
double ResidentBytes();

// The sample that `share` (0 to 1) of `samples` do not exceed; 0 without samples.
double Quantile(std::vector<double> samples, double share);

}  // namespace logbook::bench

#endif  // LOGBOOK_BENCH_REPORT_H_
