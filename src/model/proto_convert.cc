#include "logbook/model/proto_convert.h"

namespace logbook {

int64_t ToNanos(absl::Time time) {
  if (time == absl::InfiniteFuture() || time == absl::InfinitePast()) {
    return 0;
  }
  return absl::ToUnixNanos(time);
}

absl::Time FromNanos(int64_t nanos, absl::Time if_zero) {
  return nanos == 0 ? if_zero : absl::FromUnixNanos(nanos);
}

v1::ObjectRef ToProto(const ObjectRef& ref) {
  v1::ObjectRef proto;
  proto.set_resource(ref.resource);
  proto.set_namespace_(ref.key.ns);
  proto.set_name(ref.key.name);
  proto.set_uid(ref.uid);
  return proto;
}

ObjectRef FromProto(const v1::ObjectRef& proto) {
  return {.resource = proto.resource(),
          .key = {.ns = proto.namespace_(), .name = proto.name()},
          .uid = proto.uid()};
}

v1::Resource ToProto(const Resource& resource) {
  v1::Resource proto;
  proto.set_group(resource.group);
  proto.set_version(resource.version);
  proto.set_plural(resource.plural);
  proto.set_kind(resource.kind);
  proto.set_namespaced(resource.namespaced);
  return proto;
}

Resource FromProto(const v1::Resource& proto) {
  return {.group = proto.group(),
          .version = proto.version(),
          .plural = proto.plural(),
          .kind = proto.kind(),
          .namespaced = proto.namespaced()};
}

v1::Mark ToProto(const Mark& mark) {
  v1::Mark proto;
  proto.set_controller(mark.key.controller);
  proto.set_namespace_(mark.key.object.ns);
  proto.set_name(mark.key.object.name);
  proto.set_reason(static_cast<v1::MarkReason>(mark.reason));
  proto.set_low_priority(mark.low_priority);
  return proto;
}

Mark FromProto(const v1::Mark& proto) {
  return {.key = {.controller = proto.controller(),
                  .object = {.ns = proto.namespace_(), .name = proto.name()}},
          .reason = static_cast<MarkReason>(proto.reason()),
          .low_priority = proto.low_priority()};
}

v1::Effect ToProto(const Effect& effect) {
  v1::Effect proto;
  proto.set_kind(static_cast<v1::EffectKind>(effect.kind));
  *proto.mutable_resource() = ToProto(effect.resource);
  proto.mutable_target()->set_namespace_(effect.target.ns);
  proto.mutable_target()->set_name(effect.target.name);
  proto.mutable_target()->set_uid(effect.uid);
  proto.set_body(effect.body);
  proto.set_force(effect.force);
  proto.set_resource_version(effect.resource_version);
  proto.set_step(effect.step);
  proto.set_finalizer(effect.finalizer);
  proto.set_match_annotation(effect.match_annotation);
  proto.set_propagation(effect.propagation);
  return proto;
}

Effect FromProto(const v1::Effect& proto) {
  return {.kind = static_cast<EffectKind>(proto.kind()),
          .resource = FromProto(proto.resource()),
          .target = {.ns = proto.target().namespace_(), .name = proto.target().name()},
          .uid = proto.target().uid(),
          .body = proto.body(),
          .force = proto.force(),
          .resource_version = proto.resource_version(),
          .step = proto.step(),
          .finalizer = proto.finalizer(),
          .match_annotation = proto.match_annotation(),
          .propagation = proto.propagation()};
}

v1::StreamIdentity ToProto(const StreamIdentity& identity) {
  v1::StreamIdentity proto;
  proto.set_cluster(identity.cluster);
  *proto.mutable_resource() = ToProto(identity.resource);
  proto.set_namespace_(identity.ns);
  proto.set_label_selector(identity.label_selector);
  proto.set_field_selector(identity.field_selector);
  return proto;
}

StreamIdentity FromProto(const v1::StreamIdentity& proto) {
  return {.cluster = proto.cluster(),
          .resource = FromProto(proto.resource()),
          .ns = proto.namespace_(),
          .label_selector = proto.label_selector(),
          .field_selector = proto.field_selector()};
}

v1::ObjectRef KeyToProto(const ControllerKey& key, const std::string& resource,
                         const std::string& uid) {
  return ToProto(ObjectRef{.resource = resource, .key = key.object, .uid = uid});
}

ControllerKey KeyFromProto(const std::string& controller, const v1::ObjectRef& proto) {
  return {.controller = controller, .object = {.ns = proto.namespace_(), .name = proto.name()}};
}

v1::StreamChanged ToProto(const StreamChanged& body) {
  v1::StreamChanged proto;
  proto.set_change(static_cast<v1::StreamChange>(body.change));
  *proto.mutable_identity() = ToProto(body.identity);
  proto.set_served_by(body.served_by);
  proto.set_reason(body.reason);
  proto.set_generation(body.generation);
  proto.set_objects_listed(body.objects_listed);
  proto.set_objects_changed(body.objects_changed);
  proto.set_objects_vanished(body.objects_vanished);
  return proto;
}

StreamChanged FromProto(const v1::StreamChanged& proto) {
  return {.change = static_cast<StreamChange>(proto.change()),
          .identity = FromProto(proto.identity()),
          .served_by = proto.served_by(),
          .reason = proto.reason(),
          .generation = proto.generation(),
          .objects_listed = proto.objects_listed(),
          .objects_changed = proto.objects_changed(),
          .objects_vanished = proto.objects_vanished()};
}

v1::Decided ToProto(const Decided& body) {
  v1::Decided proto;
  proto.set_controller(body.key.controller);
  *proto.mutable_key() = KeyToProto(body.key, body.resource, body.uid);
  proto.set_view_seq(body.view_seq.value);
  proto.set_now_unix_nanos(ToNanos(body.now));
  proto.set_attempt(body.attempt);
  for (const Effect& effect : body.effects) {
    *proto.add_effects() = ToProto(effect);
  }
  proto.set_reason(body.reason);
  proto.set_verdict(static_cast<v1::Verdict>(body.verdict));
  proto.set_due_unix_nanos(ToNanos(body.due));
  proto.set_segment(body.segment);
  proto.set_attempts_after(body.attempts_after);
  return proto;
}

Decided FromProto(const v1::Decided& proto) {
  Decided body{.key = KeyFromProto(proto.controller(), proto.key()),
               .resource = proto.key().resource(),
               .uid = proto.key().uid(),
               .view_seq = EventSeq(proto.view_seq()),
               .now = FromNanos(proto.now_unix_nanos(), absl::UnixEpoch()),
               .attempt = proto.attempt(),
               .effects = {},
               .reason = proto.reason(),
               .verdict = static_cast<Verdict>(proto.verdict()),
               .due = FromNanos(proto.due_unix_nanos(), absl::InfiniteFuture()),
               .segment = proto.segment(),
               .attempts_after = proto.attempts_after()};
  for (const v1::Effect& effect : proto.effects()) {
    body.effects.push_back(FromProto(effect));
  }
  return body;
}

v1::Outcome ToProto(const OutcomeRecorded& body) {
  const Outcome& outcome = body.outcome;
  v1::Outcome proto;
  proto.set_controller(body.key.controller);
  *proto.mutable_key() = KeyToProto(body.key, body.resource, "");
  proto.set_decided(outcome.decided.value);
  proto.set_ordinal(outcome.ordinal);
  proto.set_kind(static_cast<v1::OutcomeKind>(outcome.kind));
  proto.set_class_(outcome.failure_class);
  proto.set_message(outcome.message);
  proto.set_http_status(outcome.http_status);
  proto.set_uid(outcome.uid);
  proto.set_resource_version(outcome.resource_version);
  proto.set_response(outcome.response);
  proto.set_status(outcome.status);
  proto.set_at_unix_nanos(ToNanos(outcome.at));
  proto.set_attempts_after(body.attempts_after);
  proto.set_due_unix_nanos(ToNanos(body.due));
  proto.set_created(outcome.created);
  proto.set_milliseconds(static_cast<uint32_t>(absl::ToInt64Milliseconds(outcome.took)));
  proto.set_last(outcome.last);
  *proto.mutable_target() = ToProto(body.target);
  proto.set_echo(body.echo.value);
  return proto;
}

OutcomeRecorded FromProto(const v1::Outcome& proto) {
  OutcomeRecorded body{.key = KeyFromProto(proto.controller(), proto.key()),
                       .resource = proto.key().resource(),
                       .outcome = {},
                       .target = FromProto(proto.target()),
                       .attempts_after = proto.attempts_after(),
                       .due = FromNanos(proto.due_unix_nanos(), absl::InfiniteFuture()),
                       .echo = EventSeq(proto.echo())};
  body.outcome = {.decided = EventSeq(proto.decided()),
                  .ordinal = proto.ordinal(),
                  .kind = static_cast<OutcomeKind>(proto.kind()),
                  .failure_class = proto.class_(),
                  .message = proto.message(),
                  .http_status = proto.http_status(),
                  .uid = proto.uid(),
                  .resource_version = proto.resource_version(),
                  .response = proto.response(),
                  .status = proto.status(),
                  .at = FromNanos(proto.at_unix_nanos(), absl::UnixEpoch()),
                  .took = absl::Milliseconds(proto.milliseconds()),
                  .created = proto.created(),
                  .last = proto.last()};
  return body;
}

v1::Build ToProto(const BuildStarted& body) {
  v1::Build proto;
  proto.set_build_id(body.build_id);
  proto.set_version(body.version);
  proto.set_operator_name(body.operator_name);
  proto.set_cluster(body.cluster);
  proto.set_configuration(body.configuration);
  for (const std::string& controller : body.controllers) {
    proto.add_controllers(controller);
  }
  proto.set_changed(body.changed);
  return proto;
}

BuildStarted FromProto(const v1::Build& proto) {
  return {.build_id = proto.build_id(),
          .version = proto.version(),
          .operator_name = proto.operator_name(),
          .cluster = proto.cluster(),
          .configuration = proto.configuration(),
          .controllers = {proto.controllers().begin(), proto.controllers().end()},
          .changed = proto.changed()};
}

}  // namespace logbook
