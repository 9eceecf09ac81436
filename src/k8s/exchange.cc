#include "logbook/k8s/exchange.h"

#include <algorithm>
#include <mutex>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "logbook/base/check.h"

namespace logbook::k8s {
namespace {

constexpr size_t kErrorBodyBytesMax = 64 * 1024;
constexpr size_t kBufferBytes = 64 * 1024;  // libcurl's read buffer: up to four TLS records at once

void InitLibcurlOnce() {
  static std::once_flag once;
  std::call_once(once, [] { LOGBOOK_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); });
}

// Milliseconds for libcurl, never 0 for a wait that is left.
int Milliseconds(absl::Duration duration) {
  return static_cast<int>(absl::ToInt64Milliseconds(std::clamp(
      absl::Ceil(duration, absl::Milliseconds(1)), absl::Milliseconds(1), absl::Hours(1))));
}

curl_blob Blob(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

// Host and port of a URL.
struct Address {
  std::string host;  // an IPv6 address in brackets
  std::string port;
};

std::string Part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) {
    return "";
  }
  std::string result = text;
  curl_free(text);
  return result;
}

// Go, and so every other Kubernetes client, never sends these to a proxy of the environment.
bool IsLoopback(std::string_view host) {
  return host == "localhost" || absl::StartsWith(ToAbsl(host), "127.") || host == "[::1]";
}

absl::StatusCode CodeOf(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:  // of connecting; deadlines of exchanges are ours
      return absl::StatusCode::kUnavailable;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return absl::StatusCode::kUnauthenticated;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return absl::StatusCode::kInvalidArgument;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

}  // namespace

struct Exchange::Handles {
  CURLM* multi = curl_multi_init();
  CURL* easy = curl_easy_init();
  curl_slist* headers = nullptr;
  curl_slist* connect_to = nullptr;
  bool added = false;
  char error[CURL_ERROR_SIZE] = "";

  ~Handles() {
    Remove();
    curl_slist_free_all(headers);
    curl_slist_free_all(connect_to);
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
  }

  void Remove() {
    if (added) {
      curl_multi_remove_handle(multi, easy);
      added = false;
    }
  }

  void Reset() {
    Remove();
    curl_easy_reset(easy);
    curl_slist_free_all(headers);
    curl_slist_free_all(connect_to);
    headers = connect_to = nullptr;
    error[0] = '\0';
  }

  template <typename Value>
  void Set(CURLoption option, Value value) {
    LOGBOOK_CHECK(curl_easy_setopt(easy, option, value) == CURLE_OK);
  }

  void Append(curl_slist*& list, const std::string& text) {
    list = curl_slist_append(list, text.c_str());
    LOGBOOK_CHECK(list != nullptr);
  }
};

struct Exchange::Callbacks {
  static size_t Header(char* data, size_t size, size_t count, void* self) {
    static_cast<Exchange*>(self)->TakeHeaderLine({data, size * count});
    return size * count;
  }

  static size_t Body(char* data, size_t size, size_t count, void* self) {
    return static_cast<Exchange*>(self)->TakeBody({data, size * count}) ? size * count : 0;
  }

  static size_t RequestBody(char* buffer, size_t size, size_t count, void* self) {
    auto* exchange = static_cast<Exchange*>(self);
    const size_t sent = exchange->request_body_sent_;
    const size_t bytes = std::min(size * count, exchange->request_body_.size() - sent);
    std::copy_n(exchange->request_body_.data() + sent, bytes, buffer);
    exchange->request_body_sent_ += bytes;
    return bytes;
  }

  // libcurl resends a request, of any method, whose kept connection breaks before the answer. The
  // server may have acted on it by then, so we refuse to go back to the beginning of the body.
  static int Rewind(void*, curl_off_t, int) { return CURL_SEEKFUNC_FAIL; }

  static int Socket(void* self, curl_socket_t socket, curlsocktype) {
    const auto timeout = static_cast<Exchange*>(self)->options_.dead_peer_timeout;
    const unsigned timeout_ms = static_cast<unsigned>(Milliseconds(timeout));
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    // Both for data that is not acknowledged and for unanswered keepalive probes.
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
    return CURL_SOCKOPT_OK;
  }
};

Exchange::Exchange(const HttpOptions& options, const Clock& clock)
    : options_(options), clock_(clock), handles_([] {
        InitLibcurlOnce();
        return std::make_unique<Handles>();
      }()) {
  LOGBOOK_CHECK(handles_->multi != nullptr && handles_->easy != nullptr);
  curl_multi_setopt(handles_->multi, CURLMOPT_MAXCONNECTS, 1L);
}

Exchange::~Exchange() {
  on_stop_.reset();
}

absl::Status Exchange::Begin(const HttpRequest& request) {
  on_stop_.reset();
  handles_->Reset();
  what_ = Concat(request.method, " ", request.url.substr(0, request.url.find('?')));
  request_body_ = request.body;
  request_body_sent_ = 0;
  use_ = request.use;
  tls_ = request.tls;
  stop_ = request.stop;
  body_bytes_max_ = request.body_bytes_max;
  result_.reset();
  error_ = absl::OkStatus();
  status_ = 0;
  head_complete_ = too_large_ = false;
  headers_.Clear();
  body_.clear();
  SetRequest(request);
  SetConnection();
  LOGBOOK_RETURN_IF_ERROR(SetAddress(request));
  on_stop_.emplace(stop_, [multi = handles_->multi] { curl_multi_wakeup(multi); });
  LOGBOOK_CHECK(curl_multi_add_handle(handles_->multi, handles_->easy) == CURLM_OK);
  handles_->added = true;
  return absl::OkStatus();
}

void Exchange::SetRequest(const HttpRequest& request) {
  Handles& curl = *handles_;
  for (const std::string& header : request.headers) {
    curl.Append(curl.headers, header);
  }
  if (!request.body.empty()) {
    curl.Append(curl.headers, "Expect:");  // no 100-continue: it costs a round trip
    curl.Set(CURLOPT_POST, 1L);
    curl.Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl.Set(CURLOPT_READFUNCTION, &Callbacks::RequestBody);
    curl.Set(CURLOPT_READDATA, this);
    curl.Set(CURLOPT_SEEKFUNCTION, &Callbacks::Rewind);
  }
  curl.Set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl.Set(CURLOPT_HEADERFUNCTION, &Callbacks::Header);
  curl.Set(CURLOPT_HEADERDATA, this);
  curl.Set(CURLOPT_WRITEFUNCTION, &Callbacks::Body);
  curl.Set(CURLOPT_WRITEDATA, this);
}

void Exchange::SetConnection() {
  Handles& curl = *handles_;
  const absl::Duration probe = options_.dead_peer_timeout / 4;
  const long probe_seconds = std::max<long>(1, absl::ToInt64Seconds(probe));
  curl.Set(CURLOPT_NOSIGNAL, 1L);
  curl.Set(CURLOPT_ERRORBUFFER, curl.error);
  curl.Set(CURLOPT_PROTOCOLS_STR, "http,https");
  curl.Set(CURLOPT_HTTP_VERSION,
           static_cast<long>(options_.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  curl.Set(CURLOPT_PATH_AS_IS, 1L);
  curl.Set(CURLOPT_BUFFERSIZE, static_cast<long>(kBufferBytes));
  curl.Set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl.Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(Milliseconds(options_.connect_timeout)));
  // Without it, giving up on a slow name server waits for it to answer (curl/curl#8515).
  curl.Set(CURLOPT_QUICK_EXIT, 1L);
  curl.Set(CURLOPT_TCP_KEEPALIVE, 1L);
  curl.Set(CURLOPT_TCP_KEEPIDLE, probe_seconds);
  curl.Set(CURLOPT_TCP_KEEPINTVL, probe_seconds);
  curl.Set(CURLOPT_SOCKOPTFUNCTION, &Callbacks::Socket);
  curl.Set(CURLOPT_SOCKOPTDATA, this);
}

absl::Status Exchange::SetAddress(const HttpRequest& request) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
  if (curl_url_set(url.get(), CURLUPART_URL, request.url.c_str(), CURLU_PATH_AS_IS) != CURLUE_OK) {
    return Error(absl::StatusCode::kInvalidArgument, "not a URL");
  }
  Handles& curl = *handles_;
  const std::string host = Part(url.get(), CURLUPART_HOST);
  if (!options_.proxy_url.empty()) {
    curl.Set(CURLOPT_PROXY, options_.proxy_url.c_str());
  } else if (IsLoopback(host)) {
    curl.Set(CURLOPT_PROXY, "");
  }
  std::string address = request.url;
  if (tls_ != nullptr) {
    SetTls();
    if (!tls_->server_name.empty() && tls_->server_name != host) {
      // libcurl takes the name to verify from the URL: name the server there, and connect
      // elsewhere.
      const std::string port = Part(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
      curl.Append(curl.connect_to, Concat(tls_->server_name, ":", port, ":", host, ":", port));
      curl.Append(curl.headers, Concat("Host: ", host, ":", port));
      curl_url_set(url.get(), CURLUPART_HOST, tls_->server_name.c_str(), 0);
      address = Part(url.get(), CURLUPART_URL);
    }
  }
  curl.Set(CURLOPT_URL, address.c_str());
  curl.Set(CURLOPT_CONNECT_TO, curl.connect_to);
  curl.Set(CURLOPT_HTTPHEADER, curl.headers);
  return absl::OkStatus();
}

void Exchange::SetTls() {
  Handles& curl = *handles_;
  curl.Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl.Set(CURLOPT_SSL_VERIFYPEER, tls_->insecure_skip_verify ? 0L : 1L);
  curl.Set(CURLOPT_SSL_VERIFYHOST, tls_->insecure_skip_verify ? 0L : 2L);
  if (!tls_->ca_pem.empty()) {
    // Otherwise libcurl trusts the system's directory beside our certificates.
    curl.Set(CURLOPT_CAINFO, nullptr);
    curl.Set(CURLOPT_CAPATH, nullptr);
    curl_blob ca = Blob(tls_->ca_pem);
    curl.Set(CURLOPT_CAINFO_BLOB, &ca);
  }
  if (!tls_->certificate_pem.empty()) {
    curl_blob certificate = Blob(tls_->certificate_pem);
    curl_blob key = Blob(tls_->key_pem);
    curl.Set(CURLOPT_SSLCERT_BLOB, &certificate);
    curl.Set(CURLOPT_SSLKEY_BLOB, &key);
  }
}

void Exchange::TakeHeaderLine(std::string_view line) {
  const absl::string_view text = absl::StripAsciiWhitespace(ToAbsl(line));
  if (absl::StartsWith(text, "HTTP/")) {
    // The first line of an answer; one may follow an informational one.
    long status = 0;
    curl_easy_getinfo(handles_->easy, CURLINFO_RESPONSE_CODE, &status);
    status_ = static_cast<int>(status);
    headers_.Clear();
  } else if (text.empty()) {
    head_complete_ = status_ >= 200;
  } else if (const size_t colon = text.find(':'); colon != absl::string_view::npos) {
    headers_.Add(ToStd(text.substr(0, colon)),
                 ToStd(absl::StripLeadingAsciiWhitespace(text.substr(colon + 1))));
  }
}

bool Exchange::TakeBody(std::string_view bytes) {
  const bool is_error = status_ >= 400;
  const size_t bytes_max = is_error ? kErrorBodyBytesMax : body_bytes_max_;
  const size_t room = bytes_max - std::min(bytes_max, body_.size());
  too_large_ = bytes.size() > room;
  if (is_error || !too_large_) {
    body_.append(bytes.substr(0, room));
  }
  return !too_large_;
}

absl::Status Exchange::DriveUntilHead(absl::Duration timeout) {
  LOGBOOK_ASSIGN_OR_RETURN(const bool there, Drive(timeout, [this] { return head_complete_; }));
  return there ? absl::OkStatus() : Expired(timeout);
}

absl::Status Exchange::DriveUntilData(absl::Duration timeout) {
  return Drive(timeout, [this] { return !body_.empty(); }).status();
}

absl::Status Exchange::DriveUntilEnd(absl::Duration timeout) {
  LOGBOOK_ASSIGN_OR_RETURN(const bool there, Drive(timeout, [] { return false; }));
  return there ? absl::OkStatus() : Expired(timeout);
}

absl::StatusOr<bool> Exchange::Drive(absl::Duration timeout, const std::function<bool()>& wanted) {
  const absl::Duration deadline = clock_.Monotonic() + timeout;
  for (;;) {
    if (!ended()) {
      Perform();
    }
    if (wanted()) {
      return true;  // even if the exchange broke after it: what arrived is good
    }
    if (ended()) {
      LOGBOOK_RETURN_IF_ERROR(error_);
      return true;
    }
    // Between Perform and poll: libcurl 8.21 takes a wake-up that comes during Perform for its own
    // (curl/curl#22272), and the stop behind it must not be slept over.
    if (stop_.stop_requested()) {
      return Error(absl::StatusCode::kCancelled, "stopped");
    }
    const absl::Duration left = deadline - clock_.Monotonic();
    if (left <= absl::ZeroDuration()) {
      return false;
    }
    LOGBOOK_CHECK(curl_multi_poll(handles_->multi, nullptr, 0, Milliseconds(left), nullptr) ==
                  CURLM_OK);
  }
}

void Exchange::Perform() {
  int running = 0;
  LOGBOOK_CHECK(curl_multi_perform(handles_->multi, &running) == CURLM_OK);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(handles_->multi, &left)) {
    if (message->msg == CURLMSG_DONE) {
      result_ = message->data.result;
      on_stop_.reset();
    }
  }
  // Of an error answer that is too large the beginning tells enough.
  if (ended() && *result_ != CURLE_OK && !(too_large_ && status_ >= 400)) {
    error_ = ErrorOf(*result_);
  }
}

bool Exchange::reusable() const {
  return result_.has_value() && *result_ == CURLE_OK;
}

Sent Exchange::sent() const {
  if (!request_body_.empty()) {
    return request_body_sent_ > 0 ? Sent::kPerhaps : Sent::kNo;
  }
  curl_off_t before_transfer = 0;
  curl_easy_getinfo(handles_->easy, CURLINFO_PRETRANSFER_TIME_T, &before_transfer);
  return before_transfer > 0 ? Sent::kPerhaps : Sent::kNo;
}

absl::Status Exchange::ErrorOf(int curl_code) const {
  if (too_large_) {
    return ResponseTooLarge(what_, body_bytes_max_);
  }
  const auto code = static_cast<CURLcode>(curl_code);
  std::string what = handles_->error[0] != '\0' ? handles_->error : curl_easy_strerror(code);
  long os_error = 0;
  curl_easy_getinfo(handles_->easy, CURLINFO_OS_ERRNO, &os_error);
  const std::string reason =
      os_error != 0 ? std::generic_category().message(static_cast<int>(os_error)) : "";
  if (!absl::StrContains(what, reason)) {
    what += Concat(" (", reason, ")");
  }
  return Error(CodeOf(code), what);
}

absl::Status Exchange::Expired(absl::Duration timeout) const {
  return Error(absl::StatusCode::kDeadlineExceeded,
               Concat("no answer within ", absl::FormatDuration(timeout)));
}

absl::Status Exchange::Error(absl::StatusCode code, std::string_view what) const {
  return TransportError(code, Concat(what_, ": ", what), sent());
}

}  // namespace logbook::k8s
