// A soak: a million events on few objects, with retention. What counts is that disk and memory stop
// growing once there is something to trim.
#include <cstdio>
#include <filesystem>

#include "growing_journal.h"
#include "report.h"

#include "logbook/support/temp_dir.h"

namespace logbook::bench {
namespace {

constexpr int64_t kChanges = 500'000;  // each with its decision
constexpr int64_t kStep = 5'000;
constexpr int64_t kObjects = 200;
constexpr uint64_t kRetentionBytes = uint64_t{16} << 20;

double DiskMiB(const std::string& directory) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  }
  return static_cast<double>(bytes) / (1 << 20);
}

void Run() {
  const TempDir directory;
  GrowingJournal journal(directory.path(), kObjects);
  std::printf("| what | events | oldest | on disk, MiB | resident, MiB |\n|---|---|---|---|---|\n");
  for (int64_t done = kStep; done <= kChanges; done += kStep) {
    journal.Append(kStep);
    journal.Checkpoint();
    journal.Trim({.bytes = kRetentionBytes});
    if (done % (kChanges / 10) == 0) {
      std::printf("| soak | %llu | %llu | %.1f | %.1f |\n",
                  static_cast<unsigned long long>(journal.journal().last().value),
                  static_cast<unsigned long long>(journal.journal().oldest().value),
                  DiskMiB(directory.path()), ResidentBytes() / (1 << 20));
      std::fflush(stdout);  // a soak takes its time
    }
  }
}

}  // namespace
}  // namespace logbook::bench

int main() {
  logbook::bench::Run();
}
