#include "logbook/k8s/http_api_client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "logbook/base/json.h"
#include "logbook/k8s/retry.h"
#include "logbook/k8s/watch_frames.h"

namespace logbook::k8s {
namespace {

constexpr size_t kWarningsMax = 1000;  // texts that are remembered; beyond it warnings are dropped
constexpr absl::Duration kOpenWatchTimeout = absl::Seconds(30);

#if defined(__aarch64__)
constexpr char kPlatform[] = "linux/arm64";
#else
constexpr char kPlatform[] = "linux/amd64";
#endif

std::string_view ContentTypeOf(Verb verb) {
  switch (verb) {
    case Verb::kApply:
      return "application/apply-patch+yaml";  // of which JSON is a subset
    case Verb::kMergePatch:
      return "application/merge-patch+json";
    case Verb::kJsonPatch:
      return "application/json-patch+json";
    default:
      return "application/json";
  }
}

std::string WriteQuery(const WriteOptions& write) {
  return Query()
      .Add("fieldManager", write.field_manager)
      .Add("force", write.force ? "true" : "")
      .Add("fieldValidation", write.strict ? "Strict" : "")
      .text();
}

std::string DeleteBody(const DeleteOptions& options) {
  Json body = {{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  if (!options.uid.empty()) {
    body["preconditions"]["uid"] = options.uid;
  }
  if (!options.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = options.resource_version;
  }
  if (!options.propagation.empty()) {
    body["propagationPolicy"] = options.propagation;
  }
  return DumpJson(body);
}

// The text in `299 - "text"`.
std::string_view WarningText(std::string_view header) {
  const size_t begin = header.find('"');
  const size_t end = header.rfind('"');
  return begin < end ? header.substr(begin + 1, end - begin - 1) : header;
}

Target CollectionOf(const Target& target) {
  return {target.resource, {target.key.ns, ""}};
}

class HttpWatchStream : public WatchStream {
 public:
  explicit HttpWatchStream(std::unique_ptr<HttpStream> stream) : stream_(std::move(stream)) {}

  absl::StatusOr<WatchRead> Next(absl::Duration timeout) override {
    std::string& buffer = frames_.Buffer();
    const size_t bytes_before = buffer.size();
    LOGBOOK_ASSIGN_OR_RETURN(const bool more, stream_->Read(timeout, buffer));
    WatchRead read{.bytes = buffer.size() - bytes_before, .ended = !more};
    while (const std::optional<std::string_view> frame = frames_.Next()) {
      read.frames.push_back(*frame);
    }
    if (frames_.IsOversized()) {
      read.oversized = frames_.Rest().substr(0, kOversizedBytesShown);
      read.ended = true;
    }
    return read;
  }

 private:
  static constexpr size_t kOversizedBytesShown = 4096;

  const std::unique_ptr<HttpStream> stream_;
  WatchFrames frames_;
};

// The beginning of an error's body; what is missing of it matters less than an answer in time.
std::string ReadErrorBody(HttpStream& stream) {
  std::string body;
  for (absl::StatusOr<bool> more = true; more.ok() && *more;) {
    const size_t bytes_before = body.size();
    more = stream.Read(absl::Seconds(5), body);
    if (body.size() == bytes_before) {
      break;
    }
  }
  return body;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpApiClient>> HttpApiClient::Create(const Config& config,
                                                                     HttpApiClientOptions options,
                                                                     const Clock& clock,
                                                                     Logger log) {
  LOGBOOK_ASSIGN_OR_RETURN(std::unique_ptr<Credentials> credentials,
                           Credentials::Create(config, clock, log));
  options.http.proxy_url = config.cluster.proxy_url;
  if (options.user_agent.empty()) {
    options.user_agent = Concat("logbook/", LOGBOOK_VERSION, " (", kPlatform, ")");
  }
  return std::unique_ptr<HttpApiClient>(new HttpApiClient(
      config.cluster.server, std::move(options), clock, std::move(log), std::move(credentials)));
}

HttpApiClient::HttpApiClient(std::string server, HttpApiClientOptions options, const Clock& clock,
                             Logger log, std::unique_ptr<Credentials> credentials)
    : server_(std::move(server)),
      options_(std::move(options)),
      clock_(clock),
      log_(std::move(log)),
      credentials_(std::move(credentials)),
      http_(options_.http, clock),
      random_(options_.seed) {}

absl::StatusOr<ApiReply> HttpApiClient::Get(const Target& target, const CallOptions& call) {
  return Perform({.verb = Verb::kGet, .path = PathOf(target)}, call);
}

absl::StatusOr<ApiReply> HttpApiClient::GetPath(std::string_view path, const CallOptions& call) {
  return Perform({.verb = Verb::kGet, .path = std::string(path)}, call);
}

absl::StatusOr<ApiReply> HttpApiClient::List(const Target& target, const ListOptions& list,
                                             const CallOptions& call) {
  const std::string query = Query()
                                .Add("limit", list.limit > 0 ? std::to_string(list.limit) : "")
                                .Add("continue", list.continue_token)
                                .Add("resourceVersion", list.resource_version)
                                .Add("resourceVersionMatch", list.resource_version_match)
                                .Add("labelSelector", list.label_selector)
                                .Add("fieldSelector", list.field_selector)
                                .text();
  return Perform({.verb = Verb::kList, .path = PathOf(CollectionOf(target)) + query}, call);
}

absl::StatusOr<ApiReply> HttpApiClient::Create(const Target& target, std::string_view body,
                                               const WriteOptions& write, const CallOptions& call) {
  return Perform({.verb = Verb::kCreate,
                  .method = "POST",
                  .path = PathOf(CollectionOf(target)) + WriteQuery(write),
                  .content_type = ContentTypeOf(Verb::kCreate),
                  .body = body},
                 call);
}

absl::StatusOr<ApiReply> HttpApiClient::Apply(const Target& target, std::string_view body,
                                              const WriteOptions& write, const CallOptions& call) {
  return Patch(Verb::kApply, target, body, write, call);
}

absl::StatusOr<ApiReply> HttpApiClient::MergePatch(const Target& target, std::string_view body,
                                                   const WriteOptions& write,
                                                   const CallOptions& call) {
  return Patch(Verb::kMergePatch, target, body, write, call);
}

absl::StatusOr<ApiReply> HttpApiClient::JsonPatch(const Target& target, std::string_view body,
                                                  const WriteOptions& write,
                                                  const CallOptions& call) {
  return Patch(Verb::kJsonPatch, target, body, write, call);
}

absl::StatusOr<ApiReply> HttpApiClient::Patch(Verb verb, const Target& target,
                                              std::string_view body, const WriteOptions& write,
                                              const CallOptions& options) {
  return Perform({.verb = verb,
                  .method = "PATCH",
                  .path = PathOf(target) + WriteQuery(write),
                  .content_type = ContentTypeOf(verb),
                  .body = body},
                 options);
}

absl::StatusOr<ApiReply> HttpApiClient::Delete(const Target& target, const DeleteOptions& options,
                                               const CallOptions& call) {
  const std::string body = DeleteBody(options);
  return Perform({.verb = Verb::kDelete,
                  .method = "DELETE",
                  .path = PathOf(target),
                  .content_type = ContentTypeOf(Verb::kDelete),
                  .body = body},
                 call);
}

absl::StatusOr<ApiReply> HttpApiClient::Perform(const Call& call, const CallOptions& options) {
  const absl::Duration deadline = clock_.Monotonic() + options.timeout;
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<HttpAnswer> answer = Send(call, options, deadline);
    absl::Status status = answer.status();
    if (answer.ok()) {
      LogWarnings(answer->headers);
      if (answer->status >= 200 && answer->status < 300) {
        return ApiReply{.http_status = answer->status, .body = std::move(answer->body)};
      }
      status = StatusOf(call, answer->status, answer->headers, answer->body);
    }
    const std::optional<absl::Duration> delay = RetryDelay(call.verb, status, attempt);
    if (!delay.has_value()) {
      return status;
    }
    const absl::Duration wait = Jitter(*delay);
    if (clock_.Monotonic() + wait >= deadline || !options_.wait(wait, options.stop)) {
      return status;
    }
  }
}

absl::StatusOr<HttpAnswer> HttpApiClient::Send(const Call& call, const CallOptions& options,
                                               absl::Duration deadline) {
  for (bool first = true;; first = false) {
    LOGBOOK_ASSIGN_OR_RETURN(const Credential credential, credentials_->Get(options.stop));
    HttpRequest request = RequestOf(call, options, credential);
    request.timeout = deadline - clock_.Monotonic();
    absl::StatusOr<HttpAnswer> answer = http_.Send(request);
    const bool again = first && answer.ok() && answer->status == 401;
    if (!again || !credentials_->Refused(credential)) {
      return answer;
    }
  }
}

absl::StatusOr<std::unique_ptr<WatchStream>> HttpApiClient::Watch(const Target& target,
                                                                  const WatchOptions& options,
                                                                  const std::stop_token& stop) {
  const std::string seconds = std::to_string(absl::ToInt64Seconds(options.timeout));
  const std::string query = Query()
                                .Add("watch", "1")
                                .Add("allowWatchBookmarks", "true")
                                .Add("resourceVersion", options.resource_version)
                                .Add("timeoutSeconds", seconds)
                                .Add("labelSelector", options.label_selector)
                                .Add("fieldSelector", options.field_selector)
                                .text();
  const Call call{.verb = Verb::kWatch, .path = PathOf(CollectionOf(target)) + query};
  for (bool first = true;; first = false) {
    LOGBOOK_ASSIGN_OR_RETURN(const Credential credential, credentials_->Get(stop));
    HttpRequest request = RequestOf(call, {.timeout = kOpenWatchTimeout, .stop = stop}, credential);
    request.use = ConnectionUse::kWatch;
    LOGBOOK_ASSIGN_OR_RETURN(std::unique_ptr<HttpStream> stream, http_.Open(request));
    LogWarnings(stream->headers());
    if (stream->status() == 200) {
      return std::make_unique<HttpWatchStream>(std::move(stream));
    }
    const bool again = first && stream->status() == 401;
    if (!again || !credentials_->Refused(credential)) {
      return StatusOf(call, stream->status(), stream->headers(), ReadErrorBody(*stream));
    }
  }
}

HttpRequest HttpApiClient::RequestOf(const Call& call, const CallOptions& options,
                                     const Credential& credential) const {
  HttpRequest request{.method = std::string(call.method),
                      .url = server_ + call.path,
                      .headers = credential.headers,
                      .body = std::string(call.body),
                      .tls = credential.tls,
                      .use = options_.use,
                      .timeout = options.timeout,
                      .stop = options.stop};
  request.headers.push_back("User-Agent: " + options_.user_agent);
  request.headers.push_back("Accept: application/json");
  // Also because a compressed watch comes in several gzip members, of which libcurl reads the
  // first.
  request.headers.push_back("Accept-Encoding: identity");
  if (!call.content_type.empty()) {
    request.headers.push_back(Concat("Content-Type: ", call.content_type));
  }
  if (!options.audit_id.empty()) {
    request.headers.push_back("Audit-ID: " + options.audit_id);
  }
  if (call.verb == Verb::kList) {
    request.body_bytes_max = options_.list_bytes_max;
  }
  return request;
}

absl::Status HttpApiClient::StatusOf(const Call& call, int http_status, const HttpHeaders& headers,
                                     std::string_view body) const {
  const absl::Status status = StatusOfAnswer({.verb = call.verb,
                                              .http_status = http_status,
                                              .body = body,
                                              .retry_after = headers.Get("Retry-After"),
                                              .audit_id = headers.Get("Audit-ID")});
  const std::string_view path = std::string_view(call.path).substr(0, call.path.find('?'));
  return WithContext(status, Concat(call.method, " ", path));
}

// Up to a tenth more, so that those who were turned away together do not come back together.
absl::Duration HttpApiClient::Jitter(absl::Duration wait) {
  absl::MutexLock lock(&mu_);
  return wait * std::uniform_real_distribution<double>(1.0, 1.1)(random_);
}

void HttpApiClient::LogWarnings(const HttpHeaders& headers) {
  for (std::string_view header : headers.GetAll("Warning")) {
    const std::string_view warning = WarningText(header);
    bool is_new = false;
    {
      absl::MutexLock lock(&mu_);
      is_new = warnings_logged_.size() < kWarningsMax &&
               warnings_logged_.insert(std::string(warning)).second;
    }
    if (is_new) {
      log_.Info("API server warns", {{"warning", warning}});
    }
  }
}

}  // namespace logbook::k8s
