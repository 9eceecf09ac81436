#include "sample_events.h"

#include <string>
#include <utility>

#include "logbook/base/check.h"

namespace logbook {
namespace {

const Resource kDeployments{.group = "apps",
                            .version = "v1",
                            .plural = "deployments",
                            .kind = "Deployment",
                            .namespaced = true};
const Resource kSimpleApps{.group = "apps.bootcamp.local",
                           .version = "v1",
                           .plural = "simpleapps",
                           .kind = "SimpleApp",
                           .namespaced = true};

absl::Time At(int64_t nanos) {
  return absl::FromUnixNanos(1'779'765'240'000'000'000 + nanos);
}

Event Envelope(uint64_t seq, EventBody body) {
  return {.seq = EventSeq(seq),
          .run = RunId(3),
          .wall_time = At(static_cast<int64_t>(seq)),
          .stream = StreamId(5),
          .subjects = {{.resource = "deployments.apps",
                        .key = {.ns = "shop", .name = "web"},
                        .uid = "u-1"},
                       {.resource = "simpleapps.apps.bootcamp.local",
                        .key = {.ns = "shop", .name = "app"},
                        .uid = "u-2"}},
          .resource_version = "340282366920938463463374607431768211455",
          .causes = {EventSeq(1), EventSeq(18'446'744'073'709'551'615U)},
          .marks = {{.key = {.controller = "simpleapp", .object = {.ns = "shop", .name = "app"}},
                     .reason = MarkReason::kOwned,
                     .low_priority = true},
                    {.key = {.controller = "other", .object = {.ns = "", .name = "node"}},
                     .reason = MarkReason::kRequested,
                     .low_priority = false}},
          .body = std::move(body)};
}

Observed SampleObserved() {
  absl::StatusOr<ObjectPtr> object = Object::FromJson(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop",)"
      R"("uid":"u-1","resourceVersion":"42"},"spec":{"replicas":3}})");
  LOGBOOK_CHECK(object.ok());
  return {.change = ChangeType::kDeletedWhileAway,
          .origin = Origin::kList,
          .resource = {.group = "apps", .version = "v1", .plural = "deployments", .kind = ""},
          .content_changed = true,
          .listed = true,
          .object = *object};
}

Effect SampleEffect(EffectKind kind, std::string_view text) {
  return {.kind = kind,
          .resource = kDeployments,
          .target = {.ns = "shop", .name = std::string(text)},
          .uid = "u-1",
          .body = R"({"spec":{"replicas":3}})",
          .force = true,
          .resource_version = "42",
          .step = std::string(text),
          .finalizer = "apps.bootcamp.local/simpleapp-finalizer",
          .match_annotation = "apps.bootcamp.local/uid",
          .propagation = "Background"};
}

Decided SampleDecided(std::string_view text) {
  Decided decided{.key = {.controller = "simpleapp", .object = {.ns = "shop", .name = "app"}},
                  .resource = "simpleapps.apps.bootcamp.local",
                  .uid = "u-2",
                  .view_seq = EventSeq(41),
                  .now = At(1),
                  .attempt = 2,
                  .effects = {},
                  .reason = std::string(text),
                  .verdict = Verdict::kFailed,
                  .due = At(30),
                  .segment = "reconcile",
                  .attempts_after = 3};
  for (int kind = 1; kind <= 8; ++kind) {
    decided.effects.push_back(SampleEffect(static_cast<EffectKind>(kind), text));
  }
  return decided;
}

OutcomeRecorded SampleOutcome(std::string_view text) {
  return {.key = {.controller = "simpleapp", .object = {.ns = "shop", .name = "app"}},
          .resource = "simpleapps.apps.bootcamp.local",
          .outcome = {.decided = EventSeq(42),
                      .ordinal = 7,
                      .kind = OutcomeKind::kUnknown,
                      .failure_class = std::string(text),
                      .message = std::string(text),
                      .http_status = 422,
                      .uid = "u-1",
                      .resource_version = "43",
                      .response = std::string(text),
                      .status = std::string(text),
                      .at = At(2),
                      .took = absl::Milliseconds(17),
                      .created = true,
                      .last = true},
          .target = kDeployments,
          .attempts_after = 4,
          .due = At(60),
          .content_changed = true};
}

StreamChanged SampleStreamChanged(std::string_view text) {
  return {.change = StreamChange::kRewound,
          .identity = {.cluster = "c-1",
                       .resource = kSimpleApps,
                       .ns = "shop",
                       .label_selector = "app=web",
                       .field_selector = "metadata.name=web"},
          .served_by = std::string(text),
          .reason = std::string(text),
          .generation = 2,
          .objects_listed = 100,
          .objects_changed = 10,
          .objects_vanished = 1};
}

BuildStarted SampleBuild(std::string_view text) {
  return {.build_id = std::string(text),
          .version = "0.1.0",
          .operator_name = "simpleapp-operator",
          .cluster = "c-1",
          .configuration = std::string(text),
          .controllers = {"simpleapp", "other"},
          .changed = true};
}

}  // namespace

std::vector<Event> SampleEvents(std::string_view text) {
  const std::string owned(text);
  std::vector<EventBody> bodies = {
      SampleObserved(),
      SampleStreamChanged(text),
      SampleDecided(text),
      SampleOutcome(text),
      Marked{.reason = owned},
      Leadership{.holder = owned, .term = 9},
      Admin{.who = owned, .action = owned, .why = owned},
      SampleBuild(text),
      Quarantined{.bytes = std::string("\0\xff{", 3), .error = owned},
      Gap{.reason = owned, .first_missing = EventSeq(5), .last_missing = EventSeq(9)}};
  std::vector<Event> events;
  for (EventBody& body : bodies) {
    events.push_back(Envelope(events.size() + 1, std::move(body)));
  }
  return events;
}

}  // namespace logbook
