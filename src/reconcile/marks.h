// Which keys a change makes dirty: the registrations of all controllers, by kind.
//
// Threads:  Thread-compatible. Marks() is called on the journal's writer for each observation; the
//           mappers and predicates in it are user code, and what they say is recorded.
#ifndef LOGBOOK_RECONCILE_MARKS_H_
#define LOGBOOK_RECONCILE_MARKS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/model/event.h"
#include "logbook/model/view_state.h"
#include "logbook/reconcile/operator.h"

namespace logbook::reconcile {

class MarkTable {
 public:
  // `specs` outlive the table.
  explicit MarkTable(const std::vector<OperatorSpec>& specs);

  // The marks of a change from `before` to `after`, of which one may be null. Sorted by key and
  // without repetitions. Of `view` only: a key whose object is not in it, and of which nothing is
  // known, has nothing to be told; when its object comes, that marks it.
  std::vector<Mark> Marks(const ViewState& view, std::string_view resource, const Object* before,
                          const Object* after, bool low_priority = false) const;

 private:
  struct Rule {
    const OperatorSpec* spec;
    MarkReason reason;  // kObserved: For; kOwned: Owns; kMapped: Watches
    const WatchSpec* watch;
  };

  static bool Concerns(const Rule& rule, const Object* before, const Object* after);
  static bool IsKnown(const ViewState& view, const OperatorSpec& spec, const ControllerKey& key);
  static void AddKeys(const Rule& rule, const Object& object, std::vector<ObjectKey>& keys);

  std::map<std::string, std::vector<Rule>, std::less<>> rules_;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_MARKS_H_
