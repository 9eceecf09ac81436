// World: a view made by hand, for the pure functions of the SimpleApp operator.
#ifndef LOGBOOK_TESTS_OPERATORS_WORLD_H_
#define LOGBOOK_TESTS_OPERATORS_WORLD_H_

#include <memory>
#include <string>
#include <utility>

#include "logbook/base/check.h"
#include "logbook/model/view.h"
#include "logbook/operators/simpleapp/desired.h"
#include "logbook/operators/simpleapp/simpleapp.h"
#include "logbook/operators/simpleapp/types.h"
#include "logbook/support/fake_clock.h"

namespace logbook::operators {

inline constexpr std::string_view kApps = "simpleapps.apps.bootcamp.local";
inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";

// A SimpleApp "web" in "shop", as the API server stores it.
inline Json AppObject(const Json& spec = {{"image", "nginx:1.27"}, {"replicas", 3}, {"port", 80}}) {
  return {{"apiVersion", "apps.bootcamp.local/v1"},
          {"kind", "SimpleApp"},
          {"metadata",
           {{"name", "web"},
            {"namespace", "shop"},
            {"uid", "app-1"},
            {"generation", 2},
            {"resourceVersion", "10"},
            {"finalizers", {kFinalizer}}}},
          {"spec", spec}};
}

class World {
 public:
  World() : scope_(SimpleAppOperator({})->scope) {}

  World& Put(std::string_view resource, Json object) {
    Json& metadata = object["metadata"];
    if (!metadata.contains("uid")) {
      metadata["uid"] = Concat(resource, "/", metadata["name"].get<std::string>());
    }
    if (!metadata.contains("resourceVersion")) {
      metadata["resourceVersion"] = "1";
    }
    absl::StatusOr<ObjectPtr> made = Object::FromJson(DumpJson(object));
    LOGBOOK_CHECK(made.ok());
    state_.PutObject(resource, {.object = *std::move(made), .seq = EventSeq(1)});
    return *this;
  }

  // The app, and its children as they are wanted, with `deployment_status`.
  World& PutApp(const Json& app) { return Put(kApps, app); }

  World& PutDeployment(const Json& app, const Json& status, int generation = 1) {
    Json deployment = DesiredDeployment(ParseSimpleApp(app));
    deployment["metadata"]["generation"] = generation;
    deployment["metadata"]["annotations"][std::string(kRevision)] = "2";
    deployment["status"] = status;
    return Put("deployments.apps", std::move(deployment));
  }

  World& PutService(const Json& app) {
    return Put("services", DesiredService(ParseSimpleApp(app)));
  }

  World& PutIngress(const Json& app) {
    return Put("ingresses.networking.k8s.io", DesiredIngress(ParseSimpleApp(app)));
  }

  // A ReplicaSet of the Deployment and one Pod of it that waits for `reason`.
  World& PutWaitingPod(const std::string& revision, const std::string& reason,
                       bool deleting = false) {
    Put("replicasets.apps", Owned("ReplicaSet", "rs-" + revision, "Deployment", "web",
                                  "deployments.apps/web", {{kRevision, revision}}));
    Json pod = Owned("Pod", "pod-" + revision, "ReplicaSet", "rs-" + revision,
                     "replicasets.apps/rs-" + revision, {});
    pod["status"]["containerStatuses"] =
        Json::array({{{"name", "app"},
                      {"image", "nginx:not-exist"},
                      {"state", {{"waiting", {{"reason", reason}}}}}}});
    if (deleting) {
      pod["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:00Z";
    }
    return Put("pods", std::move(pod));
  }

  World& PutKey(KeyState state) {
    state_.keys.Set(KeyPath({.controller = "simpleapp", .object = key_}),
                    std::make_shared<const KeyState>(std::move(state)));
    return *this;
  }

  View AsView(absl::Time now = FakeClock::Start()) const {
    return View(std::make_shared<const ViewState>(state_), scope_, now);
  }

  const ObjectKey& key() const { return key_; }

 private:
  static Json Owned(std::string_view kind, const std::string& name, std::string_view owner_kind,
                    const std::string& owner, const std::string& owner_uid,
                    const std::map<std::string_view, std::string>& annotations) {
    Json object = {{"kind", kind},
                   {"metadata",
                    {{"name", name},
                     {"namespace", "shop"},
                     {"ownerReferences", Json::array({{{"apiVersion", "apps/v1"},
                                                       {"kind", owner_kind},
                                                       {"name", owner},
                                                       {"uid", owner_uid},
                                                       {"controller", true}}})}}}};
    for (const auto& [key, value] : annotations) {
      object["metadata"]["annotations"][std::string(key)] = value;
    }
    return object;
  }

  const ObjectKey key_{"shop", "web"};
  ViewScope scope_;
  ViewState state_;
};

}  // namespace logbook::operators

#endif  // LOGBOOK_TESTS_OPERATORS_WORLD_H_
