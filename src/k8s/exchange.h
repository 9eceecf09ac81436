// Exchange: one connection of libcurl's, and the request and answer that are on it now.
//
// Private to HttpClient; the one place that speaks to libcurl.
// Threads:  Confined, apart from the stop token, which any thread may trigger.
#ifndef LOGBOOK_K8S_EXCHANGE_H_
#define LOGBOOK_K8S_EXCHANGE_H_

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/base/status.h"
#include "logbook/k8s/http.h"
#include "logbook/k8s/transport_status.h"

namespace logbook::k8s {

class Exchange {
 public:
  Exchange(const HttpOptions& options, const Clock& clock);
  ~Exchange();

  // Begins `request`; DriveUntil* performs it. The last one must have ended.
  absl::Status Begin(const HttpRequest& request);

  // Until the head of the answer is there.
  absl::Status DriveUntilHead(absl::Duration timeout);
  // Until some of the body is there or the answer has ended; OK also if it was quiet for `timeout`.
  absl::Status DriveUntilData(absl::Duration timeout);
  // Until the answer has ended.
  absl::Status DriveUntilEnd(absl::Duration timeout);

  bool ended() const { return result_.has_value(); }

  // Whether the connection may carry another exchange.
  bool reusable() const;

  ConnectionUse use() const { return use_; }

  const std::shared_ptr<const TlsSettings>& tls() const { return tls_; }

  int status() const { return status_; }

  HttpHeaders& headers() { return headers_; }

  std::string& body() { return body_; }

 private:
  struct Handles;    // libcurl's
  struct Callbacks;  // what libcurl calls

  void SetRequest(const HttpRequest& request);
  void SetConnection();
  absl::Status SetAddress(const HttpRequest& request);
  void SetTls();
  void TakeHeaderLine(std::string_view line);
  bool TakeBody(std::string_view bytes);  // false: more than there is room for
  // True when `wanted` holds or the answer has ended, false after `timeout`.
  absl::StatusOr<bool> Drive(absl::Duration timeout, const std::function<bool()>& wanted);
  void Perform();
  absl::Status ErrorOf(int curl_code) const;
  absl::Status Expired(absl::Duration timeout) const;
  absl::Status Error(absl::StatusCode code, std::string_view what) const;
  Sent sent() const;

  const HttpOptions options_;
  const Clock& clock_;
  const std::unique_ptr<Handles> handles_;

  // The request.
  std::string what_;  // "GET https://host/path", for messages
  std::string request_body_;
  size_t request_body_sent_ = 0;
  ConnectionUse use_ = ConnectionUse::kRequest;
  std::shared_ptr<const TlsSettings> tls_;
  std::stop_token stop_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  size_t body_bytes_max_ = 0;

  // The answer.
  std::optional<int> result_;  // libcurl's code, once the exchange has ended
  absl::Status error_;         // what it means, unless all of the answer came
  int status_ = 0;
  bool head_complete_ = false;
  bool too_large_ = false;
  HttpHeaders headers_;
  std::string body_;
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_EXCHANGE_H_
