// The checker that ships: every invariant that can be read off the disk, one function each. Behind
// `logbook log verify`, and what tests run after each crash.
//
// Shape:    offline and read-only. Damage does not end it: it is noted, and checking goes on behind
//           it as far as that makes sense.
// Cost:     reads everything once, tables twice; some 10 µs of processor time per event.
// Source:   docs/format.md, "Invariants".
#ifndef LOGBOOK_STORE_VERIFY_H_
#define LOGBOOK_STORE_VERIFY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/store/position.h"

namespace logbook::store {

struct Finding {
  std::string check;  // the invariant that does not hold, in a word
  std::string text;   // where, by file or seq, and what is wrong

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct VerifyReport {
  // Beyond this number findings of one check are only counted: one lost file can make millions.
  static constexpr int kFindingsMax = 20;

  uint64_t events = 0;  // read
  uint64_t rows = 0;    // of the other tables
  Position position;    // of the last event
  std::vector<Finding> findings;
  uint64_t findings_dropped = 0;

  bool ok() const { return findings.empty(); }
};

struct VerifyOptions {
  std::string directory;
  Logger logger;
  // Called now and then with how many events of how many have been read; may be empty.
  std::function<void(uint64_t done, uint64_t all)> progress;
};

// Errors: only what keeps it from looking: no store, in use, a newer format, unreadable directory.
absl::StatusOr<VerifyReport> VerifyStore(const VerifyOptions& options);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_VERIFY_H_
