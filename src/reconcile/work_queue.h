// WorkQueue: which key is next. Derived from the view, so that nothing of it is lost in a restart:
// a key waits because it has causes nobody decided on, or because it is due.
//
// Order:    normal keys first come, first served; keys whose every cause is of low priority (a list
//           at the start, a new build) after them, but every kLowShare-th turn is theirs if any
//           waits, so a steady stream of changes cannot starve them.
// Threads:  Thread-safe. Pop blocks; one key is never handed out twice until it is released.
// Time:     due times are wall time, compared with the clock given; a test's clock may stand still.
#ifndef LOGBOOK_RECONCILE_WORK_QUEUE_H_
#define LOGBOOK_RECONCILE_WORK_QUEUE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/model/key_state.h"
#include "logbook/model/object_key.h"

namespace logbook::reconcile {

class WorkQueue {
 public:
  static constexpr int kLowShare = 8;

  explicit WorkQueue(const Clock& clock) : clock_(clock) {}

  // What the view now says about `key`; null if it says nothing.
  void Update(const ControllerKey& key, const KeyState* state);

  // A key that is ready, now in the hands of the caller; nullopt once `stop` is requested.
  // Nothing is handed out before Open.
  std::optional<ControllerKey> Pop(const std::stop_token& stop);

  // The caller is done with `key`; what Update said meanwhile takes effect.
  void Release(const ControllerKey& key);

  // As Release, and the key is due at `due` at the latest: a decision that was not worth an event.
  void ReleaseUntil(const ControllerKey& key, absl::Time due);

  // Whether keys are handed out: not before every source is synced.
  void SetOpen(bool open);

  // Keys that wait to be handed out, and those in hand.
  size_t depth() const;
  size_t in_hand() const;

 private:
  enum class Place : uint8_t { kNowhere, kNormal, kLow, kTimer };

  struct Item {
    Place place = Place::kNowhere;
    bool in_hand = false;
    bool dirty = false;
    bool low = false;
    absl::Time due = absl::InfiniteFuture();
    absl::Time timer;     // where it stands in timers_, while its place is there
    uint64_t ticket = 0;  // of its entry in a lane; older entries are void
  };

  using Lane = std::deque<std::pair<ControllerKey, uint64_t>>;

  void Settle(const ControllerKey& key, Item& item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Leave(const ControllerKey& key, Item& item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Enter(const ControllerKey& key, Item& item, Place lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void MoveDueKeys() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  std::optional<ControllerKey> TakeReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  std::optional<ControllerKey> TakeFrom(Lane& lane, Place place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Clock& clock_;

  mutable absl::Mutex mu_;
  absl::CondVar changed_;
  absl::flat_hash_map<ControllerKey, Item> items_ ABSL_GUARDED_BY(mu_);
  Lane normal_ ABSL_GUARDED_BY(mu_);
  Lane low_ ABSL_GUARDED_BY(mu_);
  std::set<std::pair<absl::Time, ControllerKey>> timers_ ABSL_GUARDED_BY(mu_);
  size_t ready_ ABSL_GUARDED_BY(mu_) = 0;
  size_t in_hand_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t tickets_ ABSL_GUARDED_BY(mu_) = 0;
  int turn_ ABSL_GUARDED_BY(mu_) = 0;
  bool open_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_WORK_QUEUE_H_
