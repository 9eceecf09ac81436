// What to do about a database whose log, or MANIFEST, cannot be read to its end.
//
// RocksDB itself forgives only a torn last write. A power cut may also leave a page of zeros in the
// middle of what was not synced yet, and that is no loss: those events are observed again. So the
// longest readable prefix is tried on a copy, and accepted only if nothing that was synced is
// missing from it.
#ifndef LOGBOOK_STORE_TAIL_RECOVERY_H_
#define LOGBOOK_STORE_TAIL_RECOVERY_H_

#include <memory>
#include <string>

#include "logbook/base/status.h"
#include "logbook/store/database.h"
#include "logbook/store/position.h"
#include "logbook/store/tail.h"

namespace logbook::store {

// Opens the database of `options`, which RocksDB has refused with `refusal`, up to its damage.
// Errors: kDataLoss with the refusal, if that would lose events up to `synced`; no row has then
// been changed. Needs free space for a copy of the log.
absl::StatusOr<std::unique_ptr<Database>> OpenUpToDamage(const DatabaseOptions& options,
                                                         const absl::Status& refusal,
                                                         const Position& synced);

// Removes the copy that a crash has left beside `database`; it keeps table files from being freed.
void RemoveLeftOverCopy(const std::string& database);

// Adds to `batch` what makes the journal end at `tail.good`: the removal of the records behind it,
// of what may have been derived from them, and of all bookmarks. The caller adds the event that
// tells of it.
absl::Status CutTail(const Database& database, const Tail& tail, RowBatch& batch);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_TAIL_RECOVERY_H_
