#include "logbook/support/scripted_server.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

namespace logbook {
namespace {

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "scripted server: %s failed\n", what);
    std::abort();
  }
}

X509* ReadCertificate(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free_all(bio);
  Require(certificate != nullptr, "reading a certificate");
  return certificate;
}

std::string Head(int status, const std::vector<std::string>& headers) {
  std::string head = absl::StrCat("HTTP/1.1 ", status, " Scripted\r\n");
  for (const std::string& header : headers) {
    absl::StrAppend(&head, header, "\r\n");
  }
  return head;
}

ServerRequest ParseHead(const std::string& head) {
  ServerRequest request;
  const std::vector<std::string> lines = absl::StrSplit(head, "\r\n");
  const std::vector<std::string> first = absl::StrSplit(lines[0], ' ');
  if (first.size() < 2) {
    return request;
  }
  request.method = first[0];
  const std::pair<std::string, std::string> target =
      absl::StrSplit(first[1], absl::MaxSplits('?', 1));
  request.path = target.first;
  request.query = target.second;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::pair<std::string, std::string> field =
        absl::StrSplit(lines[i], absl::MaxSplits(": ", 1));
    std::string& value = request.headers[absl::AsciiStrToLower(field.first)];
    absl::StrAppend(&value, value.empty() ? "" : ", ", field.second);
  }
  return request;
}

}  // namespace

struct ScriptedServer::TlsContext {
  explicit TlsContext(const Tls& tls) : context(SSL_CTX_new(TLS_server_method())) {
    X509* certificate = ReadCertificate(tls.certificate.certificate_pem);
    Require(SSL_CTX_use_certificate(context, certificate) == 1, "using the certificate");
    X509_free(certificate);
    BIO* bio = BIO_new_mem_buf(tls.certificate.key_pem.data(), -1);
    EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
    Require(SSL_CTX_use_PrivateKey(context, key) == 1, "using the key");
    EVP_PKEY_free(key);
    BIO_free_all(bio);
    if (!tls.client_ca_pem.empty()) {
      X509* authority = ReadCertificate(tls.client_ca_pem);
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
      X509_free(authority);
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
      // A context that asks for certificates resumes no session without it.
      SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>("t"), 1);
    }
  }

  ~TlsContext() { SSL_CTX_free(context); }

  SSL_CTX* context;
};

class ScriptedServer::Connection : public ServerConnection {
 public:
  Connection(int fd, SSL* ssl, int number) : number_(number), fd_(fd), ssl_(ssl) {}

  ~Connection() override {
    SSL_free(ssl_);
    close(fd_);
  }

  bool Handshake() { return ssl_ == nullptr || SSL_accept(ssl_) == 1; }

  bool Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t sent = ssl_ != nullptr
                               ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                               : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        open_ = false;
        return false;
      }
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  void Close() override {
    open_ = false;
    shutdown(fd_, SHUT_RDWR);
  }

  void Reset() override {
    open_ = false;
    const sockaddr nowhere = {.sa_family = AF_UNSPEC, .sa_data = {}};
    connect(fd_, &nowhere, sizeof(nowhere));  // Linux answers this with a RST
  }

  void WaitForClose() override {
    while (open_ && Fill()) {
    }
    open_ = false;
  }

  // False when there is none any more.
  bool ReadRequest(ServerRequest& request) {
    size_t head_end = std::string::npos;
    while ((head_end = input_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) {
        return false;
      }
    }
    request = ParseHead(input_.substr(0, head_end));
    input_.erase(0, head_end + 4);
    size_t length = 0;
    (void)absl::SimpleAtoi(request.headers["content-length"], &length);
    while (input_.size() < length) {
      if (!Fill()) {
        return false;
      }
    }
    request.body = input_.substr(0, length);
    input_.erase(0, length);
    request.connection = number_;
    request.client_certificate = ClientCertificate();
    return true;
  }

  bool open() const { return open_; }

  // From another thread: ends whatever the script waits for.
  void Interrupt() const { shutdown(fd_, SHUT_RDWR); }

 private:
  bool Fill() {
    char buffer[16 * 1024];
    const ssize_t got = ssl_ != nullptr ? SSL_read(ssl_, buffer, sizeof(buffer))
                                        : recv(fd_, buffer, sizeof(buffer), 0);
    if (got <= 0) {
      return false;
    }
    input_.append(buffer, static_cast<size_t>(got));
    return true;
  }

  std::string ClientCertificate() const {
    X509* certificate = ssl_ == nullptr ? nullptr : SSL_get1_peer_certificate(ssl_);
    if (certificate == nullptr) {
      return "";
    }
    char name[256] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name,
                              sizeof(name));
    X509_free(certificate);
    return name;
  }

  const int number_;
  const int fd_;
  SSL* const ssl_;
  std::string input_;
  bool open_ = true;
};

struct ScriptedServer::Worker {
  std::unique_ptr<Connection> connection;
  std::atomic<bool> done = false;
  std::jthread thread;  // ends before the connection is destroyed
};

void ServerConnection::WriteHead(int status, const std::vector<std::string>& headers) {
  Write(Head(status, headers) +
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
}

bool ServerConnection::WriteChunk(std::string_view bytes) {
  return Write(absl::StrCat(absl::Hex(bytes.size()), "\r\n", std::string(bytes), "\r\n"));
}

void ServerConnection::EndChunks() {
  Write("0\r\n\r\n");
}

ServerScript Reply(int status, std::string body, std::vector<std::string> headers) {
  return [=](const ServerRequest&, ServerConnection& connection) {
    connection.Write(
        absl::StrCat(Head(status, headers), "Content-Length: ", body.size(), "\r\n\r\n", body));
  };
}

ServerScript Stream(std::vector<std::string> chunks, WhenDone done) {
  return [=](const ServerRequest&, ServerConnection& connection) {
    connection.WriteHead(200);
    for (const std::string& chunk : chunks) {
      connection.WriteChunk(chunk);
    }
    switch (done) {
      case WhenDone::kEnd:
        return connection.EndChunks();
      case WhenDone::kHold:
        return connection.WaitForClose();
      case WhenDone::kClose:
        return connection.Close();
      case WhenDone::kReset:
        return connection.Reset();
    }
  };
}

ServerScript Hang() {
  return [](const ServerRequest&, ServerConnection& connection) { connection.WaitForClose(); };
}

ServerScript Disconnect() {
  return [](const ServerRequest&, ServerConnection& connection) { connection.Close(); };
}

ServerScript ResetConnection() {
  return [](const ServerRequest&, ServerConnection& connection) { connection.Reset(); };
}

ScriptedServer::ScriptedServer() {
  Start();
}

ScriptedServer::ScriptedServer(const Tls& tls) : tls_(std::make_unique<TlsContext>(tls)) {
  Start();
}

ScriptedServer::~ScriptedServer() {
  shutdown(listen_fd_, SHUT_RDWR);
  acceptor_.join();
  for (const std::shared_ptr<Worker>& worker : workers_) {
    worker->connection->Interrupt();
  }
  workers_.clear();
  close(listen_fd_);
}

void ScriptedServer::Start() {
  listen_fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  Require(bind(listen_fd_, generic, size) == 0 && listen(listen_fd_, 64) == 0 &&
              getsockname(listen_fd_, generic, &size) == 0,
          "listening");
  port_ = ntohs(address.sin_port);
  url_ = absl::StrCat(tls_ != nullptr ? "https" : "http", "://127.0.0.1:", port_);
  acceptor_ = std::jthread([this] { Accept(); });
}

void ScriptedServer::Accept() {
  for (;;) {
    const int fd = accept4(listen_fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) {
      return;
    }
    const int no_delay = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof(no_delay));
    SSL* ssl = tls_ != nullptr ? SSL_new(tls_->context) : nullptr;
    if (ssl != nullptr) {
      SSL_set_fd(ssl, fd);
    }
    std::erase_if(workers_, [](const auto& worker) { return worker->done.load(); });
    workers_.push_back(std::make_shared<Worker>());
    Worker& worker = *workers_.back();
    worker.connection = std::make_unique<Connection>(fd, ssl, ++connections_);
    worker.thread = std::jthread([this, &worker] {
      // Only here: a client that dies of SIGPIPE shall be seen to.
      sigset_t pipe;
      sigemptyset(&pipe);
      sigaddset(&pipe, SIGPIPE);
      pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
      if (worker.connection->Handshake()) {
        Serve(*worker.connection);
      }
      worker.connection->Interrupt();
      worker.done = true;
    });
  }
}

void ScriptedServer::Serve(Connection& connection) {
  ServerRequest request;
  while (connection.open() && connection.ReadRequest(request)) {
    ScriptFor(request)(request, connection);
  }
}

ServerScript ScriptedServer::ScriptFor(const ServerRequest& request) {
  absl::MutexLock lock(&mu_);
  requests_.push_back(request);
  const std::string path = absl::StrCat(request.method, " ", request.path);
  std::deque<ServerScript>* found = nullptr;
  for (auto& [what, scripts] : scripts_) {
    const std::pair<std::string, std::string> key = absl::StrSplit(what, absl::MaxSplits('?', 1));
    // A longer key sorts later, so what also names a part of the query wins.
    if (key.first == path && absl::StrContains(request.query, key.second)) {
      found = &scripts;
    }
  }
  if (found == nullptr) {
    unscripted_.push_back(absl::StrCat(path, "?", request.query));
    return Reply(500, "no script for " + path);
  }
  ServerScript script = found->front();
  if (found->size() > 1) {
    found->pop_front();
  }
  return script;
}

void ScriptedServer::On(std::string_view what, ServerScript script) {
  absl::MutexLock lock(&mu_);
  scripts_[std::string(what)].push_back(std::move(script));
}

std::vector<ServerRequest> ScriptedServer::Requests() const {
  absl::MutexLock lock(&mu_);
  return requests_;
}

std::vector<ServerRequest> ScriptedServer::RequestsTo(std::string_view path) const {
  std::vector<ServerRequest> found;
  for (ServerRequest& request : Requests()) {
    if (request.path == path) {
      found.push_back(std::move(request));
    }
  }
  return found;
}

std::vector<std::string> ScriptedServer::Unscripted() const {
  absl::MutexLock lock(&mu_);
  return unscripted_;
}

bool ScriptedServer::WaitForRequests(size_t count) const {
  absl::MutexLock lock(&mu_);
  const auto there = [this, count]()
                         ABSL_SHARED_LOCKS_REQUIRED(mu_) { return requests_.size() >= count; };
  return mu_.AwaitWithTimeout(absl::Condition(&there), absl::Seconds(20));
}

}  // namespace logbook
