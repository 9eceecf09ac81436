// The golden store: a small store as one version wrote it, which every later build has to read.
//
// The story below is what format 1.0's golden store holds; it is frozen with it. To make the store
// anew, before the format is released:
//   rm -r tests/golden/store-1.0
//   build/release/tests/format/write_golden_store tests/golden/store-1.0
#ifndef LOGBOOK_TESTS_FORMAT_GOLDEN_STORE_H_
#define LOGBOOK_TESTS_FORMAT_GOLDEN_STORE_H_

#include <map>
#include <string>
#include <vector>

#include "logbook/base/status.h"
#include "logbook/model/event.h"
#include "logbook/store/format_file.h"
#include "logbook/store/journal.h"

namespace logbook::store {

inline constexpr char kGoldenUuid[] = "00000000-1111-4222-8333-444444444444";
inline const StoreIdentity kGoldenIdentity = {.cluster_uid = "cluster-1",
                                              .operator_name = "simpleapp"};
inline constexpr StreamId kGoldenStream(5);

// Events of every kind, with no field left at its default, and what they are about. The first part
// is of run 1 and stands in table files, the rest of run 2 in the log.
std::vector<Event> GoldenEvents();
inline constexpr size_t kGoldenEventsOfRun1 = 16;

// Where its stream resumes.
Bookmark GoldenBookmark();

// Writes the store into `directory`, which must not exist.
absl::Status WriteGoldenStore(const std::string& directory);

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_FORMAT_GOLDEN_STORE_H_
