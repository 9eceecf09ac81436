// What a restart costs and what it misses: nothing, unless something changed.
#include <string>

#include "app_test.h"

namespace logbook::e2e {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class RestartTest : public AppTest {
 protected:
  void StartWithApps(int count) {
    manager_.StartReady();
    for (int i = 0; i < count; ++i) {
      ApplyApp(Name(i));
    }
    for (int i = 0; i < count; ++i) {
      WaitAvailable(Name(i));
    }
  }

  static std::string Name(int i) { return Concat("app-", i); }

  // Stops the manager; what came before the next start is then not looked at.
  void Stop() {
    EXPECT_EQ(manager_.Stop(), 0) << manager_.Log();
    stopped_at_ = manager_.Journal().back().seq;
  }

  // Of the runs since Stop.
  std::vector<Event> Since() { return After(manager_.Journal(), stopped_at_); }

  std::vector<const Decided*> DecisionsOn(const std::vector<Event>& events,
                                          const std::string& name) {
    std::vector<const Decided*> decisions;
    for (const Decided* decided : BodiesOf<Decided>(events)) {
      if (decided->key.object.name == name) {
        decisions.push_back(decided);
      }
    }
    return decisions;
  }

  size_t Lists(const std::vector<Event>& events) {
    size_t lists = 0;
    for (const StreamChanged* change : BodiesOf<StreamChanged>(events)) {
      lists += change->change == StreamChange::kListed ? 1 : 0;
    }
    return lists;
  }

  EventSeq stopped_at_;
};

TEST_F(RestartTest, OfTheSameBuildReconcilesNothingAndListsNothing) {
  StartWithApps(5);
  Stop();
  const size_t writes = WritesToObjectsBy(cluster_, manager_.user()).size();
  manager_.StartReady();
  StopAndVerify();
  const std::vector<Event> since = Since();
  EXPECT_THAT(BodiesOf<Decided>(since), IsEmpty());
  EXPECT_EQ(Lists(since), 0u);
  EXPECT_EQ(WritesToObjectsBy(cluster_, manager_.user()).size(), writes);
}

TEST_F(RestartTest, AfterAKillOfTheSameBuildReconcilesNothing) {
  StartWithApps(3);
  Stop();
  manager_.StartReady();
  manager_.Kill();
  manager_.StartReady();
  StopAndVerify();
  const std::vector<Event> since = Since();
  EXPECT_THAT(BodiesOf<Decided>(since), IsEmpty());
}

TEST_F(RestartTest, BuildThatAddsALabelReachesEveryChildOnce) {
  StartWithApps(5);
  Stop();
  const size_t before = WritesToObjectsBy(cluster_, manager_.user()).size();
  manager_.options().program = LOGBOOK_NEXT_PROGRAM;
  manager_.StartReady();
  ASSERT_TRUE(Eventually([&] {
    return cluster_.List(kDeployments, ns(), "apps.bootcamp.local/release=next").size() == 5 &&
           cluster_.List(kServices, ns(), "apps.bootcamp.local/release=next").size() == 5;
  })) << manager_.Log();
  for (int i = 0; i < 5; ++i) {
    WaitAvailable(Name(i));
  }
  StopAndVerify();
  std::map<std::string, int> applied;
  const std::vector<Json> writes = WritesToObjectsBy(cluster_, manager_.user());
  for (size_t i = before; i < writes.size(); ++i) {
    const std::string resource = JsonString(writes[i], {"objectRef", "resource"});
    if (resource != "simpleapps") {
      ++applied[resource + "/" + JsonString(writes[i], {"objectRef", "name"})];
    }
  }
  EXPECT_THAT(applied, SizeIs(10));
  for (const auto& [child, times] : applied) {
    EXPECT_EQ(times, 1) << child;
  }
}

TEST_F(RestartTest, ChangesWhileDownAreHandled) {
  StartWithApps(3);
  Stop();
  PatchSpec(Name(0), {{"replicas", 2}});
  Delete("deployment", Name(1));
  manager_.StartReady();
  ASSERT_TRUE(Eventually([&] {
    return JsonInt(GetDeployment(Name(0)), {"spec", "replicas"}) == 2 &&
           !GetDeployment(Name(1)).is_null();
  })) << manager_.Log();
  WaitAvailable(Name(0));
  WaitAvailable(Name(1));
  StopAndVerify();
  const std::vector<Event> since = Since();
  EXPECT_THAT(DecisionsOn(since, Name(2)), IsEmpty());
}

TEST_F(RestartTest, AppDeletedWhileDownIsCleanedUp) {
  StartWithApps(2);
  Stop();
  DeleteApp(Name(0));
  manager_.StartReady();
  WaitGone(Name(0));
  EXPECT_THAT(Audits(), SizeIs(1));
  StopAndVerify();
}

TEST_F(RestartTest, RecreatedWhileDownInheritsNothing) {
  StartWithApps(1);
  const std::string uid = JsonString(GetApp(Name(0)), {"metadata", "uid"});
  Stop();
  // Without us nobody removes the finalizer but an impatient person.
  DeleteApp(Name(0));
  cluster_.MergePatch(kSimpleApps, ns(), Name(0), {{"metadata", {{"finalizers", nullptr}}}});
  WaitGone(Name(0));
  ApplyApp(Name(0), {{"image", "nginx:1.28"}});
  manager_.StartReady();
  WaitAvailable(Name(0));
  const Json app = GetApp(Name(0));
  EXPECT_NE(JsonString(app, {"metadata", "uid"}), uid);
  EXPECT_EQ(GetDeployment(Name(0))["metadata"]["ownerReferences"][0]["uid"],
            app["metadata"]["uid"]);
  DeleteApp(Name(0));
  WaitGone(Name(0));
  StopAndVerify();
  const std::vector<Event> since = Since();
  bool old_deleted = false;
  for (const Event& event : since) {
    const auto* observed = std::get_if<Observed>(&event.body);
    old_deleted = old_deleted || (observed != nullptr && IsRemoval(observed->change) &&
                                  event.subjects.front().uid == uid);
  }
  EXPECT_TRUE(old_deleted);
}

TEST_F(RestartTest, DueTimeOfAFailingKeyIsKept) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}, {"host", "Foo_Bar"}});
  const auto attempts = [&] {
    const std::vector<Event> events = manager_.Journal();
    uint32_t most = 0;
    for (const auto* outcome : BodiesOf<OutcomeRecorded>(events)) {
      most = std::max(most, outcome->attempts_after);
    }
    return most;
  };
  // Three failures: 1 + 2 s of backoff, then 4 s until the fourth.
  ASSERT_TRUE(Eventually([&] {
    size_t refused = 0;
    for (const Json& write : WritesToObjectsBy(cluster_, manager_.user())) {
      refused += JsonInt(write, {"responseStatus", "code"}) == 422 ? 1 : 0;
    }
    return refused >= 3;
  }));
  // The outcome is recorded within a moment of the server's answer.
  ASSERT_TRUE(Eventually([&] {
    const std::string log = manager_.Log();
    return std::ranges::count(log, '\n') > 0 &&
           log.find("Reconciler error", log.find("Reconciler error") + 1) != std::string::npos;
  }));
  manager_.Kill();
  const std::vector<Event> before = manager_.Journal();
  absl::Time due;
  for (const auto* outcome : BodiesOf<OutcomeRecorded>(before)) {
    due = outcome->due != absl::InfiniteFuture() ? outcome->due : due;
  }
  ASSERT_EQ(attempts(), 3u);
  stopped_at_ = before.back().seq;
  manager_.StartReady();
  ASSERT_TRUE(Eventually([&] { return SystemClock().Now() > due + absl::Seconds(1); }));
  StopAndVerify();
  const std::vector<Event> since = Since();
  bool tried = false;
  for (const Decided* decided : DecisionsOn(since, "web")) {
    for (const Effect& effect : decided->effects) {
      if (effect.resource.plural == "ingresses") {
        EXPECT_GE(decided->now, due);
        EXPECT_GE(decided->attempt, 3u);
        tried = true;
      }
    }
  }
  EXPECT_TRUE(tried);
}

}  // namespace
}  // namespace logbook::e2e
