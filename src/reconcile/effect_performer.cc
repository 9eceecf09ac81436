#include "logbook/reconcile/effect_performer.h"

#include <exception>
#include <utility>

#include "logbook/k8s/api_client.h"
#include "logbook/k8s/api_status.h"

namespace logbook::reconcile {
namespace {

using Reply = absl::StatusOr<k8s::ApiReply>;

constexpr int kHttpCreated = 201;
constexpr absl::Duration kReadTimeout = absl::Seconds(10);

// One word for what went wrong, for people and for decisions.
std::string FailureClass(const absl::Status& status, const Effect& effect) {
  if (k8s::IsNamespaceTerminating(status)) {
    return std::string(kClassNamespaceTerminating);
  }
  if (k8s::IsFieldManagerConflict(status) && !effect.force) {
    return std::string(kClassNameTaken);
  }
  if (k8s::IsConflict(status)) {
    return std::string(kClassConflict);
  }
  const std::optional<k8s::ApiStatus> api = k8s::ApiStatusOf(status);
  if (!api.has_value()) {
    return std::string(kClassTransport);
  }
  return api->reason.empty() ? Concat("HTTP", api->http_status) : api->reason;
}

void Succeed(Outcome& outcome, const k8s::ApiReply& reply) {
  outcome.kind = OutcomeKind::kSucceeded;
  outcome.http_status = reply.http_status;
  outcome.created = reply.http_status == kHttpCreated;
  const absl::StatusOr<ObjectPtr> object = Object::FromJson(reply.body);
  if (object.ok()) {  // else a Status: a delete that was carried out at once
    outcome.response = std::string((*object)->json());
    outcome.uid = std::string((*object)->uid());
    outcome.resource_version = std::string((*object)->resource_version());
  }
}

void Fail(Outcome& outcome, const absl::Status& status, const Effect& effect) {
  outcome.kind = k8s::IsOutcomeUnknown(status) ? OutcomeKind::kUnknown : OutcomeKind::kFailed;
  outcome.failure_class = FailureClass(status, effect);
  outcome.message = ToStd(status.message());
  if (const std::optional<k8s::ApiStatus> api = k8s::ApiStatusOf(status); api.has_value()) {
    outcome.http_status = api->http_status;
    outcome.status = api->json;
  }
}

// The effect's request. kExternal is none.
Reply Send(k8s::ApiClient& api, const EffectCall& call) {
  const Effect& effect = *call.effect;
  const k8s::CallOptions options{
      .timeout = call.timeout, .stop = call.stop, .audit_id = call.operation_id};
  const k8s::WriteOptions write{.field_manager = call.spec->field_manager, .force = effect.force};
  k8s::Target target{.resource = effect.resource, .key = effect.target};
  switch (effect.kind) {
    case EffectKind::kApply:
      return api.Apply(target, effect.body, write, options);
    case EffectKind::kCreate:
    case EffectKind::kEmitEvent:
      return api.Create(target, effect.body, write, options);
    case EffectKind::kDelete:
      return api.Delete(target,
                        {.uid = effect.uid,
                         .resource_version = effect.resource_version,
                         .propagation = effect.propagation},
                        options);
    case EffectKind::kPatchStatus:
      target.subresource = "status";
      return api.JsonPatch(target, effect.body, write, options);
    case EffectKind::kAddFinalizer:
    case EffectKind::kRemoveFinalizer:
    case EffectKind::kPatch:
      return api.JsonPatch(target, effect.body, write, options);
    case EffectKind::kExternal:
      break;
  }
  return Internal("effect of kind ", static_cast<int>(effect.kind), " has no request");
}

absl::Status CallHandler(const EffectCall& call) {
  const auto handler = call.spec->externals.find(call.effect->step);
  if (handler == call.spec->externals.end()) {
    return FailedPrecondition("no handler for external step ", call.effect->step);
  }
  try {
    return handler->second({.operation_id = call.operation_id,
                            .key = call.key.object,
                            .uid = call.effect->uid,
                            .arguments = call.effect->body,
                            .timeout = call.timeout,
                            .stop = call.stop});
  } catch (const std::exception& error) {
    return Internal("handler of ", call.effect->step, " threw: ", std::string_view(error.what()));
  }
}

void PerformExternal(Outcome& outcome, const EffectCall& call) {
  const absl::Status status = CallHandler(call);
  if (status.ok()) {
    return;
  }
  outcome.kind = absl::IsCancelled(status) ? OutcomeKind::kUnknown : OutcomeKind::kFailed;
  outcome.failure_class = "External";
  outcome.message = ToStd(status.message());
}

// Whether the object that is in a create's way is the one it wanted to make: its own, from before
// a crash or from an answer that was lost.
bool IsOurs(const Object& existing, const Effect& effect) {
  if (effect.match_annotation.empty()) {
    return false;
  }
  const absl::StatusOr<Json> wanted = ParseJson(effect.body);
  const absl::StatusOr<Json> annotations = ParseJson(existing.annotations());
  if (!wanted.ok() || !annotations.ok()) {
    return false;
  }
  const std::string value =
      JsonString(*wanted, {"metadata", "annotations", effect.match_annotation});
  return !value.empty() && value == JsonString(*annotations, {effect.match_annotation});
}

void TakeForOurs(Outcome& outcome, const Object& existing) {
  outcome.kind = OutcomeKind::kSucceeded;
  outcome.failure_class.clear();
  outcome.message = "existed already";
  outcome.uid = std::string(existing.uid());
  outcome.resource_version = std::string(existing.resource_version());
}

// A thing that is gone is as good as removed.
bool WantsItGone(const Effect& effect) {
  return effect.kind == EffectKind::kDelete || effect.kind == EffectKind::kRemoveFinalizer;
}

}  // namespace

Performed EffectPerformer::Perform(const EffectCall& call) {
  Performed performed;
  const absl::Duration start = clock_.Monotonic();
  if (call.effect->kind == EffectKind::kExternal) {
    PerformExternal(performed.outcome, call);
    performed.outcome.took = clock_.Monotonic() - start;
    return performed;
  }
  const Reply reply = Send(api_, call);
  performed.outcome.took = clock_.Monotonic() - start;
  if (reply.ok()) {
    Succeed(performed.outcome, *reply);
  } else {
    Refused(performed, reply.status(), call);
  }
  return performed;
}

void EffectPerformer::Refused(Performed& performed, const absl::Status& status,
                              const EffectCall& call) {
  const Effect& effect = *call.effect;
  Outcome& outcome = performed.outcome;
  Fail(outcome, status, effect);
  if (k8s::IsObjectMissing(status)) {
    if (WantsItGone(effect)) {
      outcome.kind = OutcomeKind::kSucceeded;
    }
    outcome.failure_class = std::string(kClassGone);
    return;
  }
  const bool exists = absl::IsAlreadyExists(status);
  if (!exists && !k8s::IsConflict(status) && outcome.kind != OutcomeKind::kUnknown) {
    return;
  }
  // Somebody was faster, or it is not known who was: look before anything is decided again.
  absl::StatusOr<ObjectPtr> now = Read(effect.resource, effect.target, call.stop);
  if (!now.ok() || *now == nullptr) {
    return;
  }
  if (effect.kind == EffectKind::kCreate && IsOurs(**now, effect)) {
    TakeForOurs(outcome, **now);
  } else if (exists) {
    outcome.failure_class = std::string(kClassNameTaken);
  }
  performed.observed_resource = effect.resource;
  performed.observed = *std::move(now);
}

absl::StatusOr<ObjectPtr> EffectPerformer::Read(const Resource& resource, const ObjectKey& key,
                                                std::stop_token stop) {
  const Reply reply = api_.Get({.resource = resource, .key = key},
                               {.timeout = kReadTimeout, .stop = std::move(stop)});
  if (k8s::IsObjectMissing(reply.status())) {
    return ObjectPtr();
  }
  LOGBOOK_RETURN_IF_ERROR(reply.status());
  return Object::FromJson(reply->body);
}

}  // namespace logbook::reconcile
