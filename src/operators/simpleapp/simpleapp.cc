#include "logbook/operators/simpleapp/simpleapp.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "logbook/model/names.h"
#include "logbook/operators/simpleapp/desired.h"
#include "logbook/operators/simpleapp/external.h"
#include "logbook/operators/simpleapp/phase.h"
#include "logbook/operators/simpleapp/status.h"
#include "logbook/operators/simpleapp/types.h"
#include "logbook/reconcile/child_planner.h"

namespace logbook::operators {
namespace {

constexpr std::string_view kReleaseStep = "release";
constexpr absl::Duration kLookAgain = absl::Seconds(30);  // while not Available
constexpr uint32_t kCleanupAttemptsMax = 10;

Resource DeploymentKind() {
  return Known(kDeploymentResource, "Deployment");
}

Resource ServiceKind() {
  return Known(kServiceResource, "Service");
}

Resource IngressKind() {
  return Known(kIngressResource, "Ingress");
}

// The mapper of ReplicaSets and Pods: both carry the app's name from the Pod template.
std::vector<ObjectKey> AppOf(const Object& object) {
  const absl::StatusOr<Json> annotations = ParseJson(object.annotations());
  if (!annotations.ok()) {
    return {};
  }
  const std::string name = JsonString(*annotations, {kNameAnnotation});
  if (name.empty()) {
    return {};
  }
  return {{.ns = std::string(object.ns()), .name = name}};
}

std::vector<ObjectKey> AppOfName(const Object& object) {
  return {object.key()};
}

bool IsForeignRemoval(const Object* before, const Object* after) {
  return before != nullptr && after == nullptr && before->controller_kind() != kSimpleAppKind;
}

// The audit record's name; a second incarnation deleted in the same second finds it taken.
std::string AuditName(const View& view, const SimpleApp& app, absl::Time deleted) {
  const std::string seconds = std::to_string(absl::ToUnixSeconds(deleted));
  std::string name = SubdomainName("audit-deleted-", app.key.name, Concat("-", seconds));
  const EffectState* last =
      view.LastEffect(app.key, EffectKind::kCreate, "configmaps", {.ns = app.key.ns, .name = name});
  const bool taken = last != nullptr && last->failure_class == kClassNameTaken;
  return taken ? SubdomainName("audit-deleted-", app.key.name,
                               Concat("-", seconds, "-", app.uid.substr(0, 8)))
               : name;
}

Effect AuditEffect(const View& view, const SimpleApp& app, const std::string& deletion_timestamp) {
  absl::Time deleted = absl::UnixEpoch();
  absl::ParseTime(absl::RFC3339_full, deletion_timestamp, &deleted, nullptr);
  const std::string name = AuditName(view, app, deleted);
  return {.kind = EffectKind::kCreate,
          .resource = Known(kConfigMapResource, "ConfigMap"),
          .target = {.ns = app.key.ns, .name = name},
          .body = DumpJson(AuditConfigMap(app, name, deletion_timestamp)),
          .match_annotation = std::string(kUidAnnotation)};
}

std::optional<Effect> TerminatingStatus(const Json& object, const SimpleApp& app,
                                        const KeyState* state, absl::Time now) {
  if (state == nullptr || state->attempts < kCleanupAttemptsMax) {
    return PlanTerminating(object, app, "CleaningUp",
                           "Writing the audit record and releasing resources", now);
  }
  std::string error = "no error recorded";
  for (const EffectState& effect : state->effects) {
    if (effect.kind == OutcomeKind::kFailed) {
      error = Concat(ToString(effect.effect.kind), ": ", effect.message);
    }
  }
  return PlanTerminating(
      object, app, "CleanupFailing",
      Concat("Cleanup failed ", kCleanupAttemptsMax, " times in a row and is still tried: ", error),
      now);
}

}  // namespace

Plan ReconcileSimpleApp(const View& view, const ObjectKey& key) {
  const Json* object = view.Get("simpleapps.apps.bootcamp.local", key);
  if (object == nullptr) {
    return Plan::AwaitChange("object is gone");
  }
  const SimpleApp app = ParseSimpleApp(*object);
  reconcile::ChildPlanner children(view, app.AsOwner(), kFieldManager);
  const reconcile::Child deployment = children.Apply(DeploymentKind(), DesiredDeployment(app));
  children.Apply(ServiceKind(), DesiredService(app));
  if (app.host.empty()) {
    children.Remove(IngressKind(), {.ns = key.ns, .name = app.child_name});
  } else {
    children.Apply(IngressKind(), DesiredIngress(app));
  }
  const Phase phase = ComputePhase(view, app, deployment, children.refusal());
  const StatusPlan status = PlanStatus(*object, app, phase, view.Now());
  Plan plan = children.TakePlan();
  if (status.effect.has_value()) {
    plan.reason = plan.effects.empty() ? Concat("phase is ", phase.name) : plan.reason;
    plan.Add(*status.effect);
  }
  if (plan.effects.empty()) {
    plan.reason = Concat("all as wanted, phase ", phase.name);
  }
  if (phase.name != kAvailable) {
    // An apply that changes nothing but metadata makes no controller act, so nobody would wake us.
    plan.requeue_after = deployment.state == reconcile::ChildState::kDifferent
                             ? absl::ZeroDuration()
                             : std::min(kLookAgain, status.wait);
  }
  return plan;
}

Plan CleanUpSimpleApp(const View& view, const ObjectKey& key) {
  const Json* object = view.Get("simpleapps.apps.bootcamp.local", key);
  if (object == nullptr) {
    return Plan::AwaitChange("object is gone");
  }
  const SimpleApp app = ParseSimpleApp(*object);
  const KeyState* state = view.KeyOf(key);
  Plan plan = Plan::AwaitChange("object is being deleted");
  if (std::optional<Effect> status = TerminatingStatus(*object, app, state, view.Now());
      status.has_value()) {
    plan.Add(*std::move(status));
  }
  plan.Add(AuditEffect(view, app, JsonString(*object, {"metadata", "deletionTimestamp"})));
  const bool released =
      state != nullptr && state->uid == app.uid &&
      std::ranges::find(state->steps_done, kReleaseStep) != state->steps_done.end();
  if (!released) {
    plan.Add({.kind = EffectKind::kExternal,
              .target = key,
              .uid = app.uid,
              .step = std::string(kReleaseStep)});
  }
  return plan;
}

absl::StatusOr<reconcile::OperatorSpec> SimpleAppOperator(const SimpleAppOptions& options) {
  return reconcile::Operator("simpleapp")
      .For(kSimpleAppResource, kSimpleAppKind)
      .Owns(kDeploymentResource)
      .Owns(kServiceResource)
      .Owns(kIngressResource)
      .Watches(kReplicaSetResource,
               {.label_selector = std::string(kManagedBySelector), .mapper = AppOf})
      .Watches(kPodResource, {.label_selector = std::string(kManagedBySelector), .mapper = AppOf})
      // Somebody else's object of a child's name, once it is gone, makes room for ours. Where that
      // name is not the app's own (names.h), looking again after a while does.
      .Watches(kDeploymentResource, {.mapper = AppOfName, .predicate = IsForeignRemoval})
      .Watches(kServiceResource, {.mapper = AppOfName, .predicate = IsForeignRemoval})
      .Watches(kIngressResource, {.mapper = AppOfName, .predicate = IsForeignRemoval})
      .Effects({EffectKind::kApply, EffectKind::kCreate, EffectKind::kDelete,
                EffectKind::kPatchStatus, EffectKind::kPatch, EffectKind::kExternal})
      .FieldManager(kFieldManager)
      .Finalizer({.name = std::string(kFinalizer), .attempts_max = kCleanupAttemptsMax},
                 CleanUpSimpleApp)
      .External(kReleaseStep, ReleaseHandler(options.release))
      .Reconciles(ReconcileSimpleApp)
      .Build();
}

}  // namespace logbook::operators
