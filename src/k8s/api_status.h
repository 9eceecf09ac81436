// What the API server answers when it refuses: the Kubernetes Status, decoded, behind absl::Status.
//
// Shape:    the absl code tells the caller what to do next; the whole Status travels as a payload
// and
//           is taken out by ApiStatusOf. Helpers answer the questions that decide something.
// Errors:   none of its own: an answer that is no Status (plain text, HTML of a proxy) is decoded
// by
//           its HTTP status alone.
// Threads:  pure functions.
// Source:   docs/architecture.md, table of codes.
//
//   code                 answers
//   kAborted             409 Conflict; 422 without causes on a JSON patch: its `test` failed
//   kAlreadyExists       409 AlreadyExists; any other 409 on a create
//   kDeadlineExceeded    504 Timeout
//   kInvalidArgument     other 4xx
//   kNotFound            404
//   kOutOfRange          410 Gone, Expired
//   kPermissionDenied    403
//   kResourceExhausted   429
//   kUnauthenticated     401
//   kUnavailable         other 5xx
//   kUnknown             what is no error of HTTP at all
#ifndef LOGBOOK_K8S_API_STATUS_H_
#define LOGBOOK_K8S_API_STATUS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/status.h"

namespace logbook::k8s {

enum class Verb { kGet, kList, kWatch, kCreate, kApply, kMergePatch, kJsonPatch, kDelete };

// Whether calls of this verb change nothing.
inline bool IsRead(Verb verb) {
  return verb <= Verb::kWatch;
}

struct ApiCause {
  std::string reason;  // "FieldValueInvalid"
  std::string message;
  std::string field;

  friend bool operator==(const ApiCause&, const ApiCause&) = default;
};

struct ApiStatus {
  int http_status = 0;  // of the answer; 0: an ERROR event inside a watch
  int code = 0;         // Status.code; http_status where the Status has none
  std::string reason;   // "NotFound"; empty: none given, or no Status at all
  std::string message;
  std::string name, group, kind, uid;  // of Status.details
  std::vector<ApiCause> causes;
  // How long the server asks to wait, by header or by details.
  std::optional<absl::Duration> retry_after;
  std::string audit_id;  // under which the server's audit log has the request
  std::string json;      // the Status as it came; empty if the answer was none

  bool HasCause(std::string_view cause_reason) const;
};

// An HTTP answer that is no success.
struct ErrorAnswer {
  Verb verb = Verb::kGet;
  int http_status = 0;
  std::string_view body;
  std::string_view retry_after;  // the header's text
  std::string_view audit_id;
};

absl::Status StatusOfAnswer(const ErrorAnswer& answer);

// For the object of a watch's ERROR event, which may be anything.
absl::Status StatusOfErrorEvent(std::string_view object);

// The decoded answer behind `status`; nullopt if no server answered.
std::optional<ApiStatus> ApiStatusOf(const absl::Status& status);

// The object changed meanwhile, or is another incarnation: read again, decide again.
bool IsConflict(const absl::Status& status);

// An apply without force meets fields of other managers; causes name them.
bool IsFieldManagerConflict(const absl::Status& status);

// A create in a namespace that is being deleted.
bool IsNamespaceTerminating(const absl::Status& status);

// The server has the kind but not the object. Only this proves that an object is gone. Of a create
// it speaks of the namespace: ApiStatus::kind says whose name it is.
bool IsObjectMissing(const absl::Status& status);

// The server has no such kind: its CRD is not installed, or not yet.
bool IsKindMissing(const absl::Status& status);

// The resourceVersion is newer than what this server has seen.
bool IsVersionTooLarge(const absl::Status& status);

// For the Status of a write: whether it may have happened although it failed. False for answers
// that refuse, and where nothing left.
bool IsOutcomeUnknown(const absl::Status& status);

// How long the server asked to wait.
std::optional<absl::Duration> RetryAfterOf(const absl::Status& status);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_API_STATUS_H_
