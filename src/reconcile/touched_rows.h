// TouchedRows: which rows of a view the fold of some events reads or writes, found without folding
// them. So a few events can be folded onto a part of a view.
//
// Confined. Must know whatever Fold does; fold.h and this change together.
#ifndef LOGBOOK_RECONCILE_TOUCHED_ROWS_H_
#define LOGBOOK_RECONCILE_TOUCHED_ROWS_H_

#include <set>
#include <string>

#include "logbook/model/event.h"
#include "logbook/model/view_state.h"

namespace logbook::reconcile {

class TouchedRows {
 public:
  void Add(const Event& event);

  // Every row may be touched: a stream was closed, or a new build marks all keys.
  bool everything() const { return everything_; }

  const std::set<std::string>& objects() const { return objects_; }  // ObjectPath

  const std::set<std::string>& keys() const { return keys_; }  // KeyPath

  // After the events so far, a list has begun and not ended (Fold::ListPending).
  bool ListPending() const { return !listing_.empty(); }

 private:
  void AddKey(const ControllerKey& key, const std::string& resource);

  std::set<std::string> objects_;
  std::set<std::string> keys_;
  std::set<StreamId> listing_;  // streams with listed events that are not in the view yet
  bool everything_ = false;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_TOUCHED_ROWS_H_
