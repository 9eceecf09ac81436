#include "logbook/reconcile/outcome_recorder.h"

#include <algorithm>
#include <utility>

#include "logbook/base/backoff.h"
#include "logbook/model/echo.h"
#include "logbook/reconcile/observation.h"

namespace logbook::reconcile {
namespace {

// Conflicts are tried again at once, but the third in a row waits like any failure.
constexpr uint32_t kConflictsAtOnce = 2;

// A response to a write of ours, compared with what the view had when it was sent.
struct Response {
  ObjectPtr object;      // null: the answer was no object
  std::string resource;  // "deployments.apps"
  bool echo = false;     // it shows our change and nobody else's
  bool changed = false;  // by the write; else it was there when the write was sent
};

// The members that a JSON patch sets, as an object; one that it removes is null.
Json ClaimsOfPatch(const Json& operations) {
  Json claims = Json::object();
  for (const Json& operation : operations) {
    if (JsonString(operation, {"op"}) != "test") {
      const Json* value = JsonAt(operation, {"value"});
      claims[Json::json_pointer(JsonString(operation, {"path"}))] =
          value == nullptr ? Json() : *value;
    }
  }
  return claims;
}

// What an effect's body claims as ours, as an object.
Json Claims(const Effect& effect, const Redactor& redactor) {
  if (effect.kind == EffectKind::kAddFinalizer || effect.kind == EffectKind::kRemoveFinalizer) {
    return {{"metadata", {{"finalizers", {effect.finalizer}}}}};
  }
  absl::StatusOr<Json> body = ParseJson(redactor.BodyOf(effect));
  if (!body.ok()) {
    return Json::object();
  }
  return effect.kind == EffectKind::kPatchStatus ? ClaimsOfPatch(*body) : *std::move(body);
}

Response Compare(const PlanRun& plan, const Effect& effect, const Performed& performed,
                 const Redactor& redactor) {
  Response response{.resource = effect.resource.GroupResource()};
  absl::StatusOr<ObjectPtr> object = Object::FromJson(performed.outcome.response);
  if (!object.ok()) {
    return response;
  }
  response.object = *std::move(object);
  const ObjectPtr& prior = performed.prior;
  response.changed = prior == nullptr || prior->content() != response.object->content();
  if (effect.kind == EffectKind::kPatch) {
    return response;  // it prepares an apply, which is yet to come: look again
  }
  if (prior == nullptr || prior->uid() != response.object->uid()) {
    response.echo = performed.outcome.created;
  } else {
    response.echo =
        !response.changed ||
        ChangedOnlyWithin(prior->Tree(), response.object->Tree(), Claims(effect, redactor),
                          plan.spec->field_manager, response.resource);
  }
  return response;
}

// Whom the response concerns: everybody if somebody else's change came with it, else everybody but
// the key that wrote.
std::vector<Mark> ResponseMarks(const ViewState& view, const ObjectEntry* current,
                                const MarkTable& table, const Response& response,
                                const ControllerKey& writer_key) {
  std::vector<Mark> marks =
      table.Marks(view, response.resource, current == nullptr ? nullptr : current->object.get(),
                  response.object.get());
  if (response.echo) {
    std::erase_if(marks, [&](const Mark& mark) { return mark.key == writer_key; });
  } else {
    for (Mark& mark : marks) {
      mark.reason = mark.key == writer_key ? MarkReason::kForeign : mark.reason;
    }
  }
  return marks;
}

// How often the key has failed in a row now, and when it is due because of that.
void CountAttempts(OutcomeRecorded& body, std::vector<Mark>& marks, const PlanRun& plan,
                   const OutcomeContext& context) {
  const uint32_t before = plan.decision.attempt;
  if (context.recovered) {
    body.attempts_after = before;
    if (body.outcome.last) {
      marks.push_back({.key = plan.decision.key, .reason = MarkReason::kRecovered});
    }
    return;
  }
  if (!context.plan_failed) {
    const bool settled = body.outcome.last && plan.decision.verdict == Verdict::kSettled;
    body.attempts_after = settled ? 0 : plan.decision.attempts_after;
    return;
  }
  body.attempts_after = before + 1;
  if (context.only_conflicts && before < kConflictsAtOnce) {
    if (body.outcome.failure_class == kClassConflict) {
      marks.push_back({.key = plan.decision.key, .reason = MarkReason::kConflicted});
    }
    body.due = body.outcome.at;
  } else {
    body.due = body.outcome.at + KeyBackoff(static_cast<int>(before) + 1);
  }
}

// Whom the outcome is about: what was written, and the object it was written for.
std::vector<ObjectRef> SubjectsOf(const Decided& decision, const Effect& effect,
                                  const Outcome& outcome) {
  const bool external = effect.kind == EffectKind::kExternal;
  const std::string resource = external ? decision.resource : effect.resource.GroupResource();
  std::vector<ObjectRef> subjects = {{.resource = resource,
                                      .key = effect.target,
                                      .uid = outcome.uid.empty() ? effect.uid : outcome.uid}};
  if (effect.target != decision.key.object || resource != decision.resource) {
    subjects.push_back(
        {.resource = decision.resource, .key = decision.key.object, .uid = decision.uid});
  }
  return subjects;
}

// Enters the response into the view, and marks whom it concerns.
void AddResponse(Event& event, OutcomeRecorded& body, const ViewState& view, const MarkTable& table,
                 const Response& response) {
  if (response.object == nullptr) {
    return;
  }
  event.stream = StreamOf(view, body.target, event.subjects.front().key.ns);
  if (event.stream == StreamId() ||
      !IsNews(view, event.stream, response.resource, *response.object)) {
    return;
  }
  const ObjectEntry* current = view.FindObject(response.resource, response.object->key());
  body.content_changed =
      current == nullptr || current->object->content() != response.object->content();
  if (body.content_changed) {
    event.marks = ResponseMarks(view, current, table, response, body.key);
  } else if (response.echo && response.changed) {
    body.echo = current->seq;  // the watch was faster than the answer
  }
}

}  // namespace

absl::Status OutcomeRecorder::Record(const PlanRun& plan, const Performed& performed,
                                     const OutcomeContext& context) {
  const Decided& decision = plan.decision;
  const Outcome& outcome = performed.outcome;
  const Effect& effect = decision.effects[outcome.ordinal];
  const Response response = Compare(plan, effect, performed, writer_.redactor());
  const auto propose = [&](Draft& draft) {
    if (performed.observed != nullptr) {
      AddRead(draft, performed.observed_resource, performed.observed);
    }
    Event event{.subjects = SubjectsOf(decision, effect, outcome),
                .resource_version = outcome.resource_version,
                .causes = {plan.decided}};
    OutcomeRecorded body{.key = decision.key,
                         .resource = decision.resource,
                         .outcome = outcome,
                         .target = effect.resource};
    AddResponse(event, body, draft.view(), marks_, response);
    CountAttempts(body, event.marks, plan, context);
    event.body = std::move(body);
    draft.Add(std::move(event));
    if (context.must_sync) {
      draft.RequireSync();
    }
  };
  return writer_.SubmitAndWait(propose, outcome.response.size());
}

void OutcomeRecorder::Redact(const Effect& effect, Outcome& outcome) const {
  writer_.redactor().Redact(effect.resource.GroupResource(), outcome);
}

ObjectPtr OutcomeRecorder::TargetInView(const Effect& effect) const {
  const ViewStatePtr view = writer_.view();
  const ObjectEntry* entry = view->FindObject(effect.resource.GroupResource(), effect.target);
  return entry == nullptr ? nullptr : entry->object;
}

absl::Status OutcomeRecorder::Observe(const Resource& resource, const ObjectPtr& object) {
  return writer_.SubmitAndWait([&](Draft& draft) { AddRead(draft, resource, object); },
                               object->json().size());
}

void OutcomeRecorder::AddRead(Draft& draft, const Resource& resource, const ObjectPtr& read) const {
  const ObjectPtr object = writer_.redactor().Redact(resource.GroupResource(), read);
  AddObservation(draft, marks_,
                 {.origin = Origin::kGet,
                  .stream = StreamOf(draft.view(), resource, std::string(object->ns())),
                  .resource = resource,
                  .object = object});
}

}  // namespace logbook::reconcile
