// The three samples that the SimpleApp document calls its litmus test, and the table they give.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster.h"
#include "logbook/support/eventually.h"
#include "manager.h"

namespace logbook::e2e {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LitmusTest : public ::testing::Test {
 protected:
  void ApplySamples() {
    for (const char* name : {"case1-minimal", "case2-multi", "case3-ingress"}) {
      cluster_.Kubectl({"apply", "-n", ns_.name(), "-f",
                        std::string(LOGBOOK_SOURCE_DIR "/deploy/samples/") + name + ".yaml"});
    }
  }

  std::string Phase(const std::string& name) {
    return JsonString(cluster_.Get(kSimpleApps, ns_.name(), name), {"status", "phase"});
  }

  bool AllAvailable() {
    return Phase("case1-minimal") == "Available" && Phase("case2-multi") == "Available" &&
           Phase("case3-ingress") == "Available";
  }

  Cluster cluster_ = Cluster::Shared();
  Namespace ns_{cluster_};
  Manager manager_{cluster_, {.ns = ns_.name()}};
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
  ApplySamples();
  ASSERT_TRUE(Eventually([&] { return AllAvailable(); })) << manager_.Log();
  const std::string table = cluster_.Kubectl({"get", "simpleapps", "-n", ns_.name()});
  EXPECT_THAT(table, ::testing::ContainsRegex("NAME +IMAGE +REPLICAS +READY +PHASE +URL +AGE"));
  EXPECT_THAT(table, ::testing::ContainsRegex("case1-minimal +nginx:1.27-alpine +1 +1 +Available"));
  EXPECT_THAT(table, ::testing::ContainsRegex("case2-multi +[^ ]+ +3 +3 +Available"));
  EXPECT_THAT(table, ::testing::ContainsRegex(
                         "case3-ingress +nginx:1.27-alpine +2 +2 +Available "
                         "+http://case3.bootcamp.local"));
  EXPECT_EQ(JsonString(cluster_.Get(kSimpleApps, ns_.name(), "case2-multi"), {"status", "message"}),
            "All 3/3 replicas ready");
  EXPECT_EQ(manager_.Stop(), 0);
  manager_.VerifyJournal();
}

TEST_F(LitmusTest, ChildrenAreWhatTheSpecSays) {
  manager_.StartReady();
  ApplySamples();
  ASSERT_TRUE(Eventually([&] { return AllAvailable(); })) << manager_.Log();
  EXPECT_EQ(cluster_.List(kIngresses, ns_.name()).size(), 1u);
  const Json service = cluster_.Get(kServices, ns_.name(), "case2-multi");
  EXPECT_EQ(JsonString(service, {"spec", "type"}), "ClusterIP");
  EXPECT_EQ(service["spec"]["ports"][0]["port"], 8080);
  for (const char* kind : {kDeployments, kServices}) {
    for (const Json& child : cluster_.List(kind, ns_.name())) {
      const Json& owner = child["metadata"]["ownerReferences"][0];
      EXPECT_EQ(owner["kind"], "SimpleApp");
      EXPECT_EQ(owner["controller"], true);
      EXPECT_EQ(owner["blockOwnerDeletion"], true);
    }
  }
  EXPECT_EQ(manager_.Stop(), 0);
  manager_.VerifyJournal();
}

TEST_F(LitmusTest, WithSlowPodsThePhasesAreInTheJournal) {
  manager_.StartReady();
  cluster_.Apply(kSimpleApps,
                 SimpleAppObject(ns_.name(), "slow", {{"image", "nginx:slow-1s"}, {"replicas", 2}}));
  ASSERT_TRUE(Eventually([&] { return Phase("slow") == "Available"; })) << manager_.Log();
  EXPECT_EQ(manager_.Stop(), 0);
  EXPECT_THAT(PhasesOf(manager_.Journal(), "slow"),
              ElementsAre("Pending", "Progressing", "Available"));
  manager_.VerifyJournal();
}

}  // namespace
}  // namespace logbook::e2e
