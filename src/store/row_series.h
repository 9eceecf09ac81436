// RowSeries: more rows than fit one batch, written as they come. Each batch is atomic, the series
// is not. Confined.
#ifndef LOGBOOK_STORE_ROW_SERIES_H_
#define LOGBOOK_STORE_ROW_SERIES_H_

#include <cstddef>
#include <string_view>

#include "logbook/base/status.h"
#include "logbook/store/journal.h"

namespace logbook::store {

class RowSeries {
 public:
  // A batch is written once it has this size: small enough that an Append waits no longer than
  // some milliseconds behind it.
  static constexpr size_t kBatchBytes = size_t{1} << 20;

  // `journal` outlives the series.
  explicit RowSeries(Journal& journal) : journal_(journal), batch_(journal.database()) {}

  // Errors: those of Journal::WriteDerived.
  absl::Status Put(ColumnFamily family, std::string_view key, std::string_view value) {
    batch_.Put(family, key, value);
    return batch_.bytes() < kBatchBytes ? absl::OkStatus() : WriteOut();
  }

  absl::Status Delete(ColumnFamily family, std::string_view key) {
    batch_.Delete(family, key);
    return batch_.bytes() < kBatchBytes ? absl::OkStatus() : WriteOut();
  }

  // Writes what is left. A series that is not written out leaves out its last rows.
  absl::Status WriteOut() {
    if (batch_.empty()) {
      return absl::OkStatus();
    }
    absl::Status written = journal_.WriteDerived(batch_);
    batch_.Clear();
    return written;
  }

 private:
  Journal& journal_;
  RowBatch batch_;
};

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_ROW_SERIES_H_
