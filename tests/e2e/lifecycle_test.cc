// The four cases of the SimpleApp document, and how an app goes: rows A129 to A146, and groups C
// and D of the contract's test cases.
#include <set>
#include <string>

#include "app_test.h"

namespace logbook::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class LifecycleTest : public AppTest {};

TEST_F(LifecycleTest, FinalizerIsFilledInOnAHundredOldApps) {
  for (int i = 0; i < 100; ++i) {
    ApplyApp("old-" + std::to_string(i), {{"image", "nginx:1.27"}, {"replicas", 0}});
  }
  manager_.StartReady();
  ASSERT_TRUE(Eventually([&] {
    size_t with = 0;
    for (const Json& app : cluster_.List(kSimpleApps, ns())) {
      const Json* finalizers = JsonAt(app, {"metadata", "finalizers"});
      with += finalizers != nullptr && *finalizers == Json::array({kFinalizerName}) ? 1 : 0;
    }
    return with == 100;
  })) << manager_.Log();
  ASSERT_TRUE(Eventually([&] { return Available("old-99") && Available("old-0"); }));
  StopAndVerify();
}

TEST_F(LifecycleTest, DeletedAppIsAuditedThenGone) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}, {"replicas", 2}});
  WaitAvailable("web");
  DeleteApp("web");
  const Json going = GetApp("web");
  const std::string deleted_at = JsonString(going, {"metadata", "deletionTimestamp"});
  EXPECT_FALSE(deleted_at.empty());
  EXPECT_EQ(going["metadata"]["finalizers"], Json::array({kFinalizerName}));
  ASSERT_TRUE(Eventually([&] { return AppGone("web"); }, absl::Seconds(5))) << manager_.Log();
  const Json audits = Audits();
  ASSERT_EQ(audits.size(), 1u);
  absl::Time deleted;
  ASSERT_TRUE(absl::ParseTime(absl::RFC3339_full, deleted_at, &deleted, nullptr));
  EXPECT_EQ(JsonString(audits[0], {"metadata", "name"}),
            Concat("audit-deleted-web-", absl::ToUnixSeconds(deleted)));
  EXPECT_EQ(audits[0]["data"], (Json{{"deletedAt", deleted_at},
                                     {"finalReplicas", "2"},
                                     {"image", "nginx:1.27"},
                                     {"namespace", ns()}}));
  EXPECT_FALSE(audits[0]["metadata"].contains("ownerReferences"));
  EXPECT_TRUE(Eventually([&] { return GetDeployment("web").is_null(); }));
  StopAndVerify();
}

TEST_F(LifecycleTest, DeletedDeploymentComesBack) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}, {"replicas", 2}});
  WaitAvailable("web");
  const std::string uid = JsonString(GetDeployment("web"), {"metadata", "uid"});
  Delete("deployment", "web");
  EXPECT_TRUE(Eventually(
      [&] {
        const Json again = GetDeployment("web");
        return !again.is_null() && JsonString(again, {"metadata", "uid"}) != uid &&
               JsonInt(again, {"status", "readyReplicas"}) == 2;
      },
      absl::Seconds(7)))
      << manager_.Log();
  WaitAvailable("web");
  StopAndVerify();
}

TEST_F(LifecycleTest, ImagePatchRollsOutWithOldAndNewPodsSideBySide) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}, {"replicas", 3}});
  WaitAvailable("web");
  PatchSpec("web", {{"image", "nginx:1.27.1-slow-2s"}});
  EXPECT_TRUE(Eventually([&] {
    std::set<std::string> images;
    for (const Json& pod : cluster_.List(kPods, ns())) {
      images.insert(pod["spec"]["containers"][0]["image"].get<std::string>());
    }
    return images.size() == 2;
  }));
  WaitAvailable("web");
  StopAndVerify();
  for (const Json& write : WritesBy(cluster_, manager_.user())) {
    EXPECT_NE(write["objectRef"]["resource"], "pods");
  }
}

TEST_F(LifecycleTest, HostIsSetClearedAndRefused) {
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  EXPECT_TRUE(cluster_.Get(kIngresses, ns(), "web").is_null());
  PatchSpec("web", {{"host", "web.example"}});
  ASSERT_TRUE(Eventually([&] { return !cluster_.Get(kIngresses, ns(), "web").is_null(); }));
  WaitAvailable("web");
  EXPECT_EQ(JsonString(GetApp("web"), {"status", "url"}), "http://web.example");
  PatchSpec("web", {{"host", nullptr}});
  ASSERT_TRUE(Eventually([&] { return cluster_.Get(kIngresses, ns(), "web").is_null(); }));
  WaitAvailable("web");
  EXPECT_EQ(JsonString(GetApp("web"), {"status", "url"}), "");
  PatchSpec("web", {{"host", "Foo_Bar"}});
  ASSERT_TRUE(Eventually([&] { return Phase("web") == "Failed"; })) << manager_.Log();
  EXPECT_THAT(Message("web"), HasSubstr("Ingress"));
  EXPECT_THAT(Message("web"), HasSubstr("Foo_Bar"));
  PatchSpec("web", {{"host", "good.example"}});
  WaitAvailable("web");
  StopAndVerify();
}

TEST_F(LifecycleTest, BadImageFailsStablyAndHeals) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:not-exist"}});
  ASSERT_TRUE(Eventually([&] { return Phase("web") == "Failed"; })) << manager_.Log();
  EXPECT_THAT(Message("web"), StartsWith("ImagePullBackOff: nginx:not-exist"));
  // ErrImagePull and ImagePullBackOff alternate underneath.
  const std::string version = JsonString(GetApp("web"), {"metadata", "resourceVersion"});
  EXPECT_TRUE(StaysTrue(
      [&] {
        return JsonString(GetApp("web"), {"metadata", "resourceVersion"}) == version;
      },
      absl::Seconds(3)));
  PatchSpec("web", {{"image", "nginx:1.27"}});
  WaitAvailable("web");
  StopAndVerify();
}

TEST_F(LifecycleTest, ScaledToZeroIsAvailable) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}, {"replicas", 0}});
  WaitAvailable("web");
  const Json conditions = GetApp("web")["status"]["conditions"];
  EXPECT_EQ(conditions[0]["reason"], "ScaledToZero");
  StopAndVerify();
}

TEST_F(LifecycleTest, ForegroundDeletionRecreatesNothing) {
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  DeleteApp("web", "foreground");
  WaitGone("web");
  EXPECT_TRUE(GetDeployment("web").is_null());
  StopAndVerify();
}

TEST_F(LifecycleTest, OrphanedChildrenStay) {
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  const std::string uid = JsonString(GetDeployment("web"), {"metadata", "uid"});
  DeleteApp("web", "orphan");
  WaitGone("web");
  EXPECT_EQ(JsonString(GetDeployment("web"), {"metadata", "uid"}), uid);
  EXPECT_FALSE(cluster_.Get(kServices, ns(), "web").is_null());
  // They are ours still, so who comes next takes them over.
  ApplyApp("web");
  WaitAvailable("web");
  const Json adopted = GetDeployment("web");
  EXPECT_EQ(JsonString(adopted, {"metadata", "uid"}), uid);
  EXPECT_EQ(adopted["metadata"]["ownerReferences"][0]["uid"], GetApp("web")["metadata"]["uid"]);
  StopAndVerify();
}

TEST_F(LifecycleTest, RecreatedWhileUpIsTwoIncarnationsWithTwoAudits) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}});
  WaitAvailable("web");
  const std::string first = JsonString(GetDeployment("web"), {"metadata", "uid"});
  DeleteApp("web");
  WaitGone("web");
  ApplyApp("web", {{"image", "nginx:1.28"}});
  WaitAvailable("web");
  EXPECT_NE(JsonString(GetDeployment("web"), {"metadata", "uid"}), first);
  DeleteApp("web");
  WaitGone("web");
  EXPECT_EQ(Audits().size(), 2u);
  StopAndVerify();
}

TEST_F(LifecycleTest, TwoIncarnationsWithinOneSecondHaveTwoAudits) {
  manager_.options().flags = {"--release-seconds", "0"};
  manager_.StartReady();
  // Until two of them were deleted within one second, which takes a few tries.
  const auto seconds = [&] {
    std::set<std::string> distinct;
    const Json audits = Audits();
    for (const Json& audit : audits) {
      distinct.insert(JsonString(audit, {"data", "deletedAt"}));
    }
    return distinct.size();
  };
  size_t deleted = 0;
  for (; deleted < 40 && seconds() == deleted; ++deleted) {
    ApplyApp("web", {{"image", "nginx:1.27"}, {"replicas", 0}});
    ASSERT_TRUE(Eventually([&] {
      const Json app = GetApp("web");
      return JsonAt(app, {"metadata", "finalizers"}) != nullptr;
    })) << manager_.Log();
    ASSERT_TRUE(cluster_.api()
                    .Delete({.resource = *ParseResource(kSimpleApps), .key = {ns(), "web"}}, {}, {})
                    .ok());
    WaitGone("web");
  }
  EXPECT_LT(seconds(), deleted);
  EXPECT_EQ(Audits().size(), deleted);
  StopAndVerify();
}

TEST_F(LifecycleTest, NamespaceWithAppsInItEnds) {
  manager_.StartReady();
  ApplyApp("one");
  ApplyApp("two");
  WaitAvailable("one");
  WaitAvailable("two");
  cluster_.Kubectl({"delete", "namespace", ns(), "--wait=false"});
  ASSERT_TRUE(Eventually([&] { return cluster_.Get("v1/namespaces", "", ns()).is_null(); }))
      << manager_.Log();
  StopAndVerify();
  // The audits could not be created, so they are in the journal.
  size_t audited = 0;
  const std::vector<Event> events = manager_.Journal();
  for (const auto* outcome : BodiesOf<OutcomeRecorded>(events)) {
    audited += outcome->outcome.failure_class == kClassNamespaceTerminating &&
                       outcome->target.plural == "configmaps"
                   ? 1
                   : 0;
  }
  EXPECT_EQ(audited, 2u);
}

}  // namespace
}  // namespace logbook::e2e
