// The control: the same events in a RocksDB with its default options, without chain, SYNCED or
// anchor. A campaign that finds nothing silent here would not find it anywhere.
#ifndef LOGBOOK_TESTS_CORRUPTION_PLAIN_STORE_H_
#define LOGBOOK_TESTS_CORRUPTION_PLAIN_STORE_H_

#include <memory>

#include "campaign.h"

namespace logbook::store {

std::unique_ptr<Subject> MakePlainSubject();

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_CORRUPTION_PLAIN_STORE_H_
