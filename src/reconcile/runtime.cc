#include "logbook/reconcile/runtime.h"

#include <algorithm>
#include <utility>

#include "logbook/base/backoff.h"
#include "logbook/base/wait.h"
#include "logbook/k8s/api_client.h"
#include "logbook/model/object.h"
#include "logbook/reconcile/session.h"
#include "logbook/store/disk_space.h"

namespace logbook::reconcile {
namespace {

// A server that is not there at the start may be starting too; a wrong address never is.
constexpr absl::Duration kReachServer = absl::Seconds(10);
constexpr absl::Duration kReachServerPause = absl::Seconds(1);
constexpr absl::Duration kLongSession = absl::Minutes(1);  // after which backoff begins anew
constexpr absl::Duration kSpacePause = absl::Seconds(1);
constexpr uint64_t kReopenBytes = uint64_t{32} << 20;  // for the log, its tables, and a copy of it
constexpr uint64_t kJitterSeed = 1;  // one process has one journal: nobody to keep apart from

// What passes by itself; everything else is for a person.
bool Passes(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kInternal:
      return true;
    default:
      return false;
  }
}

// The uid of namespace kube-system: as good as a cluster's own uid, which there is none of.
absl::StatusOr<std::string> ClusterUid(k8s::ApiClient& api, const std::stop_token& stop) {
  const Resource namespaces{.group = "",
                            .version = "v1",
                            .plural = "namespaces",
                            .kind = "Namespace",
                            .namespaced = false};
  const absl::StatusOr<k8s::ApiReply> reply =
      api.Get({.resource = namespaces, .key = {.name = "kube-system"}},
              {.timeout = absl::Seconds(10), .stop = stop});
  if (!reply.ok()) {
    return WithContext(reply.status(), "cannot tell which cluster this is");
  }
  LOGBOOK_ASSIGN_OR_RETURN(const ObjectPtr object, Object::FromJson(reply->body));
  return std::string(object->uid());
}

SensitiveFields SensitiveFieldsOf(const std::vector<OperatorSpec>& specs) {
  SensitiveFields all;
  for (const OperatorSpec& spec : specs) {
    for (const auto& [resource, paths] : spec.sensitive) {
      all[resource].insert(all[resource].end(), paths.begin(), paths.end());
    }
  }
  return all;
}

std::vector<OperatorSpec> WithRedactor(std::vector<OperatorSpec> specs, const Redactor& redactor) {
  for (OperatorSpec& spec : specs) {
    spec.scope.redactor = &redactor;
  }
  return specs;
}

}  // namespace

absl::Status RuntimeOptions::Validate() const {
  if (data_dir.empty()) {
    return InvalidArgument("data_dir is empty");
  }
  if (operator_name.empty()) {
    return InvalidArgument("operator_name is empty");
  }
  if (workers < 1) {
    return InvalidArgument("workers is ", workers, ", at least 1 is needed");
  }
  LOGBOOK_RETURN_IF_ERROR(retention.Validate());
  if (effect_runners < 1) {
    return InvalidArgument("effect_runners is ", effect_runners, ", at least 1 is needed");
  }
  return absl::OkStatus();
}

Runtime::Runtime(RuntimeOptions options, std::vector<OperatorSpec> specs, k8s::ApiClient& api,
                 const Clock& clock, Logger log)
    : options_(std::move(options)),
      redactor_(options_.redaction_key, SensitiveFieldsOf(specs)),
      specs_(WithRedactor(std::move(specs), redactor_)),
      api_(api),
      clock_(clock),
      log_(std::move(log)) {}

Runtime::~Runtime() = default;

std::shared_ptr<Session> Runtime::session() const {
  absl::MutexLock lock(&mu_);
  return session_;
}

absl::StatusOr<std::string> Runtime::FindCluster(const std::stop_token& stop) {
  const absl::Duration give_up = clock_.Monotonic() + kReachServer;
  while (true) {
    absl::StatusOr<std::string> cluster = ClusterUid(api_, stop);
    if (absl::IsPermissionDenied(cluster.status()) && !options_.cluster_fallback.empty()) {
      return options_.cluster_fallback;
    }
    if (cluster.ok() || !Passes(cluster.status()) || clock_.Monotonic() > give_up) {
      return cluster;
    }
    log_.Error("API server cannot be reached yet", {{"error", cluster.status()}});
    if (!WaitFor(kReachServerPause, stop)) {
      return Cancelled("stopped");
    }
  }
}

// An API server that is overrun has the same code.
bool Runtime::ShortOfSpace(const absl::Status& status) const {
  const absl::StatusOr<uint64_t> free = store::FreeBytes(options_.data_dir);
  return absl::IsResourceExhausted(status) && free.ok() &&
         *free < std::min(options_.disk_reserve, kReopenBytes);
}

void Runtime::AwaitSpace(const std::stop_token& stop) {
  const uint64_t needed = std::min(options_.disk_reserve, kReopenBytes);
  log_.Error("Disk is full, waiting for space",
             {{"directory", options_.data_dir}, {"needed", needed}});
  while (WaitFor(kSpacePause, stop)) {
    const absl::StatusOr<uint64_t> free = store::FreeBytes(options_.data_dir);
    if (!free.ok() || *free >= needed) {  // what else is wrong, opening will tell
      return;
    }
  }
}

absl::Status Runtime::RunSession(const std::string& cluster, const std::stop_token& stop) {
  auto session =
      std::make_shared<Session>(options_, specs_, redactor_, api_, cluster, clock_, log_);
  {
    absl::MutexLock lock(&mu_);
    session_ = session;
  }
  absl::Status status = session->Start(stop);
  if (status.ok()) {
    status = session->Wait(stop);
    if (ShortOfSpace(status)) {
      session->Quiesce();
      AwaitSpace(stop);
    }
    if (!status.ok()) {
      // Whatever made a write fail: what is on the disk shows when it is opened again.
      status = Unavailable(ToStd(status.message()));
    }
  }
  session->Stop();
  {
    absl::MutexLock lock(&mu_);
    session_ = nullptr;
  }
  return status;
}

absl::Status Runtime::CheckRedaction() const {
  for (const OperatorSpec& spec : specs_) {
    for (const std::string& resource : spec.scope.resources) {
      if (redactor_.Covers(resource) && options_.redaction_key.size() < kRedactionKeyMin) {
        return InvalidArgument(
            "operator ", spec.name, " has to do with ", resource,
            ", whose values must not be journaled: give it a key of at least ", kRedactionKeyMin,
            " random bytes with --redaction-key-file, kept outside of ", options_.data_dir);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Runtime::Run(const std::stop_token& stop) {
  LOGBOOK_RETURN_IF_ERROR(options_.Validate());
  LOGBOOK_RETURN_IF_ERROR(CheckRedaction());
  const absl::StatusOr<std::string> cluster = FindCluster(stop);
  if (stop.stop_requested()) {
    return absl::OkStatus();
  }
  LOGBOOK_RETURN_IF_ERROR(cluster.status());
  ConnectionBackoff backoff({}, kJitterSeed);
  while (true) {
    const absl::Duration start = clock_.Monotonic();
    absl::Status status = RunSession(*cluster, stop);
    if (status.ok() || stop.stop_requested()) {
      return absl::OkStatus();
    }
    if (!Passes(status)) {
      return status;
    }
    if (clock_.Monotonic() - start > kLongSession) {
      backoff.Reset();
    }
    if (ShortOfSpace(status)) {
      AwaitSpace(stop);
      backoff.Reset();
    }
    const absl::Duration wait = backoff.Next();
    log_.Error("Session ended, another one begins", {{"error", status}, {"wait", wait}});
    WaitFor(wait, stop);
  }
}

absl::Status Runtime::CheckSources() const {
  const std::shared_ptr<Session> current = session();
  return current == nullptr ? Unavailable("not started yet") : current->CheckSources();
}

absl::Status Runtime::CheckJournal() const {
  const std::shared_ptr<Session> current = session();
  return current == nullptr ? Unavailable("journal is not open") : current->CheckJournal();
}

}  // namespace logbook::reconcile
