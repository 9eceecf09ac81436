#include "logbook/reconcile/work_queue.h"

#include <algorithm>

#include "logbook/base/check.h"

namespace logbook::reconcile {

void WorkQueue::Update(const ControllerKey& key, const KeyState* state) {
  absl::MutexLock lock(&mu_);
  const auto found = items_.find(key);
  if (state == nullptr && found == items_.end()) {
    return;
  }
  Item& item = found == items_.end() ? items_[key] : found->second;
  item.dirty = state != nullptr && state->dirty();
  item.low = state != nullptr && state->low_priority;
  item.due = state == nullptr ? absl::InfiniteFuture() : state->due;
  Settle(key, item);
}

// Puts the item where it belongs; forgets it if that is nowhere.
void WorkQueue::Settle(const ControllerKey& key, Item& item) {
  if (item.in_hand) {
    return;
  }
  if (item.dirty) {
    Enter(key, item, item.low ? Place::kLow : Place::kNormal);
    return;
  }
  Leave(key, item);
  if (item.due == absl::InfiniteFuture()) {
    items_.erase(key);
    return;
  }
  item.place = Place::kTimer;
  item.timer = item.due;
  timers_.emplace(item.timer, key);
  changed_.SignalAll();  // it may be due before what the others wait for
}

void WorkQueue::Leave(const ControllerKey& key, Item& item) {
  if (item.place == Place::kTimer) {
    timers_.erase({item.timer, key});
  } else if (item.place != Place::kNowhere) {
    --ready_;
  }
  item.place = Place::kNowhere;
}

// A key that is in the lane already keeps its turn.
void WorkQueue::Enter(const ControllerKey& key, Item& item, Place lane) {
  if (item.place == lane) {
    return;
  }
  Leave(key, item);
  item.place = lane;
  item.ticket = ++tickets_;
  (lane == Place::kLow ? low_ : normal_).emplace_back(key, item.ticket);
  ++ready_;
  changed_.Signal();
}

void WorkQueue::MoveDueKeys() {
  const absl::Time now = clock_.Now();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const ControllerKey key = timers_.begin()->second;
    Enter(key, items_.at(key), Place::kNormal);
  }
}

std::optional<ControllerKey> WorkQueue::TakeFrom(Lane& lane, Place place) {
  while (!lane.empty()) {
    const auto [key, ticket] = std::move(lane.front());
    lane.pop_front();
    const auto found = items_.find(key);
    if (found != items_.end() && found->second.ticket == ticket && found->second.place == place) {
      Leave(key, found->second);
      found->second.in_hand = true;
      ++in_hand_;
      return key;
    }
  }
  return std::nullopt;
}

std::optional<ControllerKey> WorkQueue::TakeReady() {
  MoveDueKeys();
  if (ready_ == 0) {
    return std::nullopt;
  }
  const bool low_first = ++turn_ % kLowShare == 0;
  Lane& first = low_first ? low_ : normal_;
  Lane& second = low_first ? normal_ : low_;
  std::optional<ControllerKey> key = TakeFrom(first, low_first ? Place::kLow : Place::kNormal);
  return key.has_value() ? key : TakeFrom(second, low_first ? Place::kNormal : Place::kLow);
}

std::optional<ControllerKey> WorkQueue::Pop(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    absl::MutexLock lock(&mu_);
    changed_.SignalAll();
  });
  absl::MutexLock lock(&mu_);
  while (!stop.stop_requested()) {
    if (open_) {
      if (std::optional<ControllerKey> key = TakeReady(); key.has_value()) {
        return key;
      }
    }
    const absl::Duration wait = !open_ || timers_.empty() ? absl::InfiniteDuration()
                                                          : timers_.begin()->first - clock_.Now();
    changed_.WaitWithTimeout(&mu_, wait);
  }
  return std::nullopt;
}

void WorkQueue::Release(const ControllerKey& key) {
  ReleaseUntil(key, absl::InfiniteFuture());
}

void WorkQueue::ReleaseUntil(const ControllerKey& key, absl::Time due) {
  absl::MutexLock lock(&mu_);
  Item& item = items_.at(key);
  LOGBOOK_CHECK(item.in_hand);
  item.in_hand = false;
  --in_hand_;
  if (due != absl::InfiniteFuture()) {
    item.due = due;
  }
  Settle(key, item);
}

void WorkQueue::SetOpen(bool open) {
  absl::MutexLock lock(&mu_);
  open_ = open;
  changed_.SignalAll();
}

size_t WorkQueue::depth() const {
  absl::MutexLock lock(&mu_);
  return ready_;
}

size_t WorkQueue::in_hand() const {
  absl::MutexLock lock(&mu_);
  return in_hand_;
}

}  // namespace logbook::reconcile
