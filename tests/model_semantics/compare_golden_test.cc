// Objects as a real server made them of what we applied: nothing differs, whatever it defaulted,
// rounded, rewrote or left out; and each change by somebody else is seen.
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "golden.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/model/compare.h"
#include "logbook/model/managed_fields.h"
#include "logbook/model/merge_patch.h"

namespace logbook {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Recorded {
  explicit Recorded(const std::string& name) {
    const Json golden = GoldenJson("objects/" + name + ".json");
    resource = JsonString(golden, {"resource"});
    desired = golden["desired"];
    live = golden["live"];
  }

  // What differs after somebody has put `value` at `pointer`.
  std::vector<std::string> Differences(std::string_view pointer, const Json& value) const {
    Json changed = live;
    changed[Json::json_pointer(std::string(pointer))] = value;
    return FieldDifferences(desired, changed, resource, 10);
  }

  std::string resource;
  Json desired;
  Json live;
};

TEST(CompareGoldenTest, WhatTheServerMakesOfOurObjectsIsNoDifference) {
  for (const std::string& name : GoldenNames("objects")) {
    const Recorded object(name);
    EXPECT_THAT(FieldDifferences(object.desired, object.live, object.resource, 10), IsEmpty())
        << name;
    EXPECT_THAT(StaleFields(object.live, "logbook", object.desired, object.resource), IsEmpty())
        << name;
    EXPECT_TRUE(HasApplied(object.live, "logbook")) << name;
    EXPECT_FALSE(HasUpdated(object.live, "logbook")) << name;
  }
}

TEST(CompareGoldenTest, EveryWantedScalarIsLookedAt) {
  for (const std::string& name : GoldenNames("objects")) {
    const Recorded object(name);
    const Json flat = object.desired.flatten();
    for (const auto& [pointer, value] : flat.items()) {
      const bool looked_at = pointer != "/apiVersion" && pointer != "/kind";
      if (looked_at && !value.is_null()) {
        Json wanted = object.desired;
        wanted[Json::json_pointer(pointer)] = "something else";
        EXPECT_FALSE(Covers(wanted, object.live, object.resource)) << name << " " << pointer;
      }
    }
  }
}

TEST(CompareGoldenTest, ForeignFieldsBesideOursAreNoDifference) {
  const Recorded deployment("deployment");
  const std::pair<const char*, const char*> additions[] = {
      {"/metadata/labels/team", "'blue'"},
      {"/metadata/annotations/kubectl.kubernetes.io~1restartedAt", "'2026-01-01T00:00:00Z'"},
      {"/metadata/finalizers", "['other/one']"},
      {"/metadata/ownerReferences/-", "{'uid':'other','kind':'X','name':'x','apiVersion':'v1'}"},
      {"/spec/minReadySeconds", "5"},
      {"/spec/template/metadata/annotations", "{'a':'b'}"},
      {"/spec/template/spec/containers/-", "{'name':'sidecar','image':'proxy'}"},
      {"/spec/template/spec/containers/0/env", "[{'name':'A','value':'1'}]"},
      {"/spec/template/spec/containers/0/ports/-", "{'containerPort':80,'protocol':'UDP'}"},
      {"/spec/template/spec/tolerations", "[{'operator':'Exists'}]"},
      {"/status/replicas", "7"}};
  for (const auto& [pointer, value] : additions) {
    EXPECT_THAT(deployment.Differences(pointer, J(value)), IsEmpty()) << pointer;
  }
  const Recorded service("service");
  EXPECT_THAT(service.Differences("/spec/ports/-", J("{'port':80,'protocol':'UDP'}")), IsEmpty());
  EXPECT_THAT(service.Differences("/spec/clusterIP", "10.0.0.1"), IsEmpty());
}

TEST(CompareGoldenTest, EditsOfOurFieldsAreDifferences) {
  struct Case {
    const char* object;
    const char* pointer;
    const char* value;
    const char* difference;
  };

  const Case cases[] = {
      {"deployment", "/spec/replicas", "7", ".spec.replicas"},
      {"deployment", "/metadata/labels/app.kubernetes.io~1name", "'x'",
       ".metadata.labels.app.kubernetes.io/name"},
      {"deployment", "/metadata/ownerReferences", "[]", ".metadata.ownerReferences[uid=OWNER]"},
      {"deployment", "/spec/selector/matchLabels/extra", "'x'", ".spec.selector.matchLabels.extra"},
      {"deployment", "/spec/selector/matchLabels/extra", "''", ".spec.selector.matchLabels.extra"},
      {"deployment", "/spec/template/spec/containers/0/image", "'evil'",
       ".spec.template.spec.containers[name=\"app\"].image"},
      {"deployment", "/spec/template/spec/containers/0/ports/0/protocol", "'UDP'",
       ".spec.template.spec.containers[name=\"app\"].ports[containerPort=80,protocol=\"TCP\"]"},
      {"deployment_full", "/metadata/finalizers", "[]",
       ".metadata.finalizers[=\"golden.logbook/hold\"]"},
      {"deployment_full", "/spec/minReadySeconds", "5", ".spec.minReadySeconds"},
      {"deployment_full", "/spec/template/spec/automountServiceAccountToken", "true",
       ".spec.template.spec.automountServiceAccountToken"},
      {"deployment_full", "/spec/template/spec/containers/0/args", "['--x','--a']",
       ".spec.template.spec.containers[name=\"app\"].args[0]"},
      {"deployment_full", "/spec/template/spec/containers/0/env/0/value", "'full'",
       ".spec.template.spec.containers[name=\"app\"].env[name=\"EMPTY\"].value"},
      {"deployment_full", "/spec/template/spec/containers/0/env/3/valueFrom/fieldRef/apiVersion",
       "'v2'",
       ".spec.template.spec.containers[name=\"app\"].env[name=\"POD\"].valueFrom.fieldRef."
       "apiVersion"},
      {"deployment_full", "/spec/template/spec/containers/0/resources/limits/cpu", "'1001m'",
       ".spec.template.spec.containers[name=\"app\"].resources.limits.cpu"},
      {"deployment_full", "/spec/template/spec/nodeSelector/zone", "'a'",
       ".spec.template.spec.nodeSelector.zone"},
      {"deployment_full", "/spec/template/spec/tolerations", "[{'operator':'Exists'}]",
       ".spec.template.spec.tolerations"},
      {"deployment_full",
       "/spec/template/spec/volumes/4/downwardAPI/items/1/resourceFieldRef/divisor", "'1m'",
       ".spec.template.spec.volumes[name=\"down\"].downwardAPI.items[1].resourceFieldRef.divisor"},
      {"service", "/spec/selector/extra", "'x'", ".spec.selector.extra"},
      {"service", "/spec/ports/0/targetPort", "80",
       ".spec.ports[port=80,protocol=\"TCP\"].targetPort"},
      {"service", "/spec/ports/0/port", "81", ".spec.ports[port=80,protocol=\"TCP\"]"},
      {"service_two_protocols", "/spec/ports/1/protocol", "'SCTP'",
       ".spec.ports[port=53,protocol=\"UDP\"]"},
      {"ingress", "/spec/rules/-", "{'host':'x.y'}", ".spec.rules"},
      {"ingress", "/spec/rules/0/host", "'x.y'", ".spec.rules[0].host"},
      {"ingress", "/spec/rules/0/http/paths/0/backend/resource", "{'kind':'X','name':'x'}",
       ".spec.rules[0].http.paths[0].backend.resource"},
      {"ingress_hostless", "/spec/rules/0/host", "'x.y'", ".spec.rules[0].host"},
      {"ingress_hostless", "/spec/tls/0/hosts/-", "'c.d'", ".spec.tls[0].hosts"},
      {"configmap", "/data/a", "'2'", ".data.a"},
      {"widget", "/spec/parts/0/name", "'c'", ".spec.parts[0].name"},
  };
  for (const Case& c : cases) {
    const Recorded object(c.object);
    std::string expected = c.difference;
    if (const size_t at = expected.find("OWNER"); at != expected.npos) {
      expected.replace(at, 5, object.desired["metadata"]["ownerReferences"][0]["uid"].dump());
    }
    EXPECT_THAT(object.Differences(c.pointer, J(c.value)), ElementsAre(expected))
        << c.object << " " << c.pointer;
  }
}

// One line per difference, so that a log says what a hundred fields have in common.
TEST(CompareGoldenTest, NoMorePathsAreGivenThanAskedFor) {
  const Recorded deployment("deployment");
  Json bare = J("{'metadata':{},'spec':{}}");
  EXPECT_EQ(FieldDifferences(deployment.desired, bare, deployment.resource, 3).size(), 3u);
  EXPECT_THAT(FieldDifferences(deployment.desired, bare, deployment.resource, 0), IsEmpty());
}

}  // namespace
}  // namespace logbook
