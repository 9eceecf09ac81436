// What it costs to find out that nothing is to be done: the SimpleApp's Deployment as the API
// server returns it, against what the operator wants of it.
#include <string>
#include <vector>

#include "report.h"
#include "simple_apps.h"
#include <benchmark/benchmark.h>

#include "logbook/base/check.h"
#include "logbook/model/compare.h"
#include "logbook/model/managed_fields.h"
#include "logbook/model/object.h"
#include "logbook/operators/simpleapp/types.h"

namespace logbook::bench {
namespace {

constexpr std::string_view kDeployments = "deployments.apps";

struct Deployments {
  Json desired;
  Json live;
  std::string live_text;
  ObjectPtr live_object;

  Deployments() {
    const SettledApp settled = MakeSettledApp();
    desired = settled.desired_deployment;
    live = settled.live_deployment;
    live_text = DumpJson(live);
    live_object = *Object::FromJson(live_text);
  }
};

void Covers(benchmark::State& state) {
  const Deployments both;
  for (auto _ : state) {
    LOGBOOK_CHECK(logbook::Covers(both.desired, both.live, kDeployments));
  }
}

BENCHMARK(Covers)->Repetitions(5)->Unit(benchmark::kMicrosecond);

void FindDifference(benchmark::State& state) {
  Deployments both;
  both.live["spec"]["template"]["spec"]["containers"][0]["image"] = "nginx:1.28";
  for (auto _ : state) {
    LOGBOOK_CHECK(FieldDifferences(both.desired, both.live, kDeployments, 10).size() == 1);
  }
}

BENCHMARK(FindDifference)->Repetitions(5)->Unit(benchmark::kMicrosecond);

// What a plan asks besides: does the server still keep fields of ours that we no longer want?
void FindStaleFields(benchmark::State& state) {
  const Deployments both;
  for (auto _ : state) {
    LOGBOOK_CHECK(
        StaleFields(both.live, operators::kFieldManager, both.desired, kDeployments).empty());
  }
}

BENCHMARK(FindStaleFields)->Repetitions(5)->Unit(benchmark::kMicrosecond);

// nlohmann's ==, which knows neither owners nor defaults, and so could only say "differs".
void WholeTreeEqual(benchmark::State& state) {
  const Deployments both;
  const Json copy = both.live;
  for (auto _ : state) {
    LOGBOOK_CHECK(both.live == copy);
  }
}

BENCHMARK(WholeTreeEqual)->Repetitions(5)->Unit(benchmark::kMicrosecond);

// A reconciler that looks into an object needs its tree.
void BuildTree(benchmark::State& state) {
  const Deployments both;
  for (auto _ : state) {
    benchmark::DoNotOptimize(both.live_object->Tree());
  }
}

BENCHMARK(BuildTree)->Repetitions(5)->Unit(benchmark::kMicrosecond);

std::vector<Row> Rows() {
  return {
      {"desired ⊆ live, nothing differs", "Covers", kCpuTime, "µs", ToBeat(86)},
      {"desired ⊆ live, the differing field named", "FindDifference", kCpuTime, "µs", ToBeat(86)},
      {"fields of ours that are no longer wanted", "FindStaleFields", kCpuTime, "µs"},
      {"whole trees equal (for comparison; cannot tell owners)", "WholeTreeEqual", kCpuTime, "µs"},
      {"tree of the live object from its bytes", "BuildTree", kCpuTime, "µs"}};
}

}  // namespace
}  // namespace logbook::bench

int main(int argc, char** argv) {
  return logbook::bench::RunAndReport(argc, argv, logbook::bench::Rows());
}
