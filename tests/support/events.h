// Events and objects for tests, with everything that a test does not care about filled in.
//
// Example
//   Event event = ObservedEvent(EventSeq(1), RunId(1), {.name = "web", .resource_version = "7"});
#ifndef LOGBOOK_SUPPORT_EVENTS_H_
#define LOGBOOK_SUPPORT_EVENTS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/check.h"
#include "logbook/model/event.h"
#include "logbook/support/fake_clock.h"

namespace logbook {

// What tests watch.
inline Resource AppResource() {
  return {.group = "apps.bootcamp.local",
          .version = "v1",
          .plural = "simpleapps",
          .kind = "SimpleApp",
          .namespaced = true};
}

inline constexpr std::string_view kApps = "simpleapps.apps.bootcamp.local";

struct ObjectSpec {
  std::string ns = "default";
  std::string name = "web";
  std::string uid = "uid-1";
  std::string resource_version = "1";
  std::string owner_uid;  // of the controller reference; empty: none
  std::string filler;     // text in the spec, to make it larger
};

inline ObjectPtr MakeObject(const ObjectSpec& spec) {
  const std::string owner =
      spec.owner_uid.empty()
          ? ""
          : Concat(",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Owner\",",
                   "\"name\":\"owner\",\"controller\":true,\"uid\":\"", spec.owner_uid, "\"}]");
  absl::StatusOr<ObjectPtr> object = Object::FromJson(Concat(
      "{\"apiVersion\":\"apps.bootcamp.local/v1\",\"kind\":\"SimpleApp\",\"metadata\":{\"name\":\"",
      spec.name, "\",\"namespace\":\"", spec.ns, "\",\"uid\":\"", spec.uid,
      "\",\"resourceVersion\":\"", spec.resource_version, "\"", owner,
      "},\"spec\":{\"image\":\"nginx\",\"filler\":\"", spec.filler, "\"}}"));
  LOGBOOK_CHECK(object.ok());
  return *std::move(object);
}

// An event of any kind; the caller adds what the body's fold needs.
inline Event MakeEvent(EventSeq seq, RunId run, EventBody body) {
  return {.seq = seq,
          .run = run,
          .wall_time = FakeClock::Start() + absl::Seconds(seq.value),
          .stream = {},
          .subjects = {},
          .resource_version = {},
          .causes = {},
          .marks = {},
          .body = std::move(body)};
}

inline Event ObservedEvent(EventSeq seq, RunId run, const ObjectSpec& spec = {},
                           ChangeType change = ChangeType::kModified) {
  Event event = MakeEvent(seq, run,
                          Observed{.change = change,
                                   .origin = Origin::kWatch,
                                   .resource = AppResource(),
                                   .content_changed = true,
                                   .listed = false,
                                   .object = MakeObject(spec)});
  event.stream = StreamId(1);
  event.subjects = {
      {.resource = std::string(kApps), .key = {.ns = spec.ns, .name = spec.name}, .uid = spec.uid}};
  event.resource_version = spec.resource_version;
  return event;
}

inline ControllerKey AppKey(const ObjectSpec& spec = {}) {
  return {.controller = "simpleapp", .object = {.ns = spec.ns, .name = spec.name}};
}

// A decision with `effects` applies of one Deployment each.
inline Event DecidedEvent(EventSeq seq, RunId run, const ObjectSpec& spec, int effects) {
  Decided decided{.key = AppKey(spec),
                  .resource = std::string(kApps),
                  .uid = spec.uid,
                  .view_seq = EventSeq(seq.value - 1),
                  .now = FakeClock::Start(),
                  .effects = {},
                  .reason = "children differ",
                  .segment = "reconcile"};
  for (int i = 0; i < effects; ++i) {
    Effect effect;
    effect.resource = {
        .group = "apps", .version = "v1", .plural = "deployments", .kind = "Deployment"};
    effect.target = {.ns = spec.ns, .name = Concat(spec.name, "-", i)};
    effect.body = "{}";
    decided.effects.push_back(std::move(effect));
  }
  Event event = MakeEvent(seq, run, std::move(decided));
  event.subjects = {
      {.resource = std::string(kApps), .key = {.ns = spec.ns, .name = spec.name}, .uid = spec.uid}};
  return event;
}

inline Event OutcomeEvent(EventSeq seq, RunId run, const ObjectSpec& spec, EventSeq decided,
                          uint32_t ordinal) {
  OutcomeRecorded recorded;
  recorded.key = AppKey(spec);
  recorded.resource = kApps;
  recorded.outcome.decided = decided;
  recorded.outcome.ordinal = ordinal;
  recorded.outcome.at = FakeClock::Start();
  Event event = MakeEvent(seq, run, std::move(recorded));
  event.subjects = {
      {.resource = std::string(kApps), .key = {.ns = spec.ns, .name = spec.name}, .uid = spec.uid}};
  return event;
}

}  // namespace logbook

#endif  // LOGBOOK_SUPPORT_EVENTS_H_
