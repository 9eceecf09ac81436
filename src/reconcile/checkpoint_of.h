// What a state checkpoint writes of a view: the fold's changes in the store's words.
//
// Not for operators: it needs the store, which they cannot reach.
#ifndef LOGBOOK_RECONCILE_CHECKPOINT_OF_H_
#define LOGBOOK_RECONCILE_CHECKPOINT_OF_H_

#include <memory>

#include "logbook/reconcile/fold.h"
#include "logbook/store/checkpoint.h"

namespace logbook::reconcile {

// `changes` are those since the last checkpoint.
inline store::CheckpointInput CheckpointOf(const ViewState& view, const ViewChanges& changes) {
  store::CheckpointInput input;
  input.state = std::make_shared<const ViewState>(view);
  input.objects = {changes.objects.begin(), changes.objects.end()};
  input.keys = {changes.keys.begin(), changes.keys.end()};
  input.tombstones = {changes.tombstones.begin(), changes.tombstones.end()};
  view.streams.ForEach([&](StreamId id, const StreamState&) { input.streams.insert(id); });
  return input;
}

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_CHECKPOINT_OF_H_
