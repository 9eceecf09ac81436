#include "event_text.h"

#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace logbook::cmd {
namespace {

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

// Bytes that should be JSON, as a value; as text if they are not.
Json Embedded(std::string_view text) {
  absl::StatusOr<Json> parsed = ParseJson(text);
  return parsed.ok() ? *std::move(parsed) : Json(std::string(text));
}

Json EffectAsJson(const Effect& effect) {
  Json json = {{"kind", ToString(effect.kind)},
               {"namespace", effect.target.ns},
               {"name", effect.target.name},
               {"uid", effect.uid}};
  if (!effect.resource.plural.empty()) {
    json["resource"] = effect.resource.GroupResource();
  }
  if (!effect.body.empty()) {
    json["body"] = Embedded(effect.body);
  }
  if (effect.force) {
    json["force"] = true;
  }
  if (!effect.step.empty()) {
    json["step"] = effect.step;
  }
  return json;
}

struct BodyAsJson {
  void operator()(const Observed& body) {
    json["change"] = ToString(body.change);
    json["origin"] = ToString(body.origin);
    json["contentChanged"] = body.content_changed;
    json["listed"] = body.listed;
    json["object"] = Embedded(body.object->json());
  }

  void operator()(const StreamChanged& body) {
    json["change"] = ToString(body.change);
    json["stream"] = body.identity.ToString();
    json["reason"] = body.reason;
    json["servedBy"] = body.served_by;
    json["listed"] = body.objects_listed;
    json["changed"] = body.objects_changed;
    json["vanished"] = body.objects_vanished;
  }

  void operator()(const Decided& body) {
    json["controller"] = body.key.controller;
    json["key"] = body.key.object.ToString();
    json["uid"] = body.uid;
    json["viewSeq"] = body.view_seq.value;
    json["now"] = TimeText(body.now);
    json["attempt"] = body.attempt;
    json["segment"] = body.segment;
    json["verdict"] = ToString(body.verdict);
    json["reason"] = body.reason;
    if (body.due != absl::InfiniteFuture()) {
      json["due"] = TimeText(body.due);
    }
    json["effects"] = Json::array();
    for (const Effect& effect : body.effects) {
      json["effects"].push_back(EffectAsJson(effect));
    }
  }

  void operator()(const OutcomeRecorded& body) {
    const Outcome& outcome = body.outcome;
    json["controller"] = body.key.controller;
    json["key"] = body.key.object.ToString();
    json["decided"] = outcome.decided.value;
    json["ordinal"] = outcome.ordinal;
    json["outcome"] = ToString(outcome.kind);
    json["class"] = outcome.failure_class;
    json["message"] = outcome.message;
    json["httpStatus"] = outcome.http_status;
    json["uid"] = outcome.uid;
    json["created"] = outcome.created;
    json["milliseconds"] = absl::ToInt64Milliseconds(outcome.took);
    json["attempts"] = body.attempts_after;
    if (!outcome.response.empty()) {
      json["response"] = Embedded(outcome.response);
    }
  }

  void operator()(const Marked& body) { json["reason"] = body.reason; }

  void operator()(const Leadership& body) {
    json["holder"] = body.holder;
    json["term"] = body.term;
  }

  void operator()(const Admin& body) {
    json["who"] = body.who;
    json["action"] = body.action;
    json["why"] = body.why;
  }

  void operator()(const BuildStarted& body) {
    json["build"] = body.build_id;
    json["version"] = body.version;
    json["operator"] = body.operator_name;
    json["cluster"] = body.cluster;
    json["changed"] = body.changed;
  }

  void operator()(const Quarantined& body) {
    json["error"] = body.error;
    json["bytes"] = body.bytes.size();
  }

  void operator()(const Gap& body) {
    json["reason"] = body.reason;
    json["firstMissing"] = body.first_missing.value;
    json["lastMissing"] = body.last_missing.value;
  }

  Json& json;
};

// What happened, in a few words.
struct BodyAsText {
  std::string operator()(const Observed& body) const {
    return Concat(ToString(body.change), " by ", ToString(body.origin), "  rv ",
                  body.object->resource_version(), body.content_changed ? "" : "  (unchanged)");
  }

  std::string operator()(const StreamChanged& body) const {
    return Concat(body.identity.ToString(), ": ", ToString(body.change),
                  body.reason.empty() ? "" : "  ", body.reason);
  }

  std::string operator()(const Decided& body) const {
    std::vector<std::string> effects;
    for (const Effect& effect : body.effects) {
      effects.push_back(effect.kind == EffectKind::kExternal
                            ? Concat("external ", effect.step)
                            : Concat(ToString(effect.kind), " ", effect.resource.plural));
    }
    return Concat(body.segment, ": ", effects.empty() ? "nothing" : absl::StrJoin(effects, ", "),
                  "  (", body.reason, ")");
  }

  std::string operator()(const OutcomeRecorded& body) const {
    const Outcome& outcome = body.outcome;
    return Concat(ToString(outcome.kind), outcome.created ? ", created" : "",
                  outcome.failure_class.empty() ? "" : "  ", outcome.failure_class,
                  outcome.message.empty() ? "" : ": ", outcome.message, "  ",
                  absl::ToInt64Milliseconds(outcome.took), " ms");
  }

  std::string operator()(const Marked& body) const { return body.reason; }

  std::string operator()(const Leadership& body) const { return Concat("held by ", body.holder); }

  std::string operator()(const Admin& body) const { return Concat(body.who, " ", body.action); }

  std::string operator()(const BuildStarted& body) const {
    return Concat(body.version, " ", body.build_id.substr(0, 12),
                  body.changed ? "  (changed: every object is looked at)" : "");
  }

  std::string operator()(const Quarantined& body) const { return body.error; }

  std::string operator()(const Gap& body) const { return body.reason; }
};

std::string CausesText(const Event& event) {
  std::vector<uint64_t> causes;
  for (EventSeq cause : event.causes) {
    causes.push_back(cause.value);
  }
  return causes.empty() ? "" : Concat("  <- ", absl::StrJoin(causes, ","));
}

}  // namespace

Json EventAsJson(const Event& event) {
  Json json = {{"seq", event.seq.value},
               {"run", event.run.value},
               {"time", TimeText(event.wall_time)},
               {"kind", ToString(event.kind())},
               {"stream", event.stream.value},
               {"resourceVersion", event.resource_version},
               {"subjects", Json::array()},
               {"causes", Json::array()},
               {"marks", Json::array()}};
  for (const ObjectRef& subject : event.subjects) {
    json["subjects"].push_back({{"resource", subject.resource},
                                {"namespace", subject.key.ns},
                                {"name", subject.key.name},
                                {"uid", subject.uid}});
  }
  for (EventSeq cause : event.causes) {
    json["causes"].push_back(cause.value);
  }
  for (const Mark& mark : event.marks) {
    json["marks"].push_back({{"controller", mark.key.controller},
                             {"key", mark.key.object.ToString()},
                             {"reason", ToString(mark.reason)}});
  }
  Json body = Json::object();
  std::visit(BodyAsJson{body}, event.body);
  json[std::string(ToString(event.kind()))] = std::move(body);
  return json;
}

std::string EventAsLine(const Event& event) {
  const std::string subject = event.subjects.empty() ? "" : event.subjects.front().ToString();
  return absl::StrFormat("%8d  %s  %-14s  %-44s  %s%s", event.seq.value,
                         absl::FormatTime("%H:%M:%E3S", event.wall_time, absl::UTCTimeZone()),
                         std::string(ToString(event.kind())), subject,
                         std::visit(BodyAsText{}, event.body), CausesText(event));
}

}  // namespace logbook::cmd
