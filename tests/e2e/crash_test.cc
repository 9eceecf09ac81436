// kill -9 at every effect of a SimpleApp's life, before it is sent, after it was carried out, and
// after its outcome was recorded: one audit, no duplicate child, and it converges.
#include <csignal>
#include <string>
#include <tuple>

#include "app_test.h"

namespace logbook::e2e {
namespace {

// Finalizer; Deployment, Service, Ingress; Pending, Progressing, Available; Terminating, audit,
// release, finalizer.
constexpr int kEffectsOfALife = 11;

class CrashTest : public AppTest,
                  public ::testing::WithParamInterface<std::tuple<std::string, int>> {
 protected:
  // Starts the manager, and again without failpoints if it ended itself.
  bool StartAgainIfItDied() {
    if (manager_.Running()) {
      return false;
    }
    EXPECT_EQ(manager_.Wait(), 128 + SIGKILL) << manager_.Log();
    manager_.options().env.clear();
    manager_.StartReady();
    return true;
  }

  // Until `condition`, starting the manager again when it ended itself.
  template <typename Condition>
  bool EventuallyInSpiteOfIt(Condition condition) {
    return Eventually([&] {
      died_ = StartAgainIfItDied() || died_;
      return condition();
    });
  }

  bool died_ = false;
};

TEST_P(CrashTest, KillAtAnEffectLosesAndDoublesNothing) {
  const auto [point, hit] = GetParam();
  manager_.options().program = LOGBOOK_FAILING_PROGRAM;
  manager_.options().env = {{"LOGBOOK_FAILPOINT", Concat(point, ":", hit)}};
  manager_.options().flags = {"--release-seconds", "0.1"};
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:slow-500ms"}, {"host", "web.example"}});
  ASSERT_TRUE(EventuallyInSpiteOfIt([&] { return Available("web"); })) << manager_.Log();
  EXPECT_EQ(cluster_.List(kDeployments, ns()).size(), 1u);
  EXPECT_EQ(cluster_.List(kServices, ns()).size(), 1u);
  EXPECT_EQ(cluster_.List(kIngresses, ns()).size(), 1u);
  DeleteApp("web");
  ASSERT_TRUE(EventuallyInSpiteOfIt([&] { return AppGone("web"); })) << manager_.Log();
  EXPECT_EQ(Audits().size(), 1u);
  // After the last effect the world is as it should be before the process has ended itself.
  EXPECT_TRUE(EventuallyInSpiteOfIt([&] { return died_; })) << "the fault was not delivered";
  StopAndVerify();
}

INSTANTIATE_TEST_SUITE_P(EveryEffect, CrashTest,
                         ::testing::Combine(::testing::Values(std::string("effect-next"),
                                                              std::string("effect-performed")),
                                            ::testing::Range(1, kEffectsOfALife + 1)),
                         [](const auto& info) {
                           std::string name =
                               Concat(std::get<0>(info.param), "_", std::get<1>(info.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace logbook::e2e
