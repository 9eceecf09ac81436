// An HTTP client for one server: blocking calls from any thread, on libcurl.
//
// Shape:    Send returns a whole answer; Open returns a stream that is read piece by piece. HTTP/2
// by
//           ALPN, else HTTP/1.1. One connection carries one exchange at a time and is kept for the
//           next of its use, so a dead peer never takes more than one exchange with it.
// Errors:   TransportError if no whole answer came: kUnavailable (no connection, or it broke),
//           kDeadlineExceeded, kCancelled (stop was requested), kUnauthenticated (the server's
//           certificate is not trusted, or ours not usable). Every HTTP status is an answer, not an
//           error. A request with a body is never sent twice; libcurl may resend one without.
// Threads:  Thread-safe; a stream is Confined. Streams end before their client.
// Why:      one connection per exchange instead of HTTP/2 streams side by side: no queueing behind
// a
//           stream limit, and the workers that share a client are few.
#ifndef LOGBOOK_K8S_HTTP_H_
#define LOGBOOK_K8S_HTTP_H_

#include <array>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/base/status.h"

namespace logbook::k8s {

class Exchange;

// Whom to trust and who we are. Connections made under one TlsSettings are not used under another.
struct TlsSettings {
  std::string ca_pem;  // empty: the certificates of the system
  bool insecure_skip_verify = false;
  std::string server_name;               // for SNI and verification; empty: the URL's host
  std::string certificate_pem, key_pem;  // of the client; empty: none

  friend bool operator==(const TlsSettings&, const TlsSettings&) = default;
};

// Connections of different use are kept apart: a long list must not delay a Lease.
enum class ConnectionUse { kRequest, kWatch, kLease };

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  std::shared_ptr<const TlsSettings> tls;
  ConnectionUse use = ConnectionUse::kRequest;
  absl::Duration timeout = absl::Seconds(30);  // of a stream: until the head of its answer is there
  std::stop_token stop;
  size_t body_bytes_max = size_t{64} << 20;  // of the answer; a stream has no limit
};

class HttpHeaders {
 public:
  void Add(std::string_view name, std::string_view value);

  // The first value, or "" if there is none. Names do not distinguish case.
  std::string_view Get(std::string_view name) const;
  std::vector<std::string_view> GetAll(std::string_view name) const;

  void Clear() { fields_.clear(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct HttpAnswer {
  int status = 0;
  HttpHeaders headers;
  std::string body;  // of an error: its first 64 KiB
};

class HttpClient;

// An answer that is still coming in. Its destructor closes the connection unless the answer ended.
class HttpStream {
 public:
  HttpStream(HttpClient& client, std::unique_ptr<Exchange> exchange);
  ~HttpStream();

  int status() const;
  const HttpHeaders& headers() const;

  // Appends what has arrived to `body`, waiting up to `timeout` for the first byte. False at the
  // end of the answer; true with nothing appended if it was quiet for that long.
  absl::StatusOr<bool> Read(absl::Duration timeout, std::string& body);

 private:
  HttpClient& client_;
  std::unique_ptr<Exchange> exchange_;
};

struct HttpOptions {
  std::string proxy_url = {};  // http, https or socks5; empty: as HTTPS_PROXY and NO_PROXY say
  absl::Duration connect_timeout = absl::Seconds(10);  // of TCP and TLS together
  // A peer that acknowledges nothing for about this long is dead.
  absl::Duration dead_peer_timeout = absl::Seconds(20);
  absl::Duration idle_max = absl::Seconds(60);  // how long an unused connection is kept
  bool http2 = true;  // false for a front end that offers HTTP/2 and does it badly
};

class HttpClient {
 public:
  // `clock` outlives the client.
  HttpClient(HttpOptions options, const Clock& clock);
  ~HttpClient();

  absl::StatusOr<HttpAnswer> Send(const HttpRequest& request);
  absl::StatusOr<std::unique_ptr<HttpStream>> Open(const HttpRequest& request);

 private:
  friend class HttpStream;

  struct Idle {
    std::unique_ptr<Exchange> exchange;
    absl::Duration since;
  };

  std::unique_ptr<Exchange> Take(const HttpRequest& request);
  void GiveBack(std::unique_ptr<Exchange> exchange);

  const HttpOptions options_;
  const Clock& clock_;

  absl::Mutex mu_;
  std::array<std::vector<Idle>, 3> idle_ ABSL_GUARDED_BY(mu_);  // by ConnectionUse, newest last
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_HTTP_H_
