// Health: named checks behind /healthz and /readyz, in the words of the Kubernetes API server.
//
//   GET /readyz            200 "ok", or 500 and a line per check, reasons withheld
//   GET /readyz?verbose    a line per check, with the reasons
//   GET /readyz/streams    one check alone, with its reason
//
// /healthz says whether the process should live: failing it gets it restarted, so only what a
// restart heals belongs there. /readyz says whether it does its work.
//
// Threads:  Thread-safe. Checks are called on the server's threads, several at once and without a
//           lock; they must not block.
#ifndef LOGBOOK_HTTP_HEALTH_H_
#define LOGBOOK_HTTP_HEALTH_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "logbook/base/status.h"
#include "logbook/http/server.h"

namespace logbook::http {

// OK, or the reason why not, in words for the person who reads it.
using Check = std::function<absl::Status()>;

// The checks of one endpoint, and what it answers. Always has the check "ping", which is OK.
class HealthChecks {
 public:
  // `endpoint` is "healthz" or "readyz".
  explicit HealthChecks(std::string endpoint);

  // Checks are shown in the order they were added. Names are unique and have no slash.
  void Add(std::string name, Check check);

  // The answer to a request for "/endpoint" or a path below it.
  Response Answer(const Request& request) const;

 private:
  using Named = std::pair<std::string, Check>;

  Response AnswerAll(const std::vector<Named>& checks, bool verbose) const;

  const std::string endpoint_;
  mutable absl::Mutex mu_;
  std::vector<Named> checks_ ABSL_GUARDED_BY(mu_);
};

class HealthServer {
 public:
  explicit HealthServer(ServerOptions options);

  void AddLive(std::string name, Check check) { live_.Add(std::move(name), std::move(check)); }

  void AddReady(std::string name, Check check) { ready_.Add(std::move(name), std::move(check)); }

  // Errors: those of Server::Start.
  absl::Status Start() { return server_.Start(); }

  int port() const { return server_.port(); }

 private:
  HealthChecks live_{"healthz"};
  HealthChecks ready_{"readyz"};
  Server server_;  // the last member: it stops before the checks go
};

}  // namespace logbook::http

#endif  // LOGBOOK_HTTP_HEALTH_H_
