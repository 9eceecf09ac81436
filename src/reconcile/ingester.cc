#include "logbook/reconcile/ingester.h"

#include <utility>

#include "absl/strings/match.h"

#include "logbook/model/resource_version.h"

namespace logbook::reconcile {

Ingester::Ingester(StreamId id, StreamIdentity identity, k8s::StreamPosition position,
                   JournalWriter& writer, const MarkTable& marks, Sources& sources, Logger log)
    : id_(id),
      identity_(std::move(identity)),
      position_(std::move(position)),
      writer_(writer),
      marks_(marks),
      sources_(sources),
      log_(std::move(log)) {}

Observation Ingester::Observe(ChangeType change, ObjectPtr object, Origin origin) const {
  const bool listed = origin == Origin::kList;
  return {.change = change,
          .origin = origin,
          .stream = id_,
          .resource = identity_.resource,
          .object = std::move(object),
          .listed = listed,
          .low_priority = listed && !position_.listed};
}

Event Ingester::StreamEvent(StreamChange change, std::string_view reason) const {
  return {.stream = id_,
          .resource_version = position_.resource_version,
          .body = StreamChanged{.change = change,
                                .identity = identity_,
                                .served_by = listing_.start.served.served_by,
                                .reason = std::string(reason)}};
}

absl::Status Ingester::Submit(std::vector<Observation> observations, std::string_view bookmark) {
  size_t bytes = 0;
  for (const Observation& observation : observations) {
    bytes += observation.object->MemoryBytes();
  }
  writer_.Submit({.propose =
                      [this, observations = std::move(observations),
                       version = std::string(bookmark)](Draft& draft) {
                        for (const Observation& observation : observations) {
                          AddObservation(draft, marks_, observation);
                        }
                        if (!version.empty()) {
                          draft.SetBookmark(id_, version);
                        }
                      },
                  .bytes = bytes,
                  .intake = true});
  return writer_.failure();
}

absl::Status Ingester::OnListStarted(const k8s::ListStart& start) {
  listing_ = {.start = start};
  identity_.resource = start.served.resource;
  // Waited for, so that the view which the list is compared with has all that came before it.
  return writer_.SubmitAndWait(
      [&](Draft& draft) { draft.Add(StreamEvent(StreamChange::kListStarted, start.reason)); });
}

absl::Status Ingester::OnListPage(std::vector<ObjectPtr> objects) {
  const ViewStatePtr view = writer_.view();
  std::vector<Observation> differences;
  const std::string resource = identity_.resource.GroupResource();
  for (const ObjectPtr& object : objects) {
    Compare(*view, writer_.redactor().Redact(resource, object), differences);
  }
  listing_.listed += objects.size();
  listing_.changed += differences.size();
  return differences.empty() ? writer_.failure() : Submit(std::move(differences), "");
}

void Ingester::Compare(const ViewState& view, const ObjectPtr& object,
                       std::vector<Observation>& differences) {
  const std::string resource = identity_.resource.GroupResource();
  std::string path = ObjectPath(resource, object->key());
  const ObjectEntry* entry = view.objects.Find(path);
  listing_.seen.insert(std::move(path));
  if (!IsNews(view, id_, resource, *object)) {
    return;  // the view has a write of ours that is younger than the list
  }
  if (entry == nullptr) {
    differences.push_back(Observe(ChangeType::kAdded, object, Origin::kList));
    return;
  }
  if (entry->object->uid() != object->uid()) {
    // Deleted and made again while nobody looked: two incarnations, so two events.
    differences.push_back(Observe(ChangeType::kDeletedWhileAway, entry->object, Origin::kList));
    differences.push_back(Observe(ChangeType::kAdded, object, Origin::kList));
    return;
  }
  const bool same_version = entry->object->resource_version() == object->resource_version();
  const bool same = listing_.start.compare_content
                        ? same_version && entry->object->content() == object->content()
                        : same_version;
  if (!same) {
    differences.push_back(Observe(ChangeType::kModified, object, Origin::kList));
  }
}

std::vector<Observation> Ingester::Vanished(std::string_view resource_version) const {
  std::vector<Observation> vanished;
  if (!listing_.complete_view) {
    return vanished;
  }
  const ViewStatePtr view = writer_.view();
  const std::string prefix = ObjectPathPrefix(identity_.resource.GroupResource());
  // What a selector does not show any more may live on and be shown again.
  const bool selected = !identity_.label_selector.empty() || !identity_.field_selector.empty();
  const ChangeType change = selected ? ChangeType::kLeftScope : ChangeType::kDeletedWhileAway;
  view->objects.ScanFrom(prefix, [&](const std::string& path, const ObjectEntry& entry) {
    if (!absl::StartsWith(path, prefix)) {
      return false;
    }
    // A list says nothing about what is newer than itself, such as an object we have just made.
    const bool newer = IsOlderVersion(resource_version, entry.object->resource_version()) &&
                       !view->streams.Find(id_)->rewound;
    if (entry.stream == id_ && !newer && !listing_.seen.contains(path)) {
      vanished.push_back(Observe(change, entry.object, Origin::kList));
    }
    return true;
  });
  return vanished;
}

absl::Status Ingester::OnListed(std::string_view resource_version) {
  std::vector<Observation> vanished = Vanished(resource_version);
  position_ = {.resource_version = std::string(resource_version),
               .served_by = listing_.start.served.served_by,
               .listed = position_.listed};
  Event event = StreamEvent(StreamChange::kListed, listing_.start.reason);
  auto& body = std::get<StreamChanged>(event.body);
  body.objects_listed = listing_.listed;
  body.objects_changed = listing_.changed;
  body.objects_vanished = vanished.size();
  log_.Info("Stream listed", {{"stream", identity_.ToString()},
                              {"reason", listing_.start.reason},
                              {"resourceVersion", position_.resource_version},
                              {"listed", body.objects_listed},
                              {"changed", body.objects_changed},
                              {"vanished", body.objects_vanished}});
  writer_.Submit({.propose =
                      [this, vanished = std::move(vanished), event = std::move(event),
                       version = position_.resource_version](Draft& draft) {
                        for (const Observation& observation : vanished) {
                          AddObservation(draft, marks_, observation);
                        }
                        draft.Add(event);
                        draft.SetBookmark(id_, version);
                        draft.OnCommitted([this] { sources_.SetSynced(id_); });
                      },
                  .intake = true});
  position_.listed = true;
  listing_.seen.clear();
  return writer_.failure();
}

absl::Status Ingester::OnResumed(const k8s::ServedResource& served) {
  identity_.resource = served.resource;
  log_.Info("Stream resumed",
            {{"stream", identity_.ToString()}, {"resourceVersion", position_.resource_version}});
  writer_.Submit({.propose = [this, event = StreamEvent(StreamChange::kResumed, "")](Draft& draft) {
    draft.Add(event);
    draft.OnCommitted([this] { sources_.SetSynced(id_); });
  }});
  return writer_.failure();
}

absl::Status Ingester::OnEvents(std::vector<k8s::WatchEvent> events,
                                std::string_view resource_version) {
  std::vector<Observation> observations;
  observations.reserve(events.size());
  const std::string resource = identity_.resource.GroupResource();
  for (k8s::WatchEvent& event : events) {
    observations.push_back(
        Observe(event.change, writer_.redactor().Redact(resource, event.object), Origin::kWatch));
  }
  position_.resource_version = resource_version;
  return Submit(std::move(observations), resource_version);
}

absl::Status Ingester::OnBookmark(std::string_view resource_version) {
  position_.resource_version = resource_version;
  return Submit({}, resource_version);
}

absl::Status Ingester::OnQuarantined(const k8s::UndecodableObject& object) {
  if (object.key.name.empty()) {
    listing_.complete_view = false;
  } else {
    listing_.seen.insert(ObjectPath(identity_.resource.GroupResource(), object.key));
  }
  log_.Error("Object quarantined", {{"stream", identity_.ToString()},
                                    {"object", object.key.ToString()},
                                    {"error", object.error}});
  Event event{.stream = id_,
              .subjects = {},
              .body = Quarantined{.bytes = std::string(object.bytes),
                                  .error = std::string(ToStd(object.error.message()))}};
  if (!object.key.name.empty()) {
    event.subjects.push_back(
        {.resource = identity_.resource.GroupResource(), .key = object.key, .uid = object.uid});
  }
  writer_.Submit({.propose = [event = std::move(event)](Draft& draft) { draft.Add(event); },
                  .bytes = object.bytes.size(),
                  .intake = true});
  return writer_.failure();
}

absl::Status Ingester::OnRewound(std::string_view reason) {
  log_.Error("Cluster went back in time, starting a new generation of the stream",
             {{"stream", identity_.ToString()}, {"reason", reason}});
  position_ = {};
  return writer_.SubmitAndWait([&](Draft& draft) {
    Event event = StreamEvent(StreamChange::kRewound, reason);
    std::get<StreamChanged>(event.body).generation = draft.view().streams.Find(id_)->generation + 1;
    draft.Add(std::move(event));
    draft.SetBookmark(id_, "");
  });
}

void Ingester::OnUnavailable(const absl::Status& status) {
  log_.Error("Stream is unavailable", {{"stream", identity_.ToString()}, {"error", status}});
  // Told by the writer, as SetSynced is, so that the last word is the last.
  writer_.Submit({.propose = [this, status,
                              event = StreamEvent(StreamChange::kUnavailable,
                                                  ToStd(status.message()))](Draft& draft) {
    draft.Add(event);
    draft.OnCommitted([this, status] { sources_.SetUnavailable(id_, status); });
  }});
}

}  // namespace logbook::reconcile
