// Server: answers HTTP/1.1 GET requests from a handful of threads. Around cpp-httplib, which no
// other file knows.
//
// Shape:    one handler per path, which also gets what lies below it; requests are small and so are
//           answers. Every answer closes its connection, so that an idle client holds no thread.
// Errors:   of Start: kInvalidArgument for an address that cannot be read, kFailedPrecondition for
//           one that cannot be listened on, with the system's reason.
// Threads:  Confined, but handlers are called on the server's own threads, several at once.
// Owns:     its threads; the destructor stops listening, lets running handlers end and joins.
#ifndef LOGBOOK_HTTP_SERVER_H_
#define LOGBOOK_HTTP_SERVER_H_

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "absl/time/time.h"

#include "logbook/base/status.h"

namespace logbook::http {

struct Request {
  std::string path;                  // "/readyz/streams"
  std::set<std::string> parameters;  // names of the query's parameters: "verbose"
};

struct Response {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

using Handler = std::function<Response(const Request&)>;

struct ServerOptions {
  std::string address = ":8081";             // see ParseAddress; "0" starts nothing
  int threads = 4;                           // requests answered at once; more of them wait
  absl::Duration io_max = absl::Seconds(2);  // a client that is slower than this is cut off
};

class Server {
 public:
  explicit Server(ServerOptions options);
  ~Server();

  // Answers GET and HEAD of `path` and of "`path`/…" by `handler`. Before Start.
  void Get(std::string path, Handler handler);

  // Listens; when it returns OK, connections are accepted. Once.
  absl::Status Start();

  // The port listened on, after Start; 0 if the address is "0".
  int port() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace logbook::http

#endif  // LOGBOOK_HTTP_SERVER_H_
