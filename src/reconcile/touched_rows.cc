#include "logbook/reconcile/touched_rows.h"

namespace logbook::reconcile {

void TouchedRows::AddKey(const ControllerKey& key, const std::string& resource) {
  keys_.insert(KeyPath(key));
  if (!resource.empty()) {
    objects_.insert(ObjectPath(resource, key.object));
  }
}

void TouchedRows::Add(const Event& event) {
  for (const ObjectRef& subject : event.subjects) {
    objects_.insert(ObjectPath(subject.resource, subject.key));
  }
  for (const Mark& mark : event.marks) {
    AddKey(mark.key, "");
  }
  if (const auto* observed = std::get_if<Observed>(&event.body)) {
    if (observed->listed) {
      listing_.insert(event.stream);
    }
  } else if (const auto* stream = std::get_if<StreamChanged>(&event.body)) {
    if (stream->change != StreamChange::kUnavailable && stream->change != StreamChange::kRewound &&
        stream->change != StreamChange::kOpened) {
      listing_.erase(event.stream);
    }
    everything_ = everything_ || stream->change == StreamChange::kClosed;
  } else if (const auto* decided = std::get_if<Decided>(&event.body)) {
    AddKey(decided->key, decided->resource);
  } else if (const auto* outcome = std::get_if<OutcomeRecorded>(&event.body)) {
    AddKey(outcome->key, outcome->resource);
  } else if (const auto* build = std::get_if<BuildStarted>(&event.body)) {
    everything_ = everything_ || build->changed;
  }
}

}  // namespace logbook::reconcile
