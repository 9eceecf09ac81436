#include "logbook/http/health.h"

#include <algorithm>

#include "logbook/base/check.h"

namespace logbook::http {
namespace {

// `status` on one line, however many its message has.
std::string Reason(const absl::Status& status) {
  std::string reason(status.message());
  std::replace_if(
      reason.begin(), reason.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return reason.empty() ? absl::StatusCodeToString(status.code()) : reason;
}

Response AnswerOne(const Check& check) {
  const absl::Status status = check();
  if (status.ok()) {
    return {.status = 200, .body = "ok"};
  }
  return {.status = 500, .body = Concat("internal server error: ", Reason(status), "\n")};
}

}  // namespace

HealthChecks::HealthChecks(std::string endpoint) : endpoint_(std::move(endpoint)) {
  Add("ping", [] { return absl::OkStatus(); });
}

void HealthChecks::Add(std::string name, Check check) {
  LOGBOOK_CHECK(!name.empty() && name.find('/') == std::string::npos);
  absl::MutexLock lock(&mu_);
  for (const Named& other : checks_) {
    LOGBOOK_CHECK(other.first != name);
  }
  checks_.emplace_back(std::move(name), std::move(check));
}

Response HealthChecks::AnswerAll(const std::vector<Named>& checks, bool verbose) const {
  std::string lines;
  bool passed = true;
  for (const auto& [name, check] : checks) {
    const absl::Status status = check();
    if (status.ok()) {
      lines += Concat("[+]", name, " ok\n");
    } else {
      passed = false;
      lines += Concat("[-]", name, " failed: ", verbose ? Reason(status) : "reason withheld", "\n");
    }
  }
  if (passed && !verbose) {
    return {.status = 200, .body = "ok"};
  }
  lines += Concat(endpoint_, " check ", passed ? "passed" : "failed", "\n");
  return {.status = passed ? 200 : 500, .body = std::move(lines)};
}

Response HealthChecks::Answer(const Request& request) const {
  std::vector<Named> checks;
  {
    absl::MutexLock lock(&mu_);
    checks = checks_;
  }
  const size_t name_begin = endpoint_.size() + 2;  // behind "/readyz/"
  if (request.path.size() <= name_begin) {
    return AnswerAll(checks, request.parameters.contains("verbose"));
  }
  const std::string name = request.path.substr(name_begin);
  for (const Named& check : checks) {
    if (check.first == name) {
      return AnswerOne(check.second);
    }
  }
  return {.status = 404, .body = "no such check\n"};
}

HealthServer::HealthServer(ServerOptions options) : server_(std::move(options)) {
  server_.Get("/healthz", [this](const Request& request) { return live_.Answer(request); });
  server_.Get("/readyz", [this](const Request& request) { return ready_.Answer(request); });
}

}  // namespace logbook::http
