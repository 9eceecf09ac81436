// 10,000 patches by four foreign writers, while we reconcile: nobody's field is overwritten that is
// not ours, and no write of ours changes nothing.
#include <thread>

#include "app_test.h"

namespace logbook::e2e {
namespace {

constexpr int kPatchesEach = 2500;

class WritersTest : public AppTest {
 protected:
  void PatchEach(const char* resource, const std::string& subresource,
                 const std::function<Json(int)>& patch) {
    for (int i = 1; i <= kPatchesEach; ++i) {
      cluster_.MergePatch(resource, ns(), "web", patch(i), subresource);
    }
  }
};

TEST_F(WritersTest, TenThousandForeignPatchesAreNobodysLoss) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}, {"replicas", 1}});
  WaitAvailable("web");
  {
    std::jthread spec([&] {
      PatchEach(kSimpleApps, "", [](int i) { return Json{{"spec", {{"replicas", 1 + i % 2}}}}; });
    });
    std::jthread app_label([&] {
      PatchEach(kSimpleApps, "", [](int i) {
        return Json{{"metadata", {{"labels", {{"writer", std::to_string(i)}}}}}};
      });
    });
    std::jthread child([&] {
      PatchEach(kDeployments, "", [](int i) {
        return Json{{"metadata", {{"annotations", {{"writer", std::to_string(i)}}}}}};
      });
    });
    std::jthread child_status([&] {
      PatchEach(kServices, "status", [](int i) {
        return Json{
            {"status",
             {{"conditions", Json::array({{{"type", "Foreign"},
                                           {"status", i % 2 == 0 ? "True" : "False"},
                                           {"reason", "Writer"},
                                           {"message", std::to_string(i)},
                                           {"lastTransitionTime", "2026-05-26T03:14:00Z"}}})}}}};
      });
    });
  }
  WaitAvailable("web");
  EXPECT_EQ(JsonString(GetApp("web"), {"metadata", "labels", "writer"}),
            std::to_string(kPatchesEach));
  EXPECT_EQ(JsonString(GetDeployment("web"), {"metadata", "annotations", "writer"}),
            std::to_string(kPatchesEach));
  EXPECT_EQ(cluster_.Get(kServices, ns(), "web")["status"]["conditions"][0]["message"],
            std::to_string(kPatchesEach));
  EXPECT_EQ(GetDeployment("web")["spec"]["replicas"], 1);
  StopAndVerify();
  EXPECT_THAT(WritesThatChangedNothing(cluster_, manager_.user(), ns()), ::testing::IsEmpty());
}

}  // namespace
}  // namespace logbook::e2e
