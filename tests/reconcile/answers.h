// What an API server answers, for tests that decide on it.
#ifndef LOGBOOK_TESTS_RECONCILE_ANSWERS_H_
#define LOGBOOK_TESTS_RECONCILE_ANSWERS_H_

#include <string>
#include <string_view>
#include <utility>

#include "logbook/base/json.h"
#include "logbook/base/status.h"
#include "logbook/k8s/api_client.h"
#include "logbook/k8s/api_status.h"
#include "logbook/k8s/transport_status.h"

namespace logbook::reconcile {

inline constexpr int kHttpOk = 200;
inline constexpr int kHttpCreated = 201;

inline k8s::ApiReply Answer(const Json& object, int http_status = kHttpOk) {
  return {.http_status = http_status, .body = DumpJson(object)};
}

// A delete that was carried out at once.
inline k8s::ApiReply AnswerDone() {
  return Answer({{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Success"}});
}

// A Status as the server writes it, for an object called "web".
inline absl::Status Refuse(k8s::Verb verb, int code, std::string_view reason,
                           const Json& causes = Json::array()) {
  const std::string body = DumpJson({{"kind", "Status"},
                                     {"apiVersion", "v1"},
                                     {"status", "Failure"},
                                     {"message", Concat("refused with ", reason)},
                                     {"reason", reason},
                                     {"details", {{"name", "web"}, {"causes", causes}}},
                                     {"code", code}});
  return k8s::StatusOfAnswer({.verb = verb, .http_status = code, .body = body});
}

inline Json Because(std::string_view reason, std::string_view field = "") {
  return Json::array({{{"reason", reason}, {"message", "why"}, {"field", field}}});
}

inline absl::Status NoSuchObject(k8s::Verb verb = k8s::Verb::kGet) {
  return Refuse(verb, 404, "NotFound");
}

// The connection broke after the request had left.
inline absl::Status ConnectionBroke() {
  return k8s::TransportError(absl::StatusCode::kUnavailable, "connection reset",
                             k8s::Sent::kPerhaps);
}

// No connection came about.
inline absl::Status ConnectionRefused() {
  return k8s::TransportError(absl::StatusCode::kUnavailable, "connection refused", k8s::Sent::kNo);
}

}  // namespace logbook::reconcile

#endif  // LOGBOOK_TESTS_RECONCILE_ANSWERS_H_
