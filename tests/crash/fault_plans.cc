#include "fault_plans.h"

#include <cerrno>

namespace logbook::crash {
namespace {

// Changes that a start makes before it goes on with the script, and some more.
constexpr uint64_t kChangesOfAStart = 60;

uint64_t CallsOf(const Sweep& sweep, const std::string& call) {
  const auto found = sweep.calls().find(call);
  return found == sweep.calls().end() ? 0 : found->second;
}

std::vector<uint64_t> PointsOf(uint64_t calls, const Share& share) {
  std::vector<uint64_t> points;
  uint64_t index = 0;
  for (uint64_t nth : Sample(calls, share.points_max)) {
    if (index++ % share.parts == share.part) {
      points.push_back(nth);
    }
  }
  return points;
}

}  // namespace

void KillEverywhere(Sweep& sweep, const Share& share) {
  for (uint64_t nth : PointsOf(CallsOf(sweep, ""), share)) {
    sweep.Try({{.deed = Deed::kKill, .nth = nth}});
  }
}

void KillWithinWrites(Sweep& sweep, const Share& share) {
  for (uint64_t nth : PointsOf(CallsOf(sweep, "write"), share)) {
    sweep.Try({{.deed = Deed::kTearAndKill, .call = "write", .nth = nth}});
  }
}

// Each start is given another past: what it finds depends on where the kill before it was.
void KillWhileRecovering(Sweep& sweep, const Share& share) {
  const uint64_t changes = CallsOf(sweep, "");
  const uint64_t points = share.points_max == 0 ? 10 * kChangesOfAStart : share.points_max;
  for (uint64_t i = share.part; i < points; i += share.parts) {
    sweep.Try({{.deed = Deed::kKill, .nth = 1 + i * 37 % changes},
               {.deed = Deed::kKill, .nth = 1 + i % kChangesOfAStart}});
  }
}

// Not sync_file_range: RocksDB only asks whether there is such a call, with no flags, and that does
// nothing that could fail.
const std::vector<Failure>& Failures() {
  static const std::vector<Failure> kFailures = {
      {"write", EIO, "EIO"},        {"write", ENOSPC, "ENOSPC"},
      {"pwrite64", EIO, "EIO"},     {"pwrite64", ENOSPC, "ENOSPC"},
      {"fdatasync", EIO, "EIO"},    {"fdatasync", ENOSPC, "ENOSPC"},
      {"fsync", EIO, "EIO"},        {"rename", EIO, "EIO"},
      {"rename", ENOSPC, "ENOSPC"}, {"openat", EIO, "EIO"},
      {"openat", ENOSPC, "ENOSPC"}, {"openat", EMFILE, "EMFILE"},
      {"mkdir", ENOSPC, "ENOSPC"},  {"unlink", EIO, "EIO"},
      {"ftruncate", EIO, "EIO"},    {"fallocate", ENOSPC, "ENOSPC"},
      {"read", EIO, "EIO"},         {"pread64", EIO, "EIO"},
      {"getdents64", EIO, "EIO"}};
  return kFailures;
}

void FailOnce(Sweep& sweep, const Failure& failure, const Share& share) {
  for (uint64_t nth : PointsOf(CallsOf(sweep, failure.call), share)) {
    sweep.Try({{.deed = Deed::kFail, .call = failure.call, .nth = nth, .error = failure.error}});
  }
}

void FailFromThenOn(Sweep& sweep, const Failure& failure, const Share& share) {
  for (uint64_t nth : PointsOf(CallsOf(sweep, failure.call), share)) {
    sweep.Try({{.deed = Deed::kFail,
                .call = failure.call,
                .nth = nth,
                .error = failure.error,
                .sticky = true}});
  }
}

}  // namespace logbook::crash
