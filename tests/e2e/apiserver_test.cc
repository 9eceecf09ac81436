// The API server goes away, comes back, and changes what it serves.
#include <algorithm>
#include <set>
#include <string>
#include <thread>

#include "app_test.h"

namespace logbook::e2e {
namespace {

class ApiServerTest : public AppTest {
 protected:
  ApiServerTest() : AppTest(Cluster::Own()) {}

  // Every SimpleApp is served with another field from then on.
  void AddDefaultToCrd() {
    cluster_.Kubectl(
        {"patch", "crd", "simpleapps.apps.bootcamp.local", "--type=json", "-p",
         R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/tier",
                          "value":{"type":"string","default":"bronze"}}])"});
    ASSERT_TRUE(Eventually([&] { return GetApp("web")["spec"].contains("tier"); }));
  }

  static bool TierSeen(const std::vector<Event>& events) {
    return std::any_of(events.begin(), events.end(), [](const Event& event) {
      const auto* observed = std::get_if<Observed>(&event.body);
      return observed != nullptr && event.subjects.front().key.name == "web" &&
             JsonString(observed->object->Tree(), {"spec", "tier"}) == "bronze";
    });
  }

  static size_t Count(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }
};

TEST_F(ApiServerTest, RestartUnderLoadIsSurvivedWithoutARestartOfOurs) {
  manager_.StartReady();
  for (int i = 0; i < 20; ++i) {
    ApplyApp(Concat("app-", i), {{"image", "nginx:1.27"}, {"replicas", 0}});
  }
  for (int i = 0; i < 20; ++i) {
    WaitAvailable(Concat("app-", i));
  }
  const absl::Time before = SystemClock().Now();
  std::jthread load([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {  // most of it is refused, since nobody is there
      (void)cluster_.TryKubectl({"patch", "simpleapp", "app-3", "-n", ns(), "--type=merge", "-p",
                                 DumpJson({{"spec", {{"replicas", i % 2}}}})});
    }
  });
  for (const char* how : {"apiserver-stop", "apiserver-kill"}) {
    ASSERT_TRUE(cluster_.Control(how).ok());
    ASSERT_TRUE(cluster_.Control("apiserver-start").ok());
    ASSERT_TRUE(Eventually([&] { return manager_.Ready(); })) << manager_.ReadyText();
  }
  load.request_stop();
  load.join();
  ASSERT_TRUE(manager_.Running());
  PatchSpec("app-7", {{"replicas", 1}});
  WaitAvailable("app-7");
  WaitAvailable("app-3");
  StopAndVerify();
  std::set<std::string> reconciled;
  for (const Event& event : manager_.Journal()) {
    const auto* decided = std::get_if<Decided>(&event.body);
    if (decided != nullptr && decided->now > before) {
      reconciled.insert(decided->key.object.name);
    }
  }
  reconciled.erase("app-3");  // how much of the load gets through is up to the server
  EXPECT_THAT(reconciled, ::testing::ElementsAre("app-7"));
}

TEST_F(ApiServerTest, DeletedWhileAwayAndCompactedIsFoundByTheRelistWithItsLastState) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}});
  ApplyApp("other", {{"image", "nginx:1.27"}});
  WaitAvailable("web");
  WaitAvailable("other");
  EXPECT_EQ(manager_.Stop(), 0);
  const EventSeq stopped_at = manager_.Journal().back().seq;
  const std::string uid = JsonString(GetApp("web"), {"metadata", "uid"});
  DeleteApp("web");
  cluster_.MergePatch(kSimpleApps, ns(), "web", {{"metadata", {{"finalizers", nullptr}}}});
  WaitGone("web");
  // A fresh API server remembers nothing from before its start: every bookmark is answered by 410.
  ASSERT_TRUE(cluster_.Control("apiserver-stop").ok());
  ASSERT_TRUE(cluster_.Control("apiserver-start").ok());
  manager_.StartReady();
  StopAndVerify();
  const std::vector<Event> since = After(manager_.Journal(), stopped_at);
  bool found = false;
  for (const Event& event : since) {
    const auto* observed = std::get_if<Observed>(&event.body);
    if (observed != nullptr && event.subjects.front().uid == uid) {
      EXPECT_EQ(observed->change, ChangeType::kDeletedWhileAway);
      EXPECT_EQ(JsonString(observed->object->Tree(), {"spec", "image"}), "nginx:1.27");
      found = true;
    }
  }
  EXPECT_TRUE(found);
  for (const Decided* decided : BodiesOf<Decided>(since)) {
    EXPECT_NE(decided->key.object.name, "other");
  }
}

TEST_F(ApiServerTest, NewDefaultInTheCrdEntersTheView) {
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  EXPECT_EQ(manager_.Stop(), 0);
  const EventSeq stopped_at = manager_.Journal().back().seq;
  const std::string version = JsonString(GetApp("web"), {"metadata", "resourceVersion"});
  AddDefaultToCrd();
  // The default does not change the resourceVersion, so only content tells.
  ASSERT_EQ(JsonString(GetApp("web"), {"metadata", "resourceVersion"}), version);
  manager_.StartReady();
  StopAndVerify();
  EXPECT_TRUE(TierSeen(After(manager_.Journal(), stopped_at)));
}

TEST_F(ApiServerTest, NewDefaultWhileUpEntersTheView) {
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  AddDefaultToCrd();
  // The change ends the watch and expires the bookmark.
  ASSERT_TRUE(Eventually([&] {
    return Count(manager_.Log(), Concat("\"Stream listed\",\"stream\":\"simpleapps.apps."
                                        "bootcamp.local in ",
                                        ns())) == 2;
  })) << manager_.Log();
  StopAndVerify();
  EXPECT_TRUE(TierSeen(manager_.Journal()));
}

class MissingCrdTest : public AppTest {
 protected:
  MissingCrdTest() : AppTest(Cluster::Own({}, /*install_crd=*/false)) {}
};

TEST_F(MissingCrdTest, UnreadyWithTheReasonUntilItIsInstalled) {
  manager_.Start();
  ASSERT_TRUE(Eventually([&] {
    return manager_.ReadyText().find("simpleapps.apps.bootcamp.local") != std::string::npos;
  })) << manager_.Log();
  EXPECT_FALSE(manager_.Ready());
  cluster_.Kubectl({"apply", "-k", LOGBOOK_SOURCE_DIR "/deploy/crd"});
  ASSERT_TRUE(Eventually([&] { return manager_.Ready(); })) << manager_.ReadyText();
  ASSERT_TRUE(Eventually([&] {
    return cluster_
        .TryKubectl(
            {"apply", "-n", ns(), "-f", LOGBOOK_SOURCE_DIR "/deploy/samples/case1-minimal.yaml"})
        .ok();
  }));
  WaitAvailable("case1-minimal");
  StopAndVerify();
}

}  // namespace
}  // namespace logbook::e2e
