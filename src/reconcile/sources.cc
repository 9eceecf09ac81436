#include "logbook/reconcile/sources.h"

#include <algorithm>

namespace logbook::reconcile {

void Sources::Add(StreamId stream, std::string name) {
  absl::MutexLock lock(&mu_);
  sources_[stream].name = std::move(name);
}

void Sources::SetSynced(StreamId stream) {
  {
    absl::MutexLock lock(&mu_);
    Source& source = sources_[stream];
    source.synced = true;
    source.unavailable = absl::OkStatus();
    const bool all = std::all_of(sources_.begin(), sources_.end(),
                                 [](const auto& entry) { return entry.second.synced; });
    if (!all || all_synced_) {
      return;
    }
    all_synced_ = true;
  }
  on_all_synced_();
}

void Sources::SetUnavailable(StreamId stream, const absl::Status& reason) {
  absl::MutexLock lock(&mu_);
  sources_[stream].unavailable = reason;
}

absl::Status Sources::Check() const {
  absl::MutexLock lock(&mu_);
  if (sources_.empty()) {
    return Unavailable("sources are not started yet");
  }
  for (const auto& [stream, source] : sources_) {
    if (!source.unavailable.ok()) {
      return WithContext(source.unavailable, source.name);
    }
    if (!source.synced) {
      return Unavailable(source.name, ": not synced yet");
    }
  }
  return absl::OkStatus();
}

}  // namespace logbook::reconcile
