#include "logbook/store/log_order.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "logbook/store/log_fragments.h"
#include "logbook/store/posix_file.h"
#include "logbook/store/rocksdb_status.h"

namespace logbook::store {
namespace {

// A write begins with its sequence number (8) and its number of rows (4).
constexpr size_t kSequenceBytes = 8;
constexpr size_t kWriteHeaderBytes = 12;

bool BeginsWrite(const Fragment& fragment) {
  return fragment.whole && fragment.BeginsRecord() && fragment.bytes.size() >= kWriteHeaderBytes;
}

uint64_t SequenceOf(const Fragment& write) {
  return LittleEndian(write.bytes.substr(0, kSequenceBytes));
}

uint64_t RowsOf(const Fragment& write) {
  return LittleEndian(write.bytes.substr(kSequenceBytes, kWriteHeaderBytes - kSequenceBytes));
}

std::vector<std::string> LogsIn(const std::string& directory) {
  std::vector<std::string> logs;
  std::error_code error;  // a directory that cannot be listed is refused by whoever opens it
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".log") {
      logs.push_back(entry.path().string());
    }
  }
  std::sort(logs.begin(), logs.end(), [](const std::string& one, const std::string& other) {
    return one.size() != other.size() ? one.size() < other.size() : one < other;  // as numbers
  });
  return logs;
}

}  // namespace

std::optional<LogRange> RangeOfLog(std::string_view log) {
  std::vector<Fragment> writes = FragmentsOf(log);
  std::erase_if(writes, [](const Fragment& fragment) { return !BeginsWrite(fragment); });
  if (writes.empty()) {
    return std::nullopt;
  }
  return LogRange{.first = SequenceOf(writes.front()),
                  .end = SequenceOf(writes.back()) + RowsOf(writes.back())};
}

absl::Status CheckLogOrder(const std::string& directory) {
  const std::vector<std::string> logs = LogsIn(directory);
  if (logs.size() < 2) {
    return absl::OkStatus();
  }
  uint64_t end = 0;
  std::string before;
  for (const std::string& path : logs) {
    LOGBOOK_ASSIGN_OR_RETURN(const std::string log, ReadFile(path));
    const std::optional<LogRange> range = RangeOfLog(log);
    if (!range) {
      continue;
    }
    if (range->first < end) {
      return DataLoss("store ", directory, " is damaged (", path, " begins at write ", range->first,
                      ", but ", before, " before it ends at write ", end,
                      ": one of them is of another moment or another store)", kRestoreAdvice);
    }
    end = std::max(end, range->end);
    before = path;
  }
  return absl::OkStatus();
}

}  // namespace logbook::store
