#include "logbook/k8s/watcher.h"

#include <utility>

#include "logbook/k8s/api_status.h"
#include "logbook/model/resource_version.h"

namespace logbook::k8s {
namespace {

// client-go's reflector: 0.8 s, doubling, half a minute.
constexpr BackoffOptions kBackoff{};
constexpr BackoffOptions kMissingBackoff{.initial = absl::Milliseconds(500),
                                         .max = absl::Milliseconds(3300)};  // 5 s with jitter
constexpr BackoffOptions kForbiddenBackoff{.initial = absl::Seconds(2)};
constexpr BackoffOptions kOlderBackoff{.initial = absl::Seconds(1), .max = absl::Seconds(4)};

// A lagging replica catches up within the pauses between so many answers, a restored etcd does not.
constexpr int kOlderAnswersMax = 4;
constexpr int kStrangeEndsMax = 4;

std::string_view ListReason(WatchFailure failure) {
  switch (failure) {
    case WatchFailure::kExpired:
      return "bookmark expired";
    case WatchFailure::kRefused:
      return "bookmark refused";
    case WatchFailure::kWentBack:
      return "versions went back";
    case WatchFailure::kUndecodable:
      return "undecodable frame";
    default:
      return "watch ends at the bookmark";
  }
}

}  // namespace

Watcher::Watcher(StreamIdentity stream, ApiClient& api, WatchSink& sink, const Clock& clock,
                 const Logger& log, uint64_t seed, WatcherOptions options)
    : stream_(std::move(stream)),
      api_(api),
      sink_(sink),
      clock_(clock),
      log_(log.With({{"stream", stream_.ToString()}})),
      options_(std::move(options)),
      random_(seed),
      backoff_(kBackoff, random_()),
      missing_backoff_(kMissingBackoff, random_()),
      forbidden_backoff_(kForbiddenBackoff, random_()),
      older_backoff_(kOlderBackoff, random_()),
      list_backoff_(kBackoff, random_()),
      page_limit_(options_.page_limit) {}

void Watcher::Run(std::stop_token stop) {
  stop_ = std::move(stop);
  LoadPosition();
  for (;;) {
    const absl::Status status = Cycle();
    if (stop_.stop_requested()) {
      return;
    }
    const absl::Duration pause = React(status);
    if (pause > absl::ZeroDuration()) {
      options_.wait(pause, stop_);
    }
  }
}

absl::Status Watcher::Cycle() {
  established_ = false;
  state_ = WatchState::kDiscovering;
  LOGBOOK_RETURN_IF_ERROR(Discover());
  if (probe_needed_) {
    state_ = WatchState::kProbing;
    LOGBOOK_RETURN_IF_ERROR(Probe());
  }
  if (!list_reason_.empty()) {
    state_ = WatchState::kListing;
    LOGBOOK_RETURN_IF_ERROR(List());
  }
  state_ = WatchState::kWatching;
  return Watch();
}

void Watcher::LoadPosition() {
  position_ = sink_.Position();
  at_start_ = true;
  list_reason_.clear();
  if (!position_.listed || position_.resource_version.empty()) {
    RequireList("first list");
  }
}

void Watcher::RequireList(std::string_view reason) {
  if (list_reason_.empty()) {
    list_reason_ = reason;
  }
}

absl::Status Watcher::Discover() {
  LOGBOOK_ASSIGN_OR_RETURN(served_, k8s::Discover(api_, stream_.resource, Call(), log_));
  const bool same = SameServer(position_.served_by, served_.served_by);
  const bool known = !position_.served_by.empty() && !served_.served_by.empty();
  // While we run, a CRD cannot change unnoticed: it ends the watch and expires the bookmark. So
  // what may not be read costs a list at the start, but not at every reconnection.
  if (!same && (at_start_ || known)) {
    RequireList("served differently");
  }
  return absl::OkStatus();
}

// A watch from a version that the cluster has not reached is silent (kubernetes/kubernetes#107457).
absl::Status Watcher::Probe() {
  LOGBOOK_ASSIGN_OR_RETURN(const ApiReply reply, api_.List(Collection(), {.limit = 1}, Call()));
  LOGBOOK_ASSIGN_OR_RETURN(const PeekedList page, peeker_.List(reply.body));
  if (IsOlderVersion(page.resource_version, position_.resource_version)) {
    if (++older_answers_ >= kOlderAnswersMax) {
      return Rewind(page.resource_version);
    }
    return WatchError(WatchFailure::kOlder,
                      Concat("the server is at resourceVersion ", page.resource_version,
                             ", the bookmark at ", position_.resource_version));
  }
  if (older_answers_ > 0) {
    // Either a replica caught up, or a restored cluster was written to until its versions passed
    // the bookmark. What the bookmark stands for there, nobody knows.
    doubt_versions_ = true;
    RequireList("server was behind the bookmark");
  }
  older_answers_ = 0;
  older_backoff_.Reset();
  probe_needed_ = false;
  return absl::OkStatus();
}

absl::Status Watcher::Rewind(std::string_view resource_version) {
  const std::string reason =
      Concat("the cluster is at resourceVersion ", resource_version, ", older than the bookmark ",
             position_.resource_version, ": its etcd was restored");
  log_.Error("Cluster rewound", {{"reason", reason}});
  LOGBOOK_RETURN_IF_ERROR(FromSink(sink_.OnRewound(reason)));
  older_answers_ = 0;
  older_backoff_.Reset();
  probe_needed_ = false;
  doubt_versions_ = true;
  position_.resource_version.clear();
  list_reason_ = "cluster rewound";
  return absl::OkStatus();
}

absl::Duration Watcher::React(const absl::Status& status) {
  if (status.ok()) {
    return absl::ZeroDuration();  // the server ended the watch in its own time
  }
  const WatchFailure failure = FailureOf(status);
  WatchReaction reaction = ReactionTo(failure);
  const bool strange = failure == WatchFailure::kInternal || failure == WatchFailure::kEndedEarly;
  if (strange && ++strange_ends_ >= kStrangeEndsMax) {
    reaction.list = true;
  }
  if (reaction.list && state_ == WatchState::kWatching) {
    RequireList(ListReason(failure));
  }
  if (failure == WatchFailure::kExpired && state_ == WatchState::kListing) {
    reaction.pause =
        Pause::kBackoff;  // what the watch does at once, a list must not repeat at once
  }
  probe_needed_ = probe_needed_ || reaction.probe;
  if (reaction.reload) {
    LoadPosition();
  }
  // A watch that breaks is no news if the next one opens.
  if (reaction.unavailable && !established_) {
    ReportUnavailable(status);
  }
  const absl::Duration pause = PauseFor(reaction.pause, status);
  log_.Debug("Watch interrupted",
             {{"state", ToString(state_)}, {"error", status}, {"pause", pause}});
  return pause;
}

absl::Duration Watcher::PauseFor(Pause pause, const absl::Status& status) {
  switch (pause) {
    case Pause::kNone:
      return absl::ZeroDuration();
    case Pause::kAsked:
      return RetryAfterOf(status).value_or(absl::ZeroDuration()) + backoff_.Next() / 4;
    case Pause::kBackoff:
      return backoff_.Next();
    case Pause::kMissing:
      return missing_backoff_.Next();
    case Pause::kForbidden:
      return forbidden_backoff_.Next();
    case Pause::kOlder:
      return older_backoff_.Next();
  }
  return backoff_.Next();
}

void Watcher::ReportUnavailable(const absl::Status& status) {
  const std::optional<ApiStatus> api = ApiStatusOf(status);
  const std::string reason =
      Concat(absl::StatusCodeToString(status.code()), " ", api.has_value() ? api->reason : "");
  if (reason == unavailable_) {
    return;
  }
  unavailable_ = reason;
  log_.Error("Stream unavailable", {{"state", ToString(state_)}, {"error", status}});
  sink_.OnUnavailable(status);
}

bool Watcher::HasSelector() const {
  return !stream_.label_selector.empty() || !stream_.field_selector.empty();
}

Target Watcher::Collection() const {
  return {served_.resource, {stream_.ns, ""}};
}

CallOptions Watcher::Call() const {
  return {.timeout = options_.call_timeout, .stop = stop_};
}

}  // namespace logbook::k8s
