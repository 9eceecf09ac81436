// The tail of a journal: whether its last records are the ones that were written, in a row.
//
// RocksDB's checksums find bits that changed, not rows or files that went missing as a whole; the
// numbers and the chain do.
#ifndef LOGBOOK_STORE_TAIL_H_
#define LOGBOOK_STORE_TAIL_H_

#include <optional>

#include "logbook/base/status.h"
#include "logbook/store/database.h"
#include "logbook/store/position.h"

namespace logbook::store {

// Records that are checked at every opening; log verify checks all.
inline constexpr uint64_t kTailRecords = 10'000;

struct Tail {
  Position good;        // the last record up to which all follow one another
  absl::Status broken;  // why the record after it does not; OK if there is none
};

// The last event that was trimmed; all zero if none was. Errors: kDataLoss if it cannot be read.
absl::StatusOr<Position> ReadWatermark(const Database& database);

// Checks the first record and the last `records`, and in any case all after `synced`. Without
// knowledge of what was synced, all was; what was trimmed was synced before. Errors: kDataLoss if a
// record up to `synced` is missing, or is not the one that was written, not naming the store; those
// of Database.
absl::StatusOr<Tail> CheckTail(const Database& database, const std::optional<Position>& synced,
                               const Position& watermark, uint64_t records = kTailRecords);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_TAIL_H_
