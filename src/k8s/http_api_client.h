// ApiClient over HTTP.
#ifndef LOGBOOK_K8S_HTTP_API_CLIENT_H_
#define LOGBOOK_K8S_HTTP_API_CLIENT_H_

#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/wait.h"
#include "logbook/k8s/api_client.h"
#include "logbook/k8s/api_status.h"
#include "logbook/k8s/config.h"
#include "logbook/k8s/credentials.h"
#include "logbook/k8s/http.h"

namespace logbook::k8s {

struct HttpApiClientOptions {
  // Never beginning with "curl/" or "Mozilla/", for which the API server pretty-prints.
  std::string user_agent;                       // empty: "logbook/<version> (linux/<architecture>)"
  ConnectionUse use = ConnectionUse::kRequest;  // of everything but watches
  size_t list_bytes_max = size_t{256} << 20;    // of one page
  WaitFunction wait = &WaitFor;
  uint64_t seed = 1;      // of the jitter between attempts
  HttpOptions http = {};  // proxy_url comes from the configuration
};

class HttpApiClient : public ApiClient {
 public:
  // `clock` outlives the client. Errors: as Credentials::Create.
  static absl::StatusOr<std::unique_ptr<HttpApiClient>> Create(const Config& config,
                                                               HttpApiClientOptions options,
                                                               const Clock& clock, Logger log);

  absl::StatusOr<ApiReply> Get(const Target& target, const CallOptions& call) override;
  absl::StatusOr<ApiReply> List(const Target& target, const ListOptions& list,
                                const CallOptions& call) override;
  absl::StatusOr<ApiReply> Create(const Target& target, std::string_view body,
                                  const WriteOptions& write, const CallOptions& call) override;
  absl::StatusOr<ApiReply> Apply(const Target& target, std::string_view body,
                                 const WriteOptions& write, const CallOptions& call) override;
  absl::StatusOr<ApiReply> MergePatch(const Target& target, std::string_view body,
                                      const WriteOptions& write, const CallOptions& call) override;
  absl::StatusOr<ApiReply> JsonPatch(const Target& target, std::string_view body,
                                     const WriteOptions& write, const CallOptions& call) override;
  absl::StatusOr<ApiReply> Delete(const Target& target, const DeleteOptions& options,
                                  const CallOptions& call) override;
  absl::StatusOr<ApiReply> GetPath(std::string_view path, const CallOptions& call) override;
  absl::StatusOr<std::unique_ptr<WatchStream>> Watch(const Target& target,
                                                     const WatchOptions& options,
                                                     const std::stop_token& stop) override;

 private:
  struct Call {
    Verb verb = Verb::kGet;
    std::string_view method = "GET";
    std::string path;  // with the query
    std::string_view content_type = {};
    std::string_view body = {};
  };

  HttpApiClient(std::string server, HttpApiClientOptions options, const Clock& clock, Logger log,
                std::unique_ptr<Credentials> credentials);

  absl::StatusOr<ApiReply> Patch(Verb verb, const Target& target, std::string_view body,
                                 const WriteOptions& write, const CallOptions& options);
  // With retries.
  absl::StatusOr<ApiReply> Perform(const Call& call, const CallOptions& options);
  // One attempt, and another after a 401.
  absl::StatusOr<HttpAnswer> Send(const Call& call, const CallOptions& options,
                                  absl::Duration deadline);
  HttpRequest RequestOf(const Call& call, const CallOptions& options,
                        const Credential& credential) const;
  absl::Status StatusOf(const Call& call, int http_status, const HttpHeaders& headers,
                        std::string_view body) const;
  absl::Duration Jitter(absl::Duration wait);
  void LogWarnings(const HttpHeaders& headers);

  const std::string server_;
  const HttpApiClientOptions options_;
  const Clock& clock_;
  const Logger log_;
  const std::unique_ptr<Credentials> credentials_;  // synchronises itself
  HttpClient http_;                                 // synchronises itself

  absl::Mutex mu_;
  absl::flat_hash_set<std::string> warnings_logged_ ABSL_GUARDED_BY(mu_);
  std::mt19937_64 random_ ABSL_GUARDED_BY(mu_);
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_HTTP_API_CLIENT_H_
