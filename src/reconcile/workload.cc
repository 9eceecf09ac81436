#include "logbook/reconcile/workload.h"

#include <string>
#include <string_view>

#include "logbook/model/conditions.h"

namespace logbook::reconcile {
namespace {

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

std::optional<Trouble> TroubleOfPod(const Json& pod) {
  for (std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    const Json* statuses = JsonAt(pod, {"status", list});
    if (statuses == nullptr || !statuses->is_array()) {
      continue;
    }
    for (const Json& status : *statuses) {
      const std::string reason = JsonString(status, {"state", "waiting", "reason"});
      const std::string_view trouble = ImageTrouble(reason);
      if (!trouble.empty()) {
        return Trouble{.reason = std::string(trouble),
                       .message = Concat(trouble, ": ", JsonString(status, {"image"}),
                                         " (container ", JsonString(status, {"name"}), ")")};
      }
    }
  }
  return std::nullopt;
}

const Json& ConditionsOf(const Json& object) {
  static const Json none = Json::array();
  const Json* conditions = JsonAt(object, {"status", "conditions"});
  return conditions == nullptr ? none : *conditions;
}

}  // namespace

std::optional<Trouble> TroubleOfPods(const View& view, const Json& deployment) {
  const std::string revision = JsonString(deployment, {"metadata", "annotations", kRevision});
  const std::string uid = JsonString(deployment, {"metadata", "uid"});
  for (const ObjectPtr& replica_set : view.ListOwned("replicasets.apps", uid)) {
    if (JsonString(view.Tree(replica_set), {"metadata", "annotations", kRevision}) != revision) {
      continue;
    }
    for (const ObjectPtr& pod : view.ListOwned("pods", replica_set->uid())) {
      if (pod->deleting()) {
        continue;
      }
      if (std::optional<Trouble> trouble = TroubleOfPod(view.Tree(pod)); trouble.has_value()) {
        return trouble;
      }
    }
  }
  return std::nullopt;
}

std::optional<Trouble> TroubleOfRollout(const Json& deployment) {
  const Json& conditions = ConditionsOf(deployment);
  const Json* failure = FindCondition(conditions, "ReplicaFailure");
  if (failure != nullptr && JsonString(*failure, {"status"}) == "True" &&
      JsonInt(deployment, {"status", "updatedReplicas"}) == 0) {
    return Trouble{.reason = JsonString(*failure, {"reason"}, "ReplicaFailure"),
                   .message = JsonString(*failure, {"message"})};
  }
  const Json* progressing = FindCondition(conditions, "Progressing");
  if (progressing == nullptr) {
    return std::nullopt;
  }
  const std::string reason = JsonString(*progressing, {"reason"});
  if (reason == "ProgressDeadlineExceeded" || reason == "ReplicaSetCreateError") {
    return Trouble{.reason = reason, .message = JsonString(*progressing, {"message"})};
  }
  return std::nullopt;
}

}  // namespace logbook::reconcile
