#include "logbook/operators/simpleapp/phase.h"

#include <array>

namespace logbook::operators {
namespace {

using reconcile::Child;
using reconcile::ChildState;

constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";

// The kubelet alternates between the first two from one try to the next; they are shown as one, so
// that the message stands still until the image can be pulled.
std::string_view ImageTrouble(std::string_view reason) {
  if (reason == "ErrImagePull" || reason == "ImagePullBackOff") {
    return "ImagePullBackOff";
  }
  if (reason == "InvalidImageName" || reason == "CreateContainerConfigError") {
    return reason;
  }
  return {};
}

std::optional<Refusal> TroubleOfPod(const Json& pod) {
  for (std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    const Json* statuses = JsonAt(pod, {"status", list});
    if (statuses == nullptr || !statuses->is_array()) {
      continue;
    }
    for (const Json& status : *statuses) {
      const std::string reason = JsonString(status, {"state", "waiting", "reason"});
      const std::string_view trouble = ImageTrouble(reason);
      if (!trouble.empty()) {
        return Refusal{.reason = std::string(trouble),
                       .message = Concat(trouble, ": ", JsonString(status, {"image"}),
                                         " (container ", JsonString(status, {"name"}), ")")};
      }
    }
  }
  return std::nullopt;
}

// What keeps a Pod of the Deployment's current ReplicaSet from starting.
std::optional<Refusal> TroubleOfPods(const View& view, const Json& deployment) {
  const std::string revision =
      JsonString(deployment, {"metadata", "annotations", kRevision});
  const std::string uid = JsonString(deployment, {"metadata", "uid"});
  for (const ObjectPtr& replica_set : view.ListOwned("replicasets.apps", uid)) {
    if (JsonString(view.Tree(replica_set), {"metadata", "annotations", kRevision}) != revision) {
      continue;
    }
    for (const ObjectPtr& pod : view.ListOwned("pods", replica_set->uid())) {
      if (pod->deleting()) {
        continue;
      }
      if (std::optional<Refusal> trouble = TroubleOfPod(view.Tree(pod)); trouble.has_value()) {
        return trouble;
      }
    }
  }
  return std::nullopt;
}

const Json* FindCondition(const Json& object, std::string_view type) {
  const Json* conditions = JsonAt(object, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) {
    return nullptr;
  }
  for (const Json& condition : *conditions) {
    if (JsonString(condition, {"type"}) == type) {
      return &condition;
    }
  }
  return nullptr;
}

// What the Deployment controller itself reports as failed.
std::optional<Refusal> RolloutFailure(const Json& deployment, int64_t updated) {
  const Json* failure = FindCondition(deployment, "ReplicaFailure");
  if (failure != nullptr && JsonString(*failure, {"status"}) == "True" && updated == 0) {
    return Refusal{.reason = JsonString(*failure, {"reason"}, "ReplicaFailure"),
                   .message = JsonString(*failure, {"message"})};
  }
  const Json* progressing = FindCondition(deployment, "Progressing");
  if (progressing == nullptr) {
    return std::nullopt;
  }
  const std::string reason = JsonString(*progressing, {"reason"});
  if (reason == "ProgressDeadlineExceeded" || reason == "ReplicaSetCreateError") {
    return Refusal{.reason = reason, .message = JsonString(*progressing, {"message"})};
  }
  return std::nullopt;
}

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
    return {kProgressing, "RollingOut",
            Concat(counts.updated, "/", counts.wanted, " replicas updated, ", counts.ready,
                   " ready"),
            counts.ready};
  }
  return {kProgressing, "WaitingForReplicas",
          Concat(counts.ready, "/", counts.wanted, " replicas ready"), counts.ready};
}

}  // namespace

Phase ComputePhase(const View& view, const SimpleApp& app, const Child& deployment,
                   const std::optional<Refusal>& refusal) {
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
  std::optional<Refusal> trouble = TroubleOfPods(view, live);
  if (!trouble.has_value()) {
    trouble = RolloutFailure(live, counts.updated);
  }
  return trouble.has_value() ? Phase{kFailed, trouble->reason, trouble->message, counts.ready}
                             : Rollout(counts);
}

}  // namespace logbook::operators
