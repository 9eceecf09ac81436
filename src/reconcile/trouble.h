// Trouble: why something is not as wanted, in the words of a status condition.
#ifndef LOGBOOK_RECONCILE_TROUBLE_H_
#define LOGBOOK_RECONCILE_TROUBLE_H_

#include <string>

namespace logbook::reconcile {

struct Trouble {
  std::string reason;   // one CamelCase word
  std::string message;  // a sentence for people; the same for as long as the trouble is
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_TROUBLE_H_
