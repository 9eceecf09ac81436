#include "logbook/k8s/api_status.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "logbook/base/json.h"
#include "logbook/k8s/transport_status.h"

namespace logbook::k8s {
namespace {

constexpr char kAnswerUrl[] = "logbook.dev/k8s/answer";
constexpr size_t kTextBytesMax = 2048;     // of an answer that is no Status
constexpr size_t kMessageBytesMax = 1024;  // of the one-line message

struct Rule {
  std::string_view reason;
  int code;
  absl::StatusCode status;
};

// metav1.StatusReason, with the codes the server sends it with.
constexpr Rule kRules[] = {
    {"BadRequest", 400, absl::StatusCode::kInvalidArgument},
    {"Unauthorized", 401, absl::StatusCode::kUnauthenticated},
    {"Forbidden", 403, absl::StatusCode::kPermissionDenied},
    {"NotFound", 404, absl::StatusCode::kNotFound},
    {"MethodNotAllowed", 405, absl::StatusCode::kInvalidArgument},
    {"NotAcceptable", 406, absl::StatusCode::kInvalidArgument},
    {"Conflict", 409, absl::StatusCode::kAborted},
    {"AlreadyExists", 409, absl::StatusCode::kAlreadyExists},
    {"Gone", 410, absl::StatusCode::kOutOfRange},
    {"Expired", 410, absl::StatusCode::kOutOfRange},
    {"RequestEntityTooLarge", 413, absl::StatusCode::kInvalidArgument},
    {"UnsupportedMediaType", 415, absl::StatusCode::kInvalidArgument},
    {"Invalid", 422, absl::StatusCode::kInvalidArgument},
    {"TooManyRequests", 429, absl::StatusCode::kResourceExhausted},
    {"InternalError", 500, absl::StatusCode::kUnavailable},
    {"ServerTimeout", 500, absl::StatusCode::kUnavailable},
    {"StorageReadError", 500, absl::StatusCode::kUnavailable},
    {"ServiceUnavailable", 503, absl::StatusCode::kUnavailable},
    {"Timeout", 504, absl::StatusCode::kDeadlineExceeded},
};

absl::StatusCode CodeOfNumber(int code, Verb verb) {
  if (code == 409 && verb == Verb::kCreate) {
    return absl::StatusCode::kAlreadyExists;
  }
  for (const Rule& rule : kRules) {
    if (rule.code == code) {
      return rule.status;
    }
  }
  if (code >= 500) {
    return absl::StatusCode::kUnavailable;
  }
  // A redirect is refused rather than followed: the server's address is not the API's.
  return code >= 300 ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kUnknown;
}

absl::StatusCode CodeOf(const ApiStatus& api, Verb verb) {
  // The `test` of a JSON patch that fails is 422 too, but says nothing about fields.
  if (verb == Verb::kJsonPatch && api.code == 422 && api.causes.empty()) {
    return absl::StatusCode::kAborted;
  }
  for (const Rule& rule : kRules) {
    if (rule.reason == api.reason) {
      return rule.status;
    }
  }
  return CodeOfNumber(api.code, verb);
}

// `text` on one line and of bounded length.
std::string OneLine(std::string_view text) {
  std::string line(absl::StripAsciiWhitespace(ToAbsl(text.substr(0, kMessageBytesMax))));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return absl::ascii_iscntrl(c); }, ' ');
  return line;
}

std::optional<absl::Duration> Seconds(std::string_view text) {
  int64_t seconds = 0;
  if (!absl::SimpleAtoi(ToAbsl(text), &seconds) || seconds < 0) {
    return std::nullopt;  // absent, or the form with a date, which Kubernetes does not send
  }
  return absl::Seconds(seconds);
}

void TakeDetails(const Json& tree, ApiStatus& api) {
  api.name = JsonString(tree, {"details", "name"});
  api.group = JsonString(tree, {"details", "group"});
  api.kind = JsonString(tree, {"details", "kind"});
  api.uid = JsonString(tree, {"details", "uid"});
  const int64_t retry_seconds = JsonInt(tree, {"details", "retryAfterSeconds"});
  if (!api.retry_after.has_value() && retry_seconds > 0) {
    api.retry_after = absl::Seconds(retry_seconds);
  }
  const Json* causes = JsonAt(tree, {"details", "causes"});
  if (causes == nullptr || !causes->is_array()) {
    return;
  }
  for (const Json& cause : *causes) {
    api.causes.push_back({.reason = JsonString(cause, {"reason"}),
                          .message = JsonString(cause, {"message"}),
                          .field = JsonString(cause, {"field"})});
  }
}

ApiStatus Decode(int http_status, std::string_view retry_after, std::string_view audit_id,
                 std::string_view body) {
  ApiStatus api;
  api.http_status = http_status;
  api.code = http_status;
  api.retry_after = Seconds(retry_after);
  api.audit_id = audit_id;
  const absl::StatusOr<Json> tree = ParseJson(body);
  if (!tree.ok() || JsonString(*tree, {"kind"}) != "Status") {
    api.message = body.substr(0, kTextBytesMax);
    return api;
  }
  api.json = body;
  api.code = static_cast<int>(JsonInt(*tree, {"code"}, http_status));
  api.reason = JsonString(*tree, {"reason"});
  api.message = JsonString(*tree, {"message"});
  TakeDetails(*tree, api);
  return api;
}

absl::Status Encode(const ErrorAnswer& answer) {
  const ApiStatus api =
      Decode(answer.http_status, answer.retry_after, answer.audit_id, answer.body);
  std::string message =
      Concat(api.code, api.reason.empty() ? "" : " ", api.reason, ": ", OneLine(api.message));
  absl::Status status(CodeOf(api, answer.verb), message);
  const Json payload = {{"http_status", api.http_status},
                        {"retry_after", std::string(answer.retry_after)},
                        {"audit_id", api.audit_id},
                        {"body", api.json.empty() ? api.message : api.json}};
  status.SetPayload(kAnswerUrl, absl::Cord(DumpJson(payload)));
  return status;
}

bool HasCause(const absl::Status& status, std::string_view reason) {
  const std::optional<ApiStatus> api = ApiStatusOf(status);
  return api.has_value() && api->HasCause(reason);
}

}  // namespace

bool ApiStatus::HasCause(std::string_view cause_reason) const {
  return std::any_of(causes.begin(), causes.end(),
                     [&](const ApiCause& cause) { return cause.reason == cause_reason; });
}

absl::Status StatusOfAnswer(const ErrorAnswer& answer) {
  return Encode(answer);
}

absl::Status StatusOfErrorEvent(std::string_view object) {
  return Encode({.verb = Verb::kWatch, .http_status = 0, .body = object});
}

std::optional<ApiStatus> ApiStatusOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kAnswerUrl);
  if (!payload.has_value()) {
    return std::nullopt;
  }
  const absl::StatusOr<Json> tree = ParseJson(std::string(*payload));
  if (!tree.ok()) {
    return std::nullopt;
  }
  return Decode(static_cast<int>(JsonInt(*tree, {"http_status"})),
                JsonString(*tree, {"retry_after"}), JsonString(*tree, {"audit_id"}),
                JsonString(*tree, {"body"}));
}

bool IsConflict(const absl::Status& status) {
  return absl::IsAborted(status) && ApiStatusOf(status).has_value();
}

bool IsFieldManagerConflict(const absl::Status& status) {
  return IsConflict(status) && HasCause(status, "FieldManagerConflict");
}

bool IsNamespaceTerminating(const absl::Status& status) {
  return absl::IsPermissionDenied(status) && HasCause(status, "NamespaceTerminating");
}

bool IsObjectMissing(const absl::Status& status) {
  const std::optional<ApiStatus> api = ApiStatusOf(status);
  return api.has_value() && api->reason == "NotFound" && !api->name.empty();
}

bool IsKindMissing(const absl::Status& status) {
  return absl::IsNotFound(status) && ApiStatusOf(status).has_value() && !IsObjectMissing(status);
}

bool IsVersionTooLarge(const absl::Status& status) {
  const std::optional<ApiStatus> api = ApiStatusOf(status);
  // Servers before 1.19 give no cause (kubernetes/kubernetes#94315).
  return api.has_value() && (api->HasCause("ResourceVersionTooLarge") ||
                             api->message.find("Too large resource version") != std::string::npos);
}

bool IsOutcomeUnknown(const absl::Status& status) {
  if (const std::optional<Sent> sent = SentOf(status)) {
    return *sent == Sent::kPerhaps;
  }
  const std::optional<ApiStatus> api = ApiStatusOf(status);
  // With Retry-After, 503 comes from the server's own doors, before any work was done.
  return api.has_value() && api->http_status >= 500 &&
         !(api->http_status == 503 && api->retry_after.has_value());
}

std::optional<absl::Duration> RetryAfterOf(const absl::Status& status) {
  const std::optional<ApiStatus> api = ApiStatusOf(status);
  return api.has_value() ? api->retry_after : std::nullopt;
}

}  // namespace logbook::k8s
