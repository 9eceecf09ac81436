#include "logbook/k8s/http.h"

#include <algorithm>

#include "absl/strings/match.h"

#include "logbook/k8s/exchange.h"

namespace logbook::k8s {
namespace {

constexpr size_t kIdleMax = 16;  // connections of one use; what a burst of workers leaves behind

}  // namespace

void HttpHeaders::Add(std::string_view name, std::string_view value) {
  fields_.emplace_back(name, value);
}

std::string_view HttpHeaders::Get(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (absl::EqualsIgnoreCase(key, ToAbsl(name))) {
      return value;
    }
  }
  return "";
}

std::vector<std::string_view> HttpHeaders::GetAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : fields_) {
    if (absl::EqualsIgnoreCase(key, ToAbsl(name))) {
      values.push_back(value);
    }
  }
  return values;
}

HttpStream::HttpStream(HttpClient& client, std::unique_ptr<Exchange> exchange)
    : client_(client), exchange_(std::move(exchange)) {}

HttpStream::~HttpStream() {
  client_.GiveBack(std::move(exchange_));
}

int HttpStream::status() const {
  return exchange_->status();
}

const HttpHeaders& HttpStream::headers() const {
  return exchange_->headers();
}

absl::StatusOr<bool> HttpStream::Read(absl::Duration timeout, std::string& body) {
  if (exchange_->body().empty()) {
    LOGBOOK_RETURN_IF_ERROR(exchange_->DriveUntilData(timeout));
  }
  const bool more = !exchange_->body().empty() || !exchange_->ended();
  body += exchange_->body();
  exchange_->body().clear();
  return more;
}

HttpClient::HttpClient(HttpOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

HttpClient::~HttpClient() = default;

absl::StatusOr<HttpAnswer> HttpClient::Send(const HttpRequest& request) {
  std::unique_ptr<Exchange> exchange = Take(request);
  LOGBOOK_RETURN_IF_ERROR(exchange->Begin(request));
  LOGBOOK_RETURN_IF_ERROR(exchange->DriveUntilEnd(request.timeout));
  HttpAnswer answer = {.status = exchange->status(),
                       .headers = std::move(exchange->headers()),
                       .body = std::move(exchange->body())};
  GiveBack(std::move(exchange));
  return answer;
}

absl::StatusOr<std::unique_ptr<HttpStream>> HttpClient::Open(const HttpRequest& request) {
  std::unique_ptr<Exchange> exchange = Take(request);
  LOGBOOK_RETURN_IF_ERROR(exchange->Begin(request));
  LOGBOOK_RETURN_IF_ERROR(exchange->DriveUntilHead(request.timeout));
  return std::make_unique<HttpStream>(*this, std::move(exchange));
}

std::unique_ptr<Exchange> HttpClient::Take(const HttpRequest& request) {
  const absl::Duration now = clock_.Monotonic();
  std::vector<Idle> dropped;  // closed after the lock is released
  std::unique_ptr<Exchange> taken;
  {
    absl::MutexLock lock(&mu_);
    std::vector<Idle>& idle = idle_[static_cast<size_t>(request.use)];
    while (taken == nullptr && !idle.empty()) {
      if (idle.back().exchange->tls() == request.tls &&
          now - idle.back().since < options_.idle_max) {
        taken = std::move(idle.back().exchange);
      } else {
        dropped.push_back(std::move(idle.back()));
      }
      idle.pop_back();
    }
  }
  if (taken == nullptr) {
    taken = std::make_unique<Exchange>(options_, clock_);
  }
  return taken;
}

void HttpClient::GiveBack(std::unique_ptr<Exchange> exchange) {
  if (!exchange->reusable()) {
    return;
  }
  const absl::Duration now = clock_.Monotonic();
  std::vector<Idle> dropped;
  {
    absl::MutexLock lock(&mu_);
    std::vector<Idle>& idle = idle_[static_cast<size_t>(exchange->use())];
    const auto fresh = std::find_if(idle.begin(), idle.end(), [&](const Idle& entry) {
      return now - entry.since < options_.idle_max;
    });
    const auto kept = idle.size() < kIdleMax ? fresh : std::max(fresh, idle.begin() + 1);
    std::move(idle.begin(), kept, std::back_inserter(dropped));
    idle.erase(idle.begin(), kept);
    idle.push_back({std::move(exchange), now});
  }
}

}  // namespace logbook::k8s
