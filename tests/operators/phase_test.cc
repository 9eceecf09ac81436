// The phase rules, line by line; kubernetes-contract.md §8 and §9 J (cases 107 to 114).
#include "logbook/operators/simpleapp/phase.h"

#include <string>

#include "world.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/reconcile/children.h"

namespace logbook::operators {
namespace {

using ::testing::HasSubstr;

Json Status(int observed, int replicas, int updated, int ready, int available) {
  Json status = {{"observedGeneration", observed}};
  // Zero integers are omitted by the API server.
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, int>>{{"replicas", replicas},
                                                          {"updatedReplicas", updated},
                                                          {"readyReplicas", ready},
                                                          {"availableReplicas", available}}) {
    if (value != 0) {
      status[name] = value;
    }
  }
  return status;
}

Json WithCondition(Json status, std::string_view type, std::string_view value,
                   std::string_view reason, std::string_view message = "") {
  status["conditions"].push_back(
      {{"type", type}, {"status", value}, {"reason", reason}, {"message", message}});
  return status;
}

Phase PhaseOf(const World& world, const Json& app,
              const std::optional<reconcile::Trouble>& refusal = std::nullopt) {
  const View view = world.AsView();
  const SimpleApp parsed = ParseSimpleApp(app);
  const reconcile::Child deployment =
      reconcile::PlanChild(view, parsed.AsOwner(), Known(kDeploymentResource, "Deployment"),
                           kFieldManager, DesiredDeployment(parsed));
  return ComputePhase(view, parsed, deployment, refusal);
}

struct PhaseCase {
  std::string name;
  Json status;         // of the Deployment
  int generation = 1;  // of the Deployment
  int replicas = 3;    // wanted
  std::string phase;
  std::string reason;
};

class PhaseTableTest : public ::testing::TestWithParam<PhaseCase> {};

TEST_P(PhaseTableTest, FirstRuleThatMatchesDecides) {
  const PhaseCase& c = GetParam();
  const Json app = AppObject({{"image", "nginx:1.27"}, {"replicas", c.replicas}});
  World world;
  world.PutApp(app).PutDeployment(app, c.status, c.generation);
  const Phase phase = PhaseOf(world, app);
  EXPECT_EQ(phase.name, c.phase);
  EXPECT_EQ(phase.reason, c.reason);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, PhaseTableTest,
    ::testing::Values(
        PhaseCase{"NewDeploymentHasAnEmptyStatus", Json::object(), 1, 3, "Pending",
                  "WaitingForDeployment"},
        PhaseCase{"StatusOfThePreviousGenerationIsNotUsed", Status(1, 3, 3, 3, 3), 2, 3, "Pending",
                  "WaitingForDeployment"},
        PhaseCase{"AllReplicasReady", Status(1, 3, 3, 3, 3), 1, 3, "Available", "AllReplicasReady"},
        PhaseCase{"NoneReadyYet", Status(1, 3, 3, 0, 0), 1, 3, "Progressing", "WaitingForReplicas"},
        PhaseCase{"RolloutWithinItsDeadlineIsNotFailed",
                  WithCondition(Status(1, 3, 1, 2, 2), "Progressing", "True", "ReplicaSetUpdated"),
                  1, 3, "Progressing", "RollingOut"},
        PhaseCase{"OldPodsStillServing", Status(1, 4, 3, 4, 4), 1, 3, "Progressing", "RollingOut"},
        PhaseCase{
            "PodsLostAfterAFinishedRollout",
            WithCondition(Status(1, 3, 3, 1, 1), "Progressing", "True", "NewReplicaSetAvailable"),
            1, 3, "Progressing", "WaitingForReplicas"},
        PhaseCase{"ScaledToZero", Status(1, 0, 0, 0, 0), 1, 0, "Available", "ScaledToZero"},
        PhaseCase{"ScalingToZero", Status(1, 2, 2, 2, 2), 1, 0, "Progressing", "ScalingToZero"},
        PhaseCase{"QuotaRefusesEveryPod",
                  WithCondition(Status(1, 0, 0, 0, 0), "ReplicaFailure", "True", "FailedCreate"), 1,
                  3, "Failed", "FailedCreate"},
        PhaseCase{"ReplicaFailureWithUpdatedPodsIsProgress",
                  WithCondition(Status(1, 2, 2, 2, 2), "ReplicaFailure", "True", "FailedCreate"), 1,
                  3, "Progressing", "RollingOut"},
        PhaseCase{"DeadlineExceeded",
                  WithCondition(Status(1, 3, 1, 2, 2), "Progressing", "False",
                                "ProgressDeadlineExceeded"),
                  1, 3, "Failed", "ProgressDeadlineExceeded"},
        PhaseCase{"DeadlineExceededBesideOtherConditionsInAnyOrder",
                  WithCondition(WithCondition(Status(1, 3, 1, 2, 2), "Progressing", "False",
                                              "ProgressDeadlineExceeded"),
                                "Available", "True", "MinimumReplicasAvailable"),
                  1, 3, "Failed", "ProgressDeadlineExceeded"},
        PhaseCase{
            "SuccessAfterTheDeadlineHeals",
            WithCondition(Status(1, 3, 3, 3, 3), "Progressing", "True", "NewReplicaSetAvailable"),
            1, 3, "Available", "AllReplicasReady"},
        PhaseCase{
            "ReplicaSetCannotBeMade",
            WithCondition(Status(1, 0, 0, 0, 0), "Progressing", "False", "ReplicaSetCreateError"),
            1, 3, "Failed", "ReplicaSetCreateError"}),
    [](const auto& info) { return info.param.name; });

TEST(PhaseTest, MissingDeploymentIsPending) {
  World world;
  world.PutApp(AppObject());
  EXPECT_EQ(PhaseOf(world, AppObject()).name, kPending);
}

TEST(PhaseTest, DeploymentThatDiffersIsPendingWhateverItsStatus) {
  const Json app = AppObject();
  Json other = app;
  other["spec"]["image"] = "nginx:1.26";
  World world;
  world.PutApp(app).PutDeployment(other, Status(1, 3, 3, 3, 3));
  const Phase phase = PhaseOf(world, app);
  EXPECT_EQ(phase.name, kPending);
  EXPECT_EQ(phase.message, "Deployment is being updated");
}

TEST(PhaseTest, RefusedChildIsFailedWithTheReasonOfTheStatus) {
  World world;
  world.PutApp(AppObject()).PutDeployment(AppObject(), Status(1, 3, 3, 3, 3));
  const Phase phase =
      PhaseOf(world, AppObject(), reconcile::Trouble{"Invalid", "Ingress web: bad host"});
  EXPECT_EQ(phase.name, kFailed);
  EXPECT_EQ(phase.reason, "Invalid");
  EXPECT_EQ(phase.ready_replicas, 3);
}

class ImageTroubleTest : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(ImageTroubleTest, WaitingPodOfTheCurrentReplicaSetIsFailed) {
  const auto& [reason, shown] = GetParam();
  World world;
  world.PutApp(AppObject())
      .PutDeployment(AppObject(), Status(1, 3, 1, 2, 2))
      .PutWaitingPod("2", reason);
  const Phase phase = PhaseOf(world, AppObject());
  EXPECT_EQ(phase.name, kFailed);
  EXPECT_EQ(phase.reason, shown);
  EXPECT_THAT(phase.message, HasSubstr("nginx:not-exist"));
  EXPECT_THAT(phase.message, HasSubstr("app"));
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, ImageTroubleTest,
    ::testing::Values(std::pair("ImagePullBackOff", "ImagePullBackOff"),
                      // Alternates with the one above from try to try; shown as one.
                      std::pair("ErrImagePull", "ImagePullBackOff"),
                      std::pair("InvalidImageName", "InvalidImageName"),
                      std::pair("CreateContainerConfigError", "CreateContainerConfigError")));

TEST(PhaseTest, WaitingPodOfAnOldReplicaSetDoesNotMatter) {
  World world;
  world.PutApp(AppObject())
      .PutDeployment(AppObject(), Status(1, 3, 1, 2, 2))
      .PutWaitingPod("1", "ImagePullBackOff");
  EXPECT_EQ(PhaseOf(world, AppObject()).name, kProgressing);
}

TEST(PhaseTest, WaitingPodThatIsBeingDeletedDoesNotMatter) {
  World world;
  world.PutApp(AppObject())
      .PutDeployment(AppObject(), Status(1, 3, 1, 2, 2))
      .PutWaitingPod("2", "ImagePullBackOff", /*deleting=*/true);
  EXPECT_EQ(PhaseOf(world, AppObject()).name, kProgressing);
}

TEST(PhaseTest, PodThatIsJustCreatingIsProgress) {
  World world;
  world.PutApp(AppObject())
      .PutDeployment(AppObject(), Status(1, 3, 3, 0, 0))
      .PutWaitingPod("2", "ContainerCreating");
  EXPECT_EQ(PhaseOf(world, AppObject()).name, kProgressing);
}

}  // namespace
}  // namespace logbook::operators
