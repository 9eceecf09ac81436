// Failpoints: places where a test may end the process, to see what the next start makes of it.
//
// What is shipped does nothing here. A test program links a definition of its own
// (tests/support/failpoints.cc); the one in our library is then not linked.
#ifndef LOGBOOK_BASE_FAILPOINT_H_
#define LOGBOOK_BASE_FAILPOINT_H_

#include <string_view>

namespace logbook {

void HitFailpoint(std::string_view name);

}  // namespace logbook

#endif  // LOGBOOK_BASE_FAILPOINT_H_
