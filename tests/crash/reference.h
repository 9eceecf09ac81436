// Reference: the end that the script comes to when nothing disturbs it, to compare others with.
#ifndef LOGBOOK_TESTS_CRASH_REFERENCE_H_
#define LOGBOOK_TESTS_CRASH_REFERENCE_H_

#include "checks.h"
#include "supervisor.h"

namespace logbook::crash {

class Reference {
 public:
  // Runs the script; a test failure if it does not end well.
  Reference();

  // What is wrong with a store on which the script was interrupted and then finished: it must be
  // sound, have all that was acknowledged, and say what the undisturbed one says.
  Complaints Check(const Workplace& place) const;

  // The same for one that lost events before it went on: a Gap shifts the numbers of those that
  // follow, so only the objects can be compared, and what was acknowledged is not.
  Complaints CheckObjects(const Workplace& place) const;

 private:
  Contents undisturbed_;
};

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_REFERENCE_H_
