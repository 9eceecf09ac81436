#include "logbook/model/managed_fields.h"

#include <random>
#include <string>

#include "golden.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/model/compare.h"
#include "logbook/support/seed.h"

namespace logbook {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kDeployment = "deployments.apps";

struct Recorded {
  explicit Recorded(const std::string& name) {
    const Json golden = GoldenJson("objects/" + name + ".json");
    resource = JsonString(golden, {"resource"});
    desired = golden["desired"];
    live = golden["live"];
  }

  // What is stale once the body no longer has what is at `pointer`.
  std::vector<std::string> StaleWithout(std::string_view pointer) const {
    const Json without = desired.patch({{{"op", "remove"}, {"path", pointer}}});
    return StaleFields(live, "logbook", without, resource);
  }

  std::string resource;
  Json desired;
  Json live;
};

TEST(ManagedFieldsTest, EveryFieldWeDropIsStale) {
  struct Case {
    const char* object;
    const char* pointer;
  };

  const std::string app = ".spec.template.spec.containers[name=\"app\"]";
  const std::pair<Case, std::string> cases[] = {
      {{"deployment", "/spec/replicas"}, ".spec.replicas"},
      {{"deployment", "/metadata/labels/app.kubernetes.io~1name"},
       ".metadata.labels.app.kubernetes.io/name"},
      {{"deployment", "/spec/template/spec/containers/0/ports/0"},
       app + ".ports[containerPort=80,protocol=\"TCP\"]"},
      {{"deployment", "/spec/template/spec/containers/0/ports/0/name"},
       app + ".ports[containerPort=80,protocol=\"TCP\"].name"},
      {{"deployment", "/spec/template/spec/containers/0"}, app},
      {{"deployment", "/spec/selector"}, ".spec.selector"},
      {{"deployment_full", "/metadata/finalizers/0"},
       ".metadata.finalizers[=\"golden.logbook/hold\"]"},
      {{"deployment_full", "/metadata/finalizers"}, ".metadata.finalizers"},
      {{"deployment_full", "/metadata/annotations"}, ".metadata.annotations"},
      {{"deployment_full", "/spec/strategy"}, ".spec.strategy"},
      {{"deployment_full", "/spec/template/spec/containers/0/env/1"}, app + ".env[name=\"B\"]"},
      {{"deployment_full", "/spec/template/spec/containers/0/env"}, app + ".env"},
      {{"deployment_full", "/spec/template/spec/containers/0/livenessProbe"},
       app + ".livenessProbe"},
      {{"deployment_full", "/spec/template/spec/initContainers/1"},
       ".spec.template.spec.initContainers[name=\"second\"]"},
      {{"service", "/spec/ports/0"}, ".spec.ports[port=80,protocol=\"TCP\"]"},
      {{"service_two_protocols", "/spec/ports/0"}, ".spec.ports[port=53,protocol=\"TCP\"]"},
      {{"ingress", "/spec/rules"}, ".spec.rules"},
      {{"configmap", "/data/empty"}, ".data.empty"},
      {{"widget", "/spec/parts"}, ".spec.parts"},
  };
  for (const auto& [c, stale] : cases) {
    EXPECT_THAT(Recorded(c.object).StaleWithout(c.pointer), ElementsAre(stale))
        << c.object << " " << c.pointer;
  }
}

TEST(ManagedFieldsTest, WhatTheServerNoLongerCarriesIsNotStale) {
  const Recorded object("deployment_full");
  for (const char* pointer :
       {"/spec/minReadySeconds", "/spec/paused", "/spec/template/spec/containers/0/env/0/value",
        "/spec/template/spec/tolerations"}) {
    EXPECT_THAT(object.StaleWithout(pointer), IsEmpty()) << pointer;
  }
}

TEST(ManagedFieldsTest, AFieldWantedAsNullIsNamed) {
  const Recorded object("deployment");
  Json desired = object.desired;
  desired["spec"]["replicas"] = nullptr;
  EXPECT_THAT(StaleFields(object.live, "logbook", desired, object.resource), IsEmpty());
}

TEST(ManagedFieldsTest, OthersFieldsAreNeverStale) {
  const Recorded object("deployment");
  EXPECT_THAT(StaleFields(object.live, "somebody", Json::object(), object.resource), IsEmpty());
  // The controller manager owns the status and the revision by Update.
  EXPECT_THAT(StaleFields(object.live, "kube-controller-manager", Json::object(), object.resource),
              IsEmpty());
}

TEST(ManagedFieldsTest, AnEntryOfASubresourceIsNotOurs) {
  const Json live =
      J("{'metadata':{'managedFields':[{'manager':'logbook','operation':'Apply',"
        "'subresource':'status','fieldsV1':{'f:status':{'f:phase':{}}}}]},'status':{'phase':'P'}}");
  EXPECT_FALSE(HasApplied(live, "logbook"));
  EXPECT_THAT(StaleFields(live, "logbook", Json::object(), "widgets.example.com"), IsEmpty());
}

TEST(ManagedFieldsTest, ListsOfUnknownKindsAreReadByWhatTheOwnershipSays) {
  const Json live =
      J("{'metadata':{'managedFields':[{'manager':'logbook','operation':'Apply','fieldsV1':{'f:"
        "spec':{"
        "'f:parts':{\"k:{\\\"id\\\":1}\":{'.':{}},\"k:{\\\"id\\\":2}\":{'.':{},'f:x':{}}},"
        "'f:tags':{\"v:\\\"a\\\"\":{},'v:7':{}},'f:rows':{'i:0':{},'i:1':{},'i:9':{}}}}}]},"
        "'spec':{'parts':[{'id':2,'x':1},{'id':1}],'tags':['a',7],'rows':[1,2]}}");
  const Json desired = J("{'spec':{'parts':[{'id':2}],'tags':[7],'rows':[1]}}");
  EXPECT_THAT(StaleFields(live, "logbook", desired, "widgets.example.com"),
              ElementsAre(".spec.parts[id=1]", ".spec.parts[id=2].x", ".spec.rows[1]",
                          ".spec.tags[=\"a\"]"));
}

TEST(ManagedFieldsTest, WhatCannotBeReadOwnsNothing) {
  const char* fields[] = {
      "null",
      "7",
      "'text'",
      "[]",
      "{}",
      "{'':{},'f':{},'x:spec':{},'f:spec':7}",
      "{'f:spec':{'k:{':{},'v:':{},'i:x':{},'i:-1':{},'i:':{}}}",
      "{'f:spec':{'k:7':{},'k:[]':{},'k:null':{},'i:99999999999999999999':{}}}"};
  const Json live = J("{'spec':['a',{'b':1}]}");
  for (const char* tree : fields) {
    Json with = live;
    with["metadata"]["managedFields"] =
        J(Concat("[7,null,{},{'manager':'logbook','operation':'Apply','fieldsV1':", tree, "}]"));
    EXPECT_THAT(StaleFields(with, "logbook", J("{'spec':[]}"), kDeployment), IsEmpty()) << tree;
    EXPECT_TRUE(HasApplied(with, "logbook"));
  }
  EXPECT_FALSE(HasManagedFields(J("{'metadata':{'managedFields':'text'}}")));
  EXPECT_FALSE(HasManagedFields(J("{'metadata':7}")));
  EXPECT_FALSE(HasApplied(J("[]"), "logbook"));
}

// Case 45. [V]: an object POSTed under our name, then applied with force, keeps a label that only
// the POST had; after this patch the next apply removes it.
TEST(ManagedFieldsTest, AdoptionMakesAppliedFieldsOfUpdatedOnes) {
  const Json live = J(
      "{'metadata':{'uid':'u','resourceVersion':'5','labels':{'a':'1','old':'x'},'managedFields':["
      "{'manager':'logbook','operation':'Apply','fieldsV1':{'f:metadata':{'f:labels':{'f:a':{}}}}},"
      "{'manager':'logbook','operation':'Update','fieldsV1':{'f:metadata':{'f:labels':{'.':{},"
      "'f:old':{}}}}},{'manager':'logbook','operation':'Update','subresource':'status',"
      "'fieldsV1':{}},{'manager':'other','operation':'Update','fieldsV1':{'f:spec':{}}}]}}");
  EXPECT_TRUE(HasApplied(live, "logbook"));
  EXPECT_TRUE(HasUpdated(live, "logbook"));
  const Json desired = J("{'metadata':{'labels':{'a':'1'}}}");
  EXPECT_THAT(StaleFields(live, "logbook", desired, kDeployment), IsEmpty());

  const std::optional<Json> patch = AdoptPatch(live, "logbook");
  ASSERT_TRUE(patch.has_value());
  EXPECT_EQ((*patch)[0], J("{'op':'test','path':'/metadata/uid','value':'u'}"));
  const Json adopted = live.patch(*patch);
  EXPECT_EQ(adopted["metadata"]["resourceVersion"], "5");
  EXPECT_FALSE(HasUpdated(adopted, "logbook"));
  EXPECT_TRUE(HasApplied(adopted, "logbook"));
  EXPECT_EQ(adopted["metadata"]["managedFields"].size(), 3u);
  EXPECT_THAT(StaleFields(adopted, "logbook", desired, kDeployment),
              ElementsAre(".metadata.labels.old"));
  EXPECT_EQ(AdoptPatch(adopted, "logbook"), std::nullopt);
}

TEST(ManagedFieldsTest, AdoptionWorksBeforeTheFirstApply) {
  const Json live =
      J("{'metadata':{'uid':'u','resourceVersion':'5','managedFields':[{'manager':'logbook',"
        "'operation':'Update','apiVersion':'apps/v1','fieldsV1':{'f:spec':{'f:replicas':{}}}}]},"
        "'spec':{'replicas':2}}");
  EXPECT_FALSE(HasApplied(live, "logbook"));
  const Json adopted = live.patch(AdoptPatch(live, "logbook").value());
  EXPECT_TRUE(HasApplied(adopted, "logbook"));
  EXPECT_EQ(adopted["metadata"]["managedFields"][0]["apiVersion"], "apps/v1");
  EXPECT_THAT(StaleFields(adopted, "logbook", J("{'spec':{}}"), kDeployment),
              ElementsAre(".spec.replicas"));
}

TEST(ManagedFieldsTest, IsManagedFollowsEveryKindOfStep) {
  const Json live = J(
      "{'metadata':{'managedFields':[{'manager':'a','fieldsV1':{'f:x':{}}},{'manager':'b',"
      "'fieldsV1':{'f:ports':{\"k:{\\\"port\\\":53,\\\"protocol\\\":\\\"TCP\\\"}\":{'f:name':{}}},"
      "'f:set':{\"v:\\\"s\\\"\":{}},'f:list':{'i:3':{}}}}]}}");
  const FieldInfo& ports = TypeOf("services").Field("spec").type->Field("ports");
  const Json tcp = J("{'port':53}");
  const Json udp = J("{'port':53,'protocol':'UDP'}");
  const Json keys = J("{'port':53,'protocol':'TCP'}");
  const Json value = "s";
  const Json other = "t";
  using Step = PathStep;
  const std::pair<FieldPath, bool> cases[] = {
      {{Step::Field("x")}, true},
      {{Step::Field("y")}, false},
      {{Step::Field("x"), Step::Field("below")}, false},
      {{Step::Field("ports"), Step::Item(ports, tcp), Step::Field("name")}, true},
      {{Step::Field("ports"), Step::Item(ports, udp), Step::Field("name")}, false},
      {{Step::Field("ports"), Step::Keys(keys)}, true},
      {{Step::Field("set"), Step::Value(value)}, true},
      {{Step::Field("set"), Step::Value(other)}, false},
      {{Step::Field("list"), Step::Index(3)}, true},
      {{Step::Field("list"), Step::Index(4)}, false},
  };
  for (const auto& [path, managed] : cases) {
    EXPECT_EQ(IsManaged(live, path), managed) << ToString(path);
  }
}

// Removing any part of a recorded body never makes a difference, and what is stale is part of it.
TEST(ManagedFieldsTest, AnyPartDroppedIsStaleOrNotServed) {
  std::mt19937_64 random(TestSeed());
  for (const std::string& name : GoldenNames("objects")) {
    const Recorded object(name);
    if (!object.desired.contains("spec")) {
      continue;
    }
    const Json flat = object.desired["spec"].flatten();
    for (int i = 0; i < 50; ++i) {
      auto at = flat.begin();
      std::advance(at, random() % flat.size());
      std::string pointer = "/spec" + at.key();
      for (size_t up = random() % 3; up > 0 && pointer.rfind('/') > 5; --up) {
        pointer.resize(pointer.rfind('/'));
      }
      const Json without = object.desired.patch({{{"op", "remove"}, {"path", pointer}}});
      const size_t stale = StaleFields(object.live, "logbook", without, object.resource).size();
      EXPECT_LE(stale, 1u) << name << " " << pointer;
    }
  }
}

}  // namespace
}  // namespace logbook
