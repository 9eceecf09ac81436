#include "logbook/reconcile/observation.h"

#include <utility>

#include "logbook/model/resource_version.h"

namespace logbook::reconcile {

bool IsNews(const ViewState& view, StreamId stream, const std::string& resource,
            const Object& object) {
  const StreamState* found = view.streams.Find(stream);
  if (found != nullptr && found->rewound) {
    return true;
  }
  if (view.tombstones.Find(object.uid()) != nullptr) {
    return false;
  }
  const ObjectEntry* current = view.FindObject(resource, object.key());
  return current == nullptr ||
         !IsOlderVersion(object.resource_version(), current->object->resource_version());
}

StreamId StreamOf(const ViewState& view, const Resource& resource, const std::string& ns) {
  StreamId found;
  view.streams.ForEach([&](StreamId id, const StreamState& stream) {
    const StreamIdentity& identity = stream.identity;
    if (identity.resource.group == resource.group && identity.resource.plural == resource.plural &&
        !stream.closed && identity.label_selector.empty() && identity.field_selector.empty() &&
        (identity.ns.empty() || identity.ns == ns)) {
      found = id;
    }
  });
  return found;
}

EventSeq AddObservation(Draft& draft, const MarkTable& marks, const Observation& observation) {
  const std::string resource = observation.resource.GroupResource();
  const ObjectPtr& object = observation.object;
  const ObjectEntry* current = draft.view().FindObject(resource, object->key());
  // Kept alive: adding the event may replace it.
  const ObjectPtr before = current == nullptr ? nullptr : current->object;
  const bool removal = IsRemoval(observation.change);
  bool changed;
  if (removal) {
    changed = before != nullptr && before->uid() == object->uid();
  } else {
    changed = IsNews(draft.view(), observation.stream, resource, *object) &&
              (before == nullptr || before->uid() != object->uid() ||
               before->content() != object->content());
  }
  Event event{
      .stream = observation.stream,
      .subjects = {{.resource = resource, .key = object->key(), .uid = std::string(object->uid())}},
      .resource_version = std::string(object->resource_version()),
      .body = Observed{.change = observation.change,
                       .origin = observation.origin,
                       .resource = observation.resource,
                       .content_changed = changed,
                       .listed = observation.listed,
                       .object = object}};
  if (changed) {
    event.marks = marks.Marks(draft.view(), resource, before.get(),
                              removal ? nullptr : object.get(), observation.low_priority);
  }
  return draft.Add(std::move(event));
}

}  // namespace logbook::reconcile
