// The numbers that name things.
#ifndef LOGBOOK_MODEL_IDS_H_
#define LOGBOOK_MODEL_IDS_H_

#include <cstdint>

#include "logbook/base/strong_int.h"

namespace logbook {

// Position of an event in the journal: 1, 2, 3, … without gaps; 0 is before the first.
using EventSeq = StrongInt<struct EventSeqTag>;

// One opening of a store for writing: 1, 2, 3, …
using RunId = StrongInt<struct RunIdTag>;

// A stream's number within one store; 0 is no stream.
using StreamId = StrongInt<struct StreamIdTag, uint32_t>;

}  // namespace logbook

#endif  // LOGBOOK_MODEL_IDS_H_
