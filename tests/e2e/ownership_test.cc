// What is ours and what is not: names, foreign objects, foreign fields.
#include <set>
#include <string>

#include "app_test.h"

namespace logbook::e2e {
namespace {

using ::testing::HasSubstr;

class OwnershipTest : public AppTest {
 protected:
  // The one Deployment whose annotation names the app.
  Json DeploymentOf(const std::string& app) {
    for (const Json& deployment : cluster_.List(kDeployments, ns())) {
      if (JsonString(deployment, {"metadata", "annotations", "apps.bootcamp.local/simpleapp"}) ==
          app) {
        return deployment;
      }
    }
    return nullptr;
  }

  Json ForeignDeployment(const std::string& name) {
    const Json labels = {{"app", "foreign"}};
    return {
        {"apiVersion", "apps/v1"},
        {"kind", "Deployment"},
        {"metadata", {{"name", name}, {"namespace", ns()}}},
        {"spec",
         {{"replicas", 1},
          {"selector", {{"matchLabels", labels}}},
          {"template",
           {{"metadata", {{"labels", labels}}},
            {"spec", {{"containers", Json::array({{{"name", "c"}, {"image", "foreign:1"}}})}}}}}}}};
  }
};

TEST_F(OwnershipTest, AwkwardNamesGetValidChildrenOfTheirOwn) {
  manager_.StartReady();
  std::string longest(253, 'a');
  for (size_t dot = 60; dot < longest.size(); dot += 61) {
    longest[dot] = '.';
  }
  const std::vector<std::string> names = {longest, "my.app", "my-app", "1app"};
  for (const std::string& name : names) {
    ApplyApp(name);
  }
  std::set<std::string> children;
  for (const std::string& name : names) {
    WaitAvailable(name);
    const std::string child = JsonString(DeploymentOf(name), {"metadata", "name"});
    EXPECT_FALSE(child.empty()) << name;
    EXPECT_FALSE(cluster_.Get(kServices, ns(), child).is_null()) << child;
    children.insert(child);
  }
  EXPECT_EQ(children.size(), names.size());
  EXPECT_TRUE(children.contains("my-app"));
  DeleteApp(longest);
  WaitGone(longest);
  EXPECT_EQ(Audits().size(), 1u);
  StopAndVerify();
}

TEST_F(OwnershipTest, ForeignDeploymentOfTheSameNameIsNeverTouched) {
  cluster_.Apply(kDeployments, ForeignDeployment("web"));
  manager_.StartReady();
  ApplyApp("web");
  ASSERT_TRUE(Eventually([&] { return Phase("web") == "Failed"; })) << manager_.Log();
  EXPECT_THAT(Message("web"), HasSubstr("Deployment web exists"));
  const std::string conditions = DumpJson(GetApp("web")["status"]["conditions"]);
  EXPECT_THAT(conditions, HasSubstr("NameTaken"));
  StopAndVerify();
  for (const Json& write : WritesBy(cluster_, manager_.user())) {
    EXPECT_NE(write["objectRef"]["resource"], "deployments");
  }
  EXPECT_FALSE(GetDeployment("web")["metadata"].contains("ownerReferences"));
}

TEST_F(OwnershipTest, ForeignDeploymentThatGoesMakesRoom) {
  cluster_.Apply(kDeployments, ForeignDeployment("web"));
  manager_.StartReady();
  ApplyApp("web");
  ASSERT_TRUE(Eventually([&] { return Phase("web") == "Failed"; }));
  Delete("deployment", "web");
  WaitAvailable("web");
  StopAndVerify();
}

TEST_F(OwnershipTest, ServiceEditedByHandIsRestoredAndKeepsItsAddress) {
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  const Json before = cluster_.Get(kServices, ns(), "web");
  cluster_.Kubectl({"patch", "service", "web", "-n", ns(), "--type=json", "-p",
                    R"([{"op":"replace","path":"/spec/selector","value":{"app":"hijacked"}},
                        {"op":"replace","path":"/spec/ports/0/port","value":9999}])"});
  ASSERT_TRUE(Eventually([&] {
    const Json service = cluster_.Get(kServices, ns(), "web");
    return service["spec"]["selector"] == before["spec"]["selector"] &&
           service["spec"]["ports"] == before["spec"]["ports"];
  })) << DumpJson(cluster_.Get(kServices, ns(), "web"));
  EXPECT_EQ(cluster_.Get(kServices, ns(), "web")["spec"]["clusterIP"], before["spec"]["clusterIP"]);
  StopAndVerify();
}

TEST_F(OwnershipTest, FieldsWeDoNotOwnAreLeftAlone) {
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  cluster_.Kubectl({"annotate", "deployment", "web", "-n", ns(), "team=blue"});
  cluster_.Kubectl({"patch", "deployment", "web", "-n", ns(), "--type=merge", "-p",
                    R"({"spec":{"minReadySeconds":1}})"});
  PatchSpec("web", {{"replicas", 2}});
  WaitAvailable("web");
  const Json deployment = GetDeployment("web");
  EXPECT_EQ(JsonString(deployment, {"metadata", "annotations", "team"}), "blue");
  EXPECT_EQ(deployment["spec"]["minReadySeconds"], 1);
  StopAndVerify();
}

TEST_F(OwnershipTest, AHundredReconcilesWithoutAChangeWriteNothing) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}, {"host", "web.example"}});
  WaitAvailable("web");
  const auto generations = [&] {
    return std::vector<Json>{GetDeployment("web")["metadata"]["generation"],
                             cluster_.Get(kIngresses, ns(), "web")["metadata"]["generation"]};
  };
  const std::vector<Json> before = generations();
  const size_t writes = WritesToObjectsBy(cluster_, manager_.user()).size();
  for (int i = 0; i < 100; ++i) {
    cluster_.MergePatch(kSimpleApps, ns(), "web",
                        {{"metadata", {{"annotations", {{"touched", std::to_string(i)}}}}}});
  }
  StopAndVerify();
  EXPECT_EQ(WritesToObjectsBy(cluster_, manager_.user()).size(), writes);
  EXPECT_EQ(generations(), before);
  size_t reconciles = 0;
  const std::vector<Event> events = manager_.Journal();
  for (const auto* decided : BodiesOf<Decided>(events)) {
    reconciles += decided->effects.empty() ? 1 : 0;
  }
  EXPECT_GE(reconciles, 10u);  // some of the hundred touches were seen together
}

TEST_F(OwnershipTest, WritesUntilAvailableAreFinalizerChildrenAndOneStatusPerPhase) {
  manager_.StartReady();
  for (int i = 0; i < 5; ++i) {
    ApplyApp("app-" + std::to_string(i),
             {{"image", "nginx:slow-500ms"}, {"replicas", 3}, {"host", "web.example"}});
  }
  for (int i = 0; i < 5; ++i) {
    WaitAvailable("app-" + std::to_string(i));
  }
  StopAndVerify();
  // 1 finalizer, 3 children, 3 phases.
  EXPECT_LE(WritesToObjectsBy(cluster_, manager_.user()).size(), 5u * 7u);
}

TEST_F(OwnershipTest, ConditionsOfOthersSurvive) {
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  cluster_.Kubectl({"patch", "simpleapp", "web", "-n", ns(), "--subresource=status", "--type=json",
                    "-p",
                    R"([{"op":"add","path":"/status/conditions/-","value":{"type":"Foreign",
                        "status":"True","reason":"Because","message":"",
                        "lastTransitionTime":"2026-05-26T03:14:00Z"}}])"});
  PatchSpec("web", {{"replicas", 3}});
  WaitAvailable("web");
  EXPECT_THAT(DumpJson(GetApp("web")["status"]["conditions"]), HasSubstr("Foreign"));
  StopAndVerify();
}

}  // namespace
}  // namespace logbook::e2e
