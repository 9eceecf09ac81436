#include "logbook/operators/simpleapp/status.h"

#include <array>
#include <utility>
#include <vector>

#include "logbook/model/conditions.h"
#include "logbook/model/json_patch.h"

namespace logbook::operators {
namespace {

Condition MakeCondition(std::string_view type, bool status, const Phase& phase) {
  return {.type = std::string(type),
          .status = status ? "True" : "False",
          .reason = phase.reason,
          .message = phase.message};
}

const Json& ExistingConditions(const SimpleApp& app) {
  static const Json none = Json::array();
  const Json* conditions = JsonAt(app.status, {"conditions"});
  return conditions == nullptr ? none : *conditions;
}

std::vector<Condition> ConditionsOf(const SimpleApp& app, const Phase& phase) {
  std::vector<Condition> conditions = {
      MakeCondition("Available", phase.name == kAvailable, phase),
      MakeCondition("Progressing", phase.name == kPending || phase.name == kProgressing, phase),
      MakeCondition("Degraded", phase.name == kFailed, phase)};
  const bool name_taken = phase.reason == kClassNameTaken;
  // Said once it was true, and taken back afterwards; most apps never hear of it.
  if (name_taken || FindCondition(ExistingConditions(app), kClassNameTaken) != nullptr) {
    conditions.push_back(MakeCondition(kClassNameTaken, name_taken, phase));
  }
  return conditions;
}

// From the object's status to `wanted`; nullopt if they are equal. lastUpdated moves along, but
// never alone.
std::optional<Effect> StatusEffect(const Json& object, const SimpleApp& app, Json wanted,
                                   absl::Time now) {
  if (wanted == app.status) {
    return std::nullopt;
  }
  wanted["lastUpdated"] = Rfc3339Seconds(now);
  const std::optional<Json> patch = StatusPatch(object, wanted);
  if (!patch.has_value()) {
    return std::nullopt;  // changed within a second of the last change, and back
  }
  return Effect{.kind = EffectKind::kPatchStatus,
                .resource = Known(kSimpleAppResource, kSimpleAppKind),
                .target = app.key,
                .uid = app.uid,
                .body = DumpJson(*patch)};
}

Json WantedStatus(const SimpleApp& app, const Phase& phase, absl::Time now) {
  Json wanted = app.status;
  wanted["phase"] = phase.name;
  wanted["readyReplicas"] = phase.ready_replicas;
  wanted["message"] = phase.message;
  wanted["observedGeneration"] = app.generation;
  wanted["conditions"] = MergeConditions(ExistingConditions(app), ConditionsOf(app, phase),
                                         app.generation, Rfc3339Seconds(now));
  if (app.host.empty()) {
    wanted.erase("url");
  } else {
    wanted["url"] = Concat("http://", app.host);
  }
  return wanted;
}

// Whether `phase` differs from what the status says in details only.
bool OnlyDetailsMoved(const SimpleApp& app, const Phase& phase, const Json& wanted) {
  return (phase.name == kPending || phase.name == kProgressing) &&
         JsonString(app.status, {"phase"}) == phase.name &&
         JsonInt(app.status, {"observedGeneration"}) == app.generation &&
         JsonString(app.status, {"url"}) == JsonString(wanted, {"url"});
}

}  // namespace

StatusPlan PlanStatus(const Json& object, const SimpleApp& app, const Phase& phase,
                      absl::Time now) {
  const Json wanted = WantedStatus(app, phase, now);
  StatusPlan plan;
  absl::Time last;
  const bool recent = absl::ParseTime(absl::RFC3339_full, JsonString(app.status, {"lastUpdated"}),
                                      &last, nullptr) &&
                      now < last + kDetailsInterval;
  if (recent && wanted != app.status && OnlyDetailsMoved(app, phase, wanted)) {
    plan.wait = last + kDetailsInterval - now;
  } else {
    plan.effect = StatusEffect(object, app, wanted, now);
  }
  return plan;
}

std::optional<Effect> PlanTerminating(const Json& object, const SimpleApp& app,
                                      const std::string& reason, const std::string& message,
                                      absl::Time now) {
  const std::array<Condition, 1> terminating = {
      Condition{.type = "Terminating", .status = "True", .reason = reason, .message = message}};
  Json wanted = app.status;
  wanted["conditions"] =
      MergeConditions(ExistingConditions(app), terminating, app.generation, Rfc3339Seconds(now));
  return StatusEffect(object, app, std::move(wanted), now);
}

}  // namespace logbook::operators
