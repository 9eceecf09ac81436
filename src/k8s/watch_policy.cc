#include "logbook/k8s/watch_policy.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"

#include "logbook/k8s/api_status.h"

namespace logbook::k8s {
namespace {

constexpr char kFailureUrl[] = "logbook.dev/k8s/watch-failure";

WatchFailure FailureOfCode(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOutOfRange:
      return WatchFailure::kExpired;
    case absl::StatusCode::kResourceExhausted:
      return WatchFailure::kThrottled;
    case absl::StatusCode::kUnauthenticated:
      return WatchFailure::kUnauthorized;
    case absl::StatusCode::kPermissionDenied:
      return WatchFailure::kForbidden;
    case absl::StatusCode::kNotFound:
      return WatchFailure::kMissing;
    case absl::StatusCode::kCancelled:
      return WatchFailure::kStopped;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return WatchFailure::kUnreachable;
    default:
      return WatchFailure::kRefused;
  }
}

}  // namespace

std::string_view ToString(WatchState state) {
  switch (state) {
    case WatchState::kDiscovering:
      return "discovering";
    case WatchState::kProbing:
      return "probing";
    case WatchState::kListing:
      return "listing";
    case WatchState::kWatching:
      return "watching";
  }
  return "unknown";
}

absl::Status WatchError(WatchFailure failure, std::string_view message) {
  absl::Status status = Unavailable(message);
  status.SetPayload(kFailureUrl, absl::Cord(std::to_string(static_cast<int>(failure))));
  return status;
}

absl::Status FromSink(const absl::Status& status) {
  return status.ok() ? status : WatchError(WatchFailure::kSinkFailed, ToStd(status.message()));
}

WatchFailure FailureOf(const absl::Status& status) {
  if (const absl::optional<absl::Cord> payload = status.GetPayload(kFailureUrl)) {
    int number = 0;
    (void)absl::SimpleAtoi(std::string(*payload), &number);
    return static_cast<WatchFailure>(number);
  }
  if (IsVersionTooLarge(status)) {
    return WatchFailure::kVersionTooLarge;
  }
  const std::optional<ApiStatus> api = ApiStatusOf(status);
  const bool is_error_event = api.has_value() && api->http_status == 0;
  if (is_error_event && api->code == 500) {
    return WatchFailure::kInternal;
  }
  return FailureOfCode(status);
}

WatchReaction ReactionTo(WatchFailure failure) {
  switch (failure) {
    case WatchFailure::kExpired:
      // By design, not an anomaly: after as little as 75 s on a busy kind, and after most restarts
      // of an API server. The same bookmark can only fail again.
      return {.pause = Pause::kNone, .list = true};
    case WatchFailure::kThrottled:
      return {.pause = Pause::kAsked, .unavailable = true};
    case WatchFailure::kVersionTooLarge:
      // This server lags, or the cluster was restored: only a consistent read tells.
      return {.pause = Pause::kAsked, .probe = true, .unavailable = true};
    case WatchFailure::kUnauthorized:
      return {.unavailable = true};
    case WatchFailure::kForbidden:
      return {.pause = Pause::kForbidden, .unavailable = true};
    case WatchFailure::kMissing:
      return {.pause = Pause::kMissing, .unavailable = true};
    case WatchFailure::kRefused:
      return {.list = true, .unavailable = true};
    case WatchFailure::kInternal:
      return {.unavailable = true};
    case WatchFailure::kUnreachable:
      return {.probe = true, .unavailable = true};
    case WatchFailure::kSilent:
      return {.pause = Pause::kNone, .probe = true};
    case WatchFailure::kEndedEarly:
      return {};
    case WatchFailure::kWentBack:
      return {.list = true, .probe = true};
    case WatchFailure::kBookmarkBehind:
      return {.probe = true};
    case WatchFailure::kOlder:
      return {.pause = Pause::kOlder, .probe = true};
    case WatchFailure::kUndecodable:
      // The frame is not applied, so nothing after it may be: a list shows the object again.
      return {.pause = Pause::kNone, .list = true};
    case WatchFailure::kSinkFailed:
      return {.reload = true};
    case WatchFailure::kStopped:
      return {};
  }
  return {};
}

}  // namespace logbook::k8s
