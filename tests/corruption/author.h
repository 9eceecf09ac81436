// Author: writes events to a journal as an operator's days produce them, and keeps the truth.
#ifndef LOGBOOK_TESTS_CORRUPTION_AUTHOR_H_
#define LOGBOOK_TESTS_CORRUPTION_AUTHOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "victim.h"

#include "logbook/reconcile/fold.h"
#include "logbook/store/journal.h"

namespace logbook::store {

class Author {
 public:
  // `salt` makes this story another one.
  explicit Author(std::string salt) : salt_(std::move(salt)), fold_(ViewState()) {
    truth_.views.push_back(RowsOf(ViewState()));
  }

  // The next `count` events, in batches of one to three.
  void Append(Journal& journal, int count, Fsync fsync);

  // A state checkpoint, as the runtime takes them.
  void Checkpoint(Journal& journal);

  // Notes the synced position, in SYNCED and as the anchor.
  void Anchor(Journal& journal);

  Truth& truth() { return truth_; }

 private:
  Event NextEvent(EventSeq seq, RunId run);
  Event Observation(EventSeq seq, RunId run);

  std::string salt_;
  reconcile::Fold fold_;
  std::map<int, int> births_;  // of object i, so far
  Bookmarks bookmarks_;
  EventSeq decided_;  // the last decision
  bool checkpointed_ = false;
  Truth truth_;
};

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_CORRUPTION_AUTHOR_H_
