// The three samples that the SimpleApp document calls its litmus test, and the table they give.
#include <string>
#include <vector>

#include "app_test.h"

namespace logbook::e2e {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;

class LitmusTest : public AppTest {
 protected:
  void ApplySamplesAndWait() {
    for (const char* name : {"case1-minimal", "case2-multi", "case3-ingress"}) {
      cluster_.Kubectl({"apply", "-n", ns(), "-f",
                        std::string(LOGBOOK_SOURCE_DIR "/deploy/samples/") + name + ".yaml"});
    }
    for (const char* name : {"case1-minimal", "case2-multi", "case3-ingress"}) {
      WaitAvailable(name);
    }
  }
};

// The phases an app's status went through, from the journal.
std::vector<std::string> PhasesOf(const std::vector<Event>& events, const std::string& name) {
  std::vector<std::string> phases;
  for (const Event& event : events) {
    const auto* observed = std::get_if<Observed>(&event.body);
    if (observed == nullptr || event.subjects.front().resource.rfind("simpleapps", 0) != 0 ||
        event.subjects.front().key.name != name) {
      continue;
    }
    const std::string phase = JsonString(observed->object->Tree(), {"status", "phase"});
    if (!phase.empty() && (phases.empty() || phases.back() != phase)) {
      phases.push_back(phase);
    }
  }
  return phases;
}

TEST_F(LitmusTest, SamplesBecomeAvailableWithTheSixColumns) {
  manager_.StartReady();
  ApplySamplesAndWait();
  const std::string table = cluster_.Kubectl({"get", "simpleapps", "-n", ns()});
  EXPECT_THAT(table, ContainsRegex("NAME +IMAGE +REPLICAS +READY +PHASE +URL +AGE"));
  EXPECT_THAT(table, ContainsRegex("case1-minimal +nginx:1.27-alpine +1 +1 +Available"));
  EXPECT_THAT(table, ContainsRegex("case2-multi +[^ ]+ +3 +3 +Available"));
  EXPECT_THAT(table, ContainsRegex("case3-ingress +nginx:1.27-alpine +2 +2 +Available "
                                   "+http://case3.bootcamp.local"));
  EXPECT_EQ(Message("case2-multi"), "All 3/3 replicas ready");
  StopAndVerify();
}

TEST_F(LitmusTest, ChildrenAreWhatTheSpecSays) {
  manager_.StartReady();
  ApplySamplesAndWait();
  EXPECT_EQ(cluster_.List(kIngresses, ns()).size(), 1u);
  const Json service = cluster_.Get(kServices, ns(), "case2-multi");
  EXPECT_EQ(JsonString(service, {"spec", "type"}), "ClusterIP");
  EXPECT_EQ(service["spec"]["ports"][0]["port"], 8080);
  for (const char* kind : {kDeployments, kServices, kIngresses}) {
    for (const Json& child : cluster_.List(kind, ns())) {
      const Json& owner = child["metadata"]["ownerReferences"][0];
      EXPECT_EQ(owner["kind"], "SimpleApp");
      EXPECT_EQ(owner["controller"], true);
      EXPECT_EQ(owner["blockOwnerDeletion"], true);
    }
  }
  StopAndVerify();
}

TEST_F(LitmusTest, WithSlowPodsThePhasesAreInTheJournal) {
  manager_.StartReady();
  ApplyApp("slow", {{"image", "nginx:slow-1s"}, {"replicas", 2}});
  WaitAvailable("slow");
  StopAndVerify();
  EXPECT_THAT(PhasesOf(manager_.Journal(), "slow"),
              ElementsAre("Pending", "Progressing", "Available"));
}

TEST_F(LitmusTest, ReplicasPatchReachesTheDeployment) {
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  cluster_.Kubectl({"patch", "simpleapp", "web", "-n", ns(), "--type=merge", "-p",
                    R"({"spec":{"replicas":4}})"});
  EXPECT_TRUE(Eventually(
      [&] {
        return JsonInt(GetDeployment("web"), {"status", "readyReplicas"}) == 4;
      },
      absl::Seconds(6)));
  StopAndVerify();
}

TEST_F(LitmusTest, DefaultsAndLimitsAreTheSchemas) {
  ApplyApp("web");
  const Json app = GetApp("web");
  EXPECT_EQ(app["spec"]["replicas"], 1);
  EXPECT_EQ(app["spec"]["port"], 80);
  for (const char* spec :
       {R"({"replicas":1})", R"({"image":"ab"})", R"({"image":"nginx","replicas":-1})",
        R"({"image":"nginx","port":0})", R"({"image":"nginx","port":65536})"}) {
    const Json refused = SimpleAppObject(ns(), "refused", *ParseJson(spec));
    EXPECT_FALSE(cluster_.TryKubectl({"apply", "-f", "-"}, DumpJson(refused)).ok()) << spec;
  }
}

}  // namespace
}  // namespace logbook::e2e
