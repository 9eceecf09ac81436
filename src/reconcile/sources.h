// Sources: whether everything that is watched has been seen once, for readiness and for the queue.
//
// Threads:  Thread-safe. `on_all_synced` is called once, on the thread that synced the last source.
#ifndef LOGBOOK_RECONCILE_SOURCES_H_
#define LOGBOOK_RECONCILE_SOURCES_H_

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "logbook/base/status.h"
#include "logbook/model/ids.h"

namespace logbook::reconcile {

class Sources {
 public:
  explicit Sources(std::function<void()> on_all_synced)
      : on_all_synced_(std::move(on_all_synced)) {}

  // Before the first Set…: a source that has to be synced. `name` is what people read.
  void Add(StreamId stream, std::string name);

  // The view holds all of the stream, as of its bookmark.
  void SetSynced(StreamId stream);

  // It cannot be watched at present. What the view holds of it stays.
  void SetUnavailable(StreamId stream, const absl::Status& reason);

  // OK if every source is synced and being watched; else kUnavailable naming one that is not.
  absl::Status Check() const;

 private:
  struct Source {
    std::string name;
    bool synced = false;
    absl::Status unavailable;
  };

  const std::function<void()> on_all_synced_;
  mutable absl::Mutex mu_;
  std::map<StreamId, Source> sources_ ABSL_GUARDED_BY(mu_);
  bool all_synced_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_SOURCES_H_
