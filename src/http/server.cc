#include "logbook/http/server.h"

#include <cerrno>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/synchronization/notification.h"
#include <httplib.h>
#include <netdb.h>
#include <sys/socket.h>

#include "logbook/base/check.h"
#include "logbook/http/address.h"

namespace logbook::http {
namespace {

constexpr size_t kPayloadBytesMax = 1024;  // of requests; nobody has a reason to send one

// httplib would set SO_REUSEPORT, with which a second process on the port gets half the requests
// where it should get an error.
void SetSocketOptions(int socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

Request FromHttplib(const httplib::Request& request) {
  Request result{.path = request.path, .parameters = {}};
  for (const auto& [name, value] : request.params) {
    result.parameters.insert(name);
  }
  return result;
}

void ToHttplib(const Response& response, httplib::Response& result) {
  result.status = response.status;
  result.set_content(response.body, response.content_type);
}

}  // namespace

struct Server::Impl {
  explicit Impl(ServerOptions o) : options(std::move(o)) {}

  // The handler for `path`: that of the longest registered path it equals or lies below.
  const Handler* Find(const std::string& path) const {
    for (std::string at = path; !at.empty(); at.resize(at.rfind('/'))) {
      if (auto found = handlers.find(at); found != handlers.end()) {
        return &found->second;
      }
      if (at.find('/') == std::string::npos) {
        break;
      }
    }
    return nullptr;
  }

  Response Answer(const httplib::Request& request) const {
    const Handler* handler = Find(request.path);
    if (handler == nullptr) {
      return {.status = 404, .body = "not found\n"};
    }
    if (request.method != "GET" && request.method != "HEAD") {
      return {.status = 405, .body = "only GET and HEAD\n"};
    }
    return (*handler)(FromHttplib(request));
  }

  void Configure() {
    server.set_socket_options(SetSocketOptions);
    server.set_keep_alive_max_count(1);
    server.set_read_timeout(absl::ToChronoMicroseconds(options.io_max));
    server.set_write_timeout(absl::ToChronoMicroseconds(options.io_max));
    server.set_payload_max_length(kPayloadBytesMax);
    // before httplib's own routing, which would match by regular expressions
    server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& out) {
      ToHttplib(Answer(request), out);
      return httplib::Server::HandlerResponse::Handled;
    });
    server.new_task_queue = [this] {
      accepting.Notify();  // called once httplib listens, from when on stop() has an effect
      return new httplib::ThreadPool(static_cast<size_t>(options.threads));
    };
  }

  bool BindTo(const std::string& host, int wanted) {
    errno = 0;
    if (wanted == 0) {
      port = server.bind_to_any_port(host, AI_PASSIVE);
      return port > 0;
    }
    port = wanted;
    return server.bind_to_port(host, wanted, AI_PASSIVE);
  }

  absl::Status Bind(const Address& address) {
    // all interfaces: by IPv6, which takes IPv4 too, or by IPv4 where there is no IPv6
    const bool any = address.host.empty();
    bool bound = BindTo(any ? "::" : address.host, address.port);
    if (!bound && any && errno != EADDRINUSE) {
      bound = BindTo("0.0.0.0", address.port);
    }
    if (bound) {
      return absl::OkStatus();
    }
    port = 0;
    const int error = errno;
    return FailedPrecondition("cannot listen on ", options.address, ": ",
                              error == 0 ? "no such host" : std::generic_category().message(error),
                              ": choose another address");
  }

  const ServerOptions options;
  std::map<std::string, Handler> handlers;  // constant after Start
  httplib::Server server;
  absl::Notification accepting;
  int port = 0;
  std::jthread listener;
};

Server::Server(ServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Server::~Server() {
  impl_->server.stop();
}

void Server::Get(std::string path, Handler handler) {
  LOGBOOK_CHECK(!impl_->listener.joinable());
  impl_->handlers[std::move(path)] = std::move(handler);
}

absl::Status Server::Start() {
  LOGBOOK_CHECK(!impl_->listener.joinable());
  LOGBOOK_ASSIGN_OR_RETURN(const Address address, ParseAddress(impl_->options.address));
  if (address.disabled) {
    return absl::OkStatus();
  }
  impl_->Configure();
  LOGBOOK_RETURN_IF_ERROR(impl_->Bind(address));
  impl_->listener = std::jthread([this] { impl_->server.listen_after_bind(); });
  impl_->accepting.WaitForNotification();
  return absl::OkStatus();
}

int Server::port() const {
  return impl_->port;
}

}  // namespace logbook::http
