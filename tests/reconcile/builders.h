// Events and objects for the tests of this folder, in the words of the domain.
#ifndef LOGBOOK_TESTS_RECONCILE_BUILDERS_H_
#define LOGBOOK_TESTS_RECONCILE_BUILDERS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/check.h"
#include "logbook/model/event.h"
#include "logbook/model/view_state.h"
#include "logbook/reconcile/fold.h"

namespace logbook::reconcile {

inline constexpr std::string_view kApps = "simpleapps.apps.bootcamp.local";
inline constexpr StreamId kAppStream{1};
inline constexpr StreamId kDeploymentStream{2};

inline Resource AppResource() {
  return {
      .group = "apps.bootcamp.local", .version = "v1", .plural = "simpleapps", .kind = "SimpleApp"};
}

inline Resource DeploymentResource() {
  return {.group = "apps", .version = "v1", .plural = "deployments", .kind = "Deployment"};
}

inline ObjectPtr MakeObject(const Json& object) {
  absl::StatusOr<ObjectPtr> made = Object::FromJson(DumpJson(object));
  LOGBOOK_CHECK(made.ok());
  return *std::move(made);
}

// A SimpleApp in namespace "shop".
inline Json App(std::string_view name, std::string_view uid, int version) {
  return {{"apiVersion", "apps.bootcamp.local/v1"},
          {"kind", "SimpleApp"},
          {"metadata",
           {{"name", name},
            {"namespace", "shop"},
            {"uid", uid},
            {"generation", 1},
            {"resourceVersion", std::to_string(version)}}},
          {"spec", {{"image", "nginx:1.27"}, {"version", version}}}};
}

// A Deployment of that app.
inline Json DeploymentOf(std::string_view app, std::string_view app_uid, std::string_view uid,
                         int version) {
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata",
           {{"name", app},
            {"namespace", "shop"},
            {"uid", uid},
            {"resourceVersion", std::to_string(version)},
            {"ownerReferences", Json::array({{{"apiVersion", "apps.bootcamp.local/v1"},
                                              {"kind", "SimpleApp"},
                                              {"name", app},
                                              {"uid", app_uid},
                                              {"controller", true}}})}}},
          {"spec", {{"replicas", version}}}};
}

inline ControllerKey Key(std::string_view name) {
  return {.controller = "simpleapp", .object = {.ns = "shop", .name = std::string(name)}};
}

inline Mark MarkOf(std::string_view name, MarkReason reason = MarkReason::kObserved) {
  return {.key = Key(name), .reason = reason};
}

inline Event ObservedEvent(ChangeType change, const Json& object, std::vector<Mark> marks = {},
                           bool listed = false) {
  const bool app = object["kind"] == "SimpleApp";
  const Resource resource = app ? AppResource() : DeploymentResource();
  const ObjectPtr made = MakeObject(object);
  return {.stream = app ? kAppStream : kDeploymentStream,
          .subjects = {{.resource = resource.GroupResource(),
                        .key = made->key(),
                        .uid = std::string(made->uid())}},
          .resource_version = std::string(made->resource_version()),
          .marks = std::move(marks),
          .body = Observed{.change = change,
                           .resource = resource,
                           .content_changed = true,
                           .listed = listed,
                           .object = made}};
}

inline Event StreamEvent(StreamChange change, StreamId stream, const Resource& resource) {
  return {.stream = stream,
          .body = StreamChanged{.change = change, .identity = {.resource = resource}}};
}

inline Event DecidedEvent(std::string_view name, std::string_view uid, EventSeq view_seq,
                          std::vector<Effect> effects = {},
                          absl::Time due = absl::InfiniteFuture()) {
  return {.body = Decided{.key = Key(name),
                          .resource = std::string(kApps),
                          .uid = std::string(uid),
                          .view_seq = view_seq,
                          .effects = std::move(effects),
                          .due = due}};
}

// A fold that numbers what it is given, with both streams open.
class FoldFixture {
 public:
  FoldFixture() : fold(ViewState()) {
    Add(StreamEvent(StreamChange::kOpened, kAppStream, AppResource()));
    Add(StreamEvent(StreamChange::kOpened, kDeploymentStream, DeploymentResource()));
  }

  EventSeq Add(Event event) {
    event.seq = fold.state().seq.Next();
    events.push_back(event);
    fold.Apply(event);
    return event.seq;
  }

  const KeyState* KeyOf(std::string_view name) const { return fold.state().FindKey(Key(name)); }

  const ObjectEntry* AppOf(std::string_view name) const {
    return fold.state().FindObject(kApps, {.ns = "shop", .name = std::string(name)});
  }

  Fold fold;
  std::vector<Event> events;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_TESTS_RECONCILE_BUILDERS_H_
