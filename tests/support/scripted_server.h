// ScriptedServer: an HTTP/1.1 server on loopback that answers what a test tells it to, well or
// badly.
//
// Shape:    On("GET /api/v1/pods", script) queues a script for that path; each is used once, and
// the
//           last one of a path stays. A part after '?' must occur in the query. What has no script
//           is answered with 500 and remembered by Unscripted().
// Threads:  Thread-safe. A script runs on its connection's thread.
//
// Example
//   ScriptedServer server;
//   server.On("GET /version", Reply(200, R"({"gitVersion":"v1"})"));
//   server.On("GET /api/v1/pods?watch=1", Stream({frame}, WhenDone::kHold));
#ifndef LOGBOOK_SUPPORT_SCRIPTED_SERVER_H_
#define LOGBOOK_SUPPORT_SCRIPTED_SERVER_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "logbook/support/test_certificates.h"

namespace logbook {

struct ServerRequest {
  std::string method;
  std::string path;
  std::string query;  // without '?'
  std::map<std::string, std::string>
      headers;  // names in lower case; values of one name joined by ", "
  std::string body;
  int connection = 0;              // 1, 2, … in the order they were accepted
  std::string client_certificate;  // common name of the client's certificate
};

// One accepted connection, inside a script.
class ServerConnection {
 public:
  virtual ~ServerConnection() = default;

  // False if the client is gone.
  virtual bool Write(std::string_view bytes) = 0;
  // The rest is up to the script: no answer is complete after it.
  virtual void Close() = 0;
  virtual void Reset() = 0;  // by RST instead of FIN
  // Until the client closes or the server ends.
  virtual void WaitForClose() = 0;

  // The head of a chunked answer, its chunks, and its end.
  void WriteHead(int status, const std::vector<std::string>& headers = {});
  bool WriteChunk(std::string_view bytes);
  void EndChunks();
};

using ServerScript = std::function<void(const ServerRequest&, ServerConnection&)>;

enum class WhenDone { kEnd, kHold, kClose, kReset };

// A whole answer with Content-Length. `headers`: "Name: value".
ServerScript Reply(int status, std::string body, std::vector<std::string> headers = {});
// A chunked 200 with one chunk per element, and what follows the last.
ServerScript Stream(std::vector<std::string> chunks, WhenDone done);
// No answer at all.
ServerScript Hang();
ServerScript Disconnect();
ServerScript ResetConnection();

class ScriptedServer {
 public:
  struct Tls {
    TestCertificate certificate;
    std::string client_ca_pem;  // asks for client certificates of this authority
  };

  ScriptedServer();
  explicit ScriptedServer(const Tls& tls);
  ~ScriptedServer();

  // "http://127.0.0.1:port" or https.
  const std::string& url() const { return url_; }

  int port() const { return port_; }

  void On(std::string_view what, ServerScript script);

  std::vector<ServerRequest> Requests() const;
  // Requests whose path is `path`.
  std::vector<ServerRequest> RequestsTo(std::string_view path) const;
  // "GET /path?query" of requests without a script.
  std::vector<std::string> Unscripted() const;

  int connections() const { return connections_; }  // accepted so far

  // Until `count` requests came in; false if they do not within 20 s.
  bool WaitForRequests(size_t count) const;

 private:
  struct TlsContext;
  class Connection;
  struct Worker;

  void Start();
  void Accept();
  void Serve(Connection& connection);
  ServerScript ScriptFor(const ServerRequest& request);

  std::unique_ptr<TlsContext> tls_;
  int listen_fd_ = -1;
  int port_ = 0;
  std::string url_;

  mutable absl::Mutex mu_;
  std::map<std::string, std::deque<ServerScript>> scripts_ ABSL_GUARDED_BY(mu_);
  std::vector<ServerRequest> requests_ ABSL_GUARDED_BY(mu_);
  std::vector<std::string> unscripted_ ABSL_GUARDED_BY(mu_);
  std::atomic<int> connections_ = 0;
  std::vector<std::shared_ptr<Worker>> workers_;  // the acceptor's, until it has ended
  std::jthread acceptor_;
};

}  // namespace logbook

#endif  // LOGBOOK_SUPPORT_SCRIPTED_SERVER_H_
