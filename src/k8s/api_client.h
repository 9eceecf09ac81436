// ApiClient: calls to a Kubernetes API server, one method per verb.
//
// Shape:    bodies go in and come out as JSON bytes; nothing is parsed that a caller may not need.
// Errors:   what the server refuses is a Status with an ApiStatus behind it (api_status.h); what
//           never reached it, or lost its answer, is a TransportError (transport_status.h).
//           IsOutcomeUnknown tells of a failed write whether it may have happened all the same.
// Retries:  within the call's timeout, at most kCallAttemptsMax times, and only where nothing can
//           happen twice: 429, 503 with Retry-After, reads whose connection broke, and once after a
//           401 with fresh credentials. All attempts of a call carry the same Audit-ID.
// Threads:  Thread-safe; a WatchStream is Confined.
// Why:      an interface, so that what decides on answers is tested without a server.
//
// Example
//   LOGBOOK_ASSIGN_OR_RETURN(ApiReply reply, api.Get({deployments, {"shop", "web"}}, {}));
#ifndef LOGBOOK_K8S_API_CLIENT_H_
#define LOGBOOK_K8S_API_CLIENT_H_

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/k8s/url.h"

namespace logbook::k8s {

inline constexpr int kCallAttemptsMax = 10;  // client-go's number

struct CallOptions {
  absl::Duration timeout = absl::Seconds(30);  // of the whole call, attempts and waits included
  std::stop_token stop = {};
  std::string audit_id = {};  // sent as Audit-ID, repeated by the server's audit log
};

struct ListOptions {
  int limit = 0;                    // objects a page; 0: all at once
  std::string continue_token = {};  // of the page before; excludes resource_version
  std::string resource_version = {};
  std::string resource_version_match = {};  // NotOlderThan or Exact
  std::string label_selector = {};
  std::string field_selector = {};
};

struct WriteOptions {
  std::string field_manager;
  bool force = false;   // Apply only: take fields over from other managers
  bool strict = false;  // refuse unknown and duplicate fields
};

struct DeleteOptions {
  std::string uid = {};  // preconditions; empty: none
  std::string resource_version = {};
  std::string propagation = {};  // Background, Foreground or Orphan; empty: the kind's default
};

struct WatchOptions {
  std::string resource_version;  // changes after it
  std::string label_selector = {};
  std::string field_selector = {};
  absl::Duration timeout = absl::Minutes(5);  // after which the server ends the watch
};

struct ApiReply {
  int http_status = 0;  // 201 where a write created, else 200
  std::string body;
};

// What Next returns. Its views stand until the next call.
struct WatchRead {
  std::vector<std::string_view> frames;  // whole ones: {"type":…,"object":…}
  size_t bytes = 0;    // that arrived, of frames that are not whole yet too; 0: it was quiet
  bool ended = false;  // the server ended the watch; there is no more
  std::string_view oversized;  // the beginning of a frame beyond kFrameBytesMax; ends the watch too
};

class WatchStream {
 public:
  virtual ~WatchStream() = default;

  // Waits up to `timeout` for something to arrive.
  virtual absl::StatusOr<WatchRead> Next(absl::Duration timeout) = 0;
};

class ApiClient {
 public:
  virtual ~ApiClient() = default;

  virtual absl::StatusOr<ApiReply> Get(const Target& target, const CallOptions& call) = 0;
  virtual absl::StatusOr<ApiReply> List(const Target& target, const ListOptions& list,
                                        const CallOptions& call) = 0;
  // Posts `body` to the collection of `target`, whose name is ignored.
  virtual absl::StatusOr<ApiReply> Create(const Target& target, std::string_view body,
                                          const WriteOptions& write, const CallOptions& call) = 0;
  // Server-side apply; `body` is the whole intent of the field manager, as JSON.
  virtual absl::StatusOr<ApiReply> Apply(const Target& target, std::string_view body,
                                         const WriteOptions& write, const CallOptions& call) = 0;
  virtual absl::StatusOr<ApiReply> MergePatch(const Target& target, std::string_view body,
                                              const WriteOptions& write,
                                              const CallOptions& call) = 0;
  virtual absl::StatusOr<ApiReply> JsonPatch(const Target& target, std::string_view body,
                                             const WriteOptions& write,
                                             const CallOptions& call) = 0;
  // The reply is the object while finalizers hold it, else a Status.
  virtual absl::StatusOr<ApiReply> Delete(const Target& target, const DeleteOptions& options,
                                          const CallOptions& call) = 0;
  // For /version, discovery and the like; `path` begins with a slash.
  virtual absl::StatusOr<ApiReply> GetPath(std::string_view path, const CallOptions& call) = 0;

  // Returns when the server has accepted the watch. It ends when `stop` is requested, with
  // kCancelled.
  virtual absl::StatusOr<std::unique_ptr<WatchStream>> Watch(const Target& target,
                                                             const WatchOptions& options,
                                                             const std::stop_token& stop) = 0;
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_API_CLIENT_H_
