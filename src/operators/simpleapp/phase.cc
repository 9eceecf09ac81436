#include "logbook/operators/simpleapp/phase.h"

#include "logbook/reconcile/workload.h"

namespace logbook::operators {
namespace {

using reconcile::Child;
using reconcile::ChildState;
using reconcile::Trouble;

std::string PendingMessage(const Child& deployment) {
  switch (deployment.state) {
    case ChildState::kLeaving:
      return "Deployment is being deleted";
    case ChildState::kPredecessors:
      return "Deployment of a deleted SimpleApp of this name is still there";
    case ChildState::kDifferent:
      return "Deployment is being updated";
    case ChildState::kCurrent:
      return "Deployment has not been observed by its controller yet";
    default:
      return "Deployment is being created";
  }
}

struct Counts {
  int64_t wanted, replicas, updated, ready, available;
};

Phase Rollout(const Counts& counts) {
  if (counts.wanted == 0) {
    return counts.replicas == 0
               ? Phase{kAvailable, "ScaledToZero", "Scaled to zero", counts.ready}
               : Phase{kProgressing, "ScalingToZero",
                       Concat(counts.replicas, " replicas left to stop"), counts.ready};
  }
  if (counts.updated == counts.wanted && counts.replicas == counts.wanted &&
      counts.available >= counts.wanted) {
    return {kAvailable, "AllReplicasReady",
            Concat("All ", counts.ready, "/", counts.wanted, " replicas ready"), counts.ready};
  }
  if (counts.updated < counts.wanted || counts.replicas > counts.updated) {
    return {
        kProgressing, "RollingOut",
        Concat(counts.updated, "/", counts.wanted, " replicas updated, ", counts.ready, " ready"),
        counts.ready};
  }
  return {kProgressing, "WaitingForReplicas",
          Concat(counts.ready, "/", counts.wanted, " replicas ready"), counts.ready};
}

}  // namespace

Phase ComputePhase(const View& view, const SimpleApp& app, const Child& deployment,
                   const std::optional<Trouble>& refusal) {
  const bool ours = deployment.live != nullptr && deployment.state != ChildState::kNameTaken &&
                    deployment.state != ChildState::kPredecessors;
  const Json nothing = Json::object();
  const Json& live = ours ? *deployment.live : nothing;
  const Counts counts{.wanted = app.replicas,
                      .replicas = JsonInt(live, {"status", "replicas"}),
                      .updated = JsonInt(live, {"status", "updatedReplicas"}),
                      .ready = JsonInt(live, {"status", "readyReplicas"}),
                      .available = JsonInt(live, {"status", "availableReplicas"})};
  if (refusal.has_value()) {
    return {kFailed, refusal->reason, refusal->message, counts.ready};
  }
  const bool observed = JsonInt(live, {"status", "observedGeneration"}) >=
                        JsonInt(live, {"metadata", "generation"}, 1);
  if (deployment.state != ChildState::kCurrent || !observed) {
    return {kPending, "WaitingForDeployment", PendingMessage(deployment), counts.ready};
  }
  if (counts.wanted == 0) {
    return Rollout(counts);
  }
  std::optional<Trouble> trouble = reconcile::TroubleOfPods(view, live);
  if (!trouble.has_value()) {
    trouble = reconcile::TroubleOfRollout(live);
  }
  return trouble.has_value() ? Phase{kFailed, trouble->reason, trouble->message, counts.ready}
                             : Rollout(counts);
}

}  // namespace logbook::operators
