// LogOrder: whether the write-ahead logs of a database follow one another.
//
// RocksDB takes for granted that they do: from logs that changed places, or of which one is from
// another moment or another store, it makes a wrong database, or ends the process by an assertion.
#ifndef LOGBOOK_STORE_LOG_ORDER_H_
#define LOGBOOK_STORE_LOG_ORDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "logbook/base/status.h"

namespace logbook::store {

// The sequence numbers of the first write in a log and after its last one. Only records with their
// checksum count, so damage, which RocksDB judges, cannot make them up.
struct LogRange {
  uint64_t first = 0;
  uint64_t end = 0;

  friend bool operator==(const LogRange&, const LogRange&) = default;
};

// Of the bytes of one log; nothing if no record of it is whole.
std::optional<LogRange> RangeOfLog(std::string_view log);

// Whether each log in `directory` begins where the one before it ends, or later. Reads them only if
// there is more than one, as after a crash during a flush. Errors: kDataLoss naming two of them;
// those of posix_file.h.
absl::Status CheckLogOrder(const std::string& directory);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_LOG_ORDER_H_
