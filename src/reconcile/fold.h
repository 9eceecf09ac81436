// Fold: applies events to a view, one after the other.
//
// Shape:    a total function of the journal: it calls no user code and reads no clock; what an
//           event makes dirty and when a key is due stand in the event (ADR 0003).
// Threads:  Confined to the journal's writer, or to a replay. Copies of state() may be read
//           anywhere.
//
// Invariants
//   1. Events come in seq order without gaps.
//   2. A row that is already newer than an event is left alone. So a fold may start from a state
//      checkpoint that was only half written.
//   3. An object never goes back in time, and a dead uid never returns, unless the cluster does.
//   4. Listed objects enter the view together, when their list is complete.
#ifndef LOGBOOK_RECONCILE_FOLD_H_
#define LOGBOOK_RECONCILE_FOLD_H_

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "logbook/model/event.h"
#include "logbook/model/view_state.h"

namespace logbook::reconcile {

// So many of the last deaths are remembered. One is forgotten long after the last answer or frame
// that could have brought the object back.
inline constexpr size_t kTombstonesMax = 8192;

// What differs from the state at the last TakeChanges: the rows a state checkpoint has to write.
struct ViewChanges {
  absl::flat_hash_set<std::string> objects;     // ObjectPath
  absl::flat_hash_set<std::string> keys;        // KeyPath
  absl::flat_hash_set<std::string> tombstones;  // uid
};

class Fold {
 public:
  explicit Fold(ViewState start);

  // `event.seq` is state().seq + 1.
  void Apply(const Event& event);

  const ViewState& state() const { return state_; }

  // True while a list has begun and not ended: the listed events are not in state() yet, so no
  // state checkpoint may be taken.
  bool ListPending() const { return !pending_.empty(); }

  ViewChanges TakeChanges();

  // Keys whose row was changed since the last call, with repetitions.
  std::vector<ControllerKey> TakeTouchedKeys() { return std::exchange(touched_keys_, {}); }

 private:
  struct ApplyBody;

  void ApplyObserved(const Event& event, const Observed& observed, EventSeq visible);
  void ApplyStream(const Event& event, const StreamChanged& body);
  void MoveStream(StreamState& stream, const Event& event, const StreamChanged& body);
  void ApplyListed(const Event& listed);
  void ApplyDecided(const Event& event, const Decided& body);
  void ApplyOutcome(const Event& event, const OutcomeRecorded& body);
  void ApplyResponse(const Event& event, const Outcome& outcome);
  void ApplyBuild(const Event& event, const BuildStarted& body);

  // Puts `object` into the view unless that would be a step back. `seq` is that of the row: from
  // where on the change is visible.
  void Put(const ObjectRef& ref, const ObjectPtr& object, StreamId stream, EventSeq seq);
  // Takes the incarnation `ref` out of the view; it never returns unless it only left the scope.
  void Remove(const ObjectRef& ref, EventSeq seq, bool dead);
  void Bury(const ObjectRef& ref, EventSeq seq);
  void RemoveObjectsOf(StreamId stream);
  void MarkAll(const std::string& controller, std::string_view resource, EventSeq seq);
  void AddMarks(const Event& event, EventSeq visible);
  void AddCause(const ControllerKey& key, Cause cause, bool low_priority, EventSeq seq);

  // A copy of the key's row to change, or a new one; nullopt if the row is newer than `seq`.
  std::optional<KeyState> KeyForChange(const ControllerKey& key, EventSeq seq) const;
  // Stores the row, or erases it if nothing is left to say about the key.
  void PutKey(const ControllerKey& key, KeyState state);

  ViewState state_;
  std::map<StreamId, std::vector<Event>> pending_;  // listed, of a list that is not complete
  ViewChanges changes_;
  std::vector<ControllerKey> touched_keys_;
  std::deque<std::pair<EventSeq, std::string>> graves_;  // of the tombstones, oldest first
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_FOLD_H_
