#include "logbook/http/server.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/barrier.h"
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "logbook/support/status_matchers.h"

namespace logbook::http {
namespace {

Handler Says(std::string text) {
  return [text](const Request&) { return Response{.status = 200, .body = text}; };
}

// A connection that speaks bytes.
class RawClient {
 public:
  explicit RawClient(int port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }

  ~RawClient() { close(fd_); }

  void Send(const std::string& bytes) const {
    EXPECT_GE(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
  }

  // All that comes until the server closes.
  std::string ReadAll() const {
    std::string all;
    char buffer[4096];
    for (ssize_t got = 0; (got = recv(fd_, buffer, sizeof(buffer), 0)) > 0;) {
      all.append(buffer, static_cast<size_t>(got));
    }
    return all;
  }

 private:
  const int fd_;
};

TEST(ServerTest, HandlersAnswerTheirPathAndWhatLiesBelow) {
  Server server({.address = "127.0.0.1:0"});
  server.Get("/a", [](const Request& request) { return Response{.body = "a" + request.path}; });
  server.Get("/a/b", Says("b"));
  ASSERT_OK(server.Start());
  httplib::Client client("127.0.0.1", server.port());
  EXPECT_EQ(client.Get("/a")->body, "a/a");
  EXPECT_EQ(client.Get("/a/")->body, "a/a/");
  EXPECT_EQ(client.Get("/a/c/d")->body, "a/a/c/d");
  EXPECT_EQ(client.Get("/a/b")->body, "b");
  EXPECT_EQ(client.Get("/a/b/c")->body, "b");
  EXPECT_EQ(client.Get("/ab")->status, 404);
  EXPECT_EQ(client.Get("/")->status, 404);
}

TEST(ServerTest, ParametersAreGivenByName) {
  Server server({.address = "127.0.0.1:0"});
  server.Get("/a", [](const Request& request) {
    std::string names;
    for (const std::string& name : request.parameters) {
      names += name + ";";
    }
    return Response{.body = names};
  });
  ASSERT_OK(server.Start());
  httplib::Client client("127.0.0.1", server.port());
  EXPECT_EQ(client.Get("/a?verbose&exclude=x&exclude=y")->body, "exclude;verbose;");
}

TEST(ServerTest, StatusAndTypeAreThoseOfTheHandler) {
  Server server({.address = "127.0.0.1:0"});
  server.Get("/a", [](const Request&) {
    return Response{.status = 503, .body = "{}", .content_type = "application/json"};
  });
  ASSERT_OK(server.Start());
  httplib::Client client("127.0.0.1", server.port());
  const httplib::Result result = client.Get("/a");
  EXPECT_EQ(result->status, 503);
  EXPECT_EQ(result->get_header_value("Content-Type"), "application/json");
}

TEST(ServerTest, HeadHasNoBodyAndOtherMethodsAreRefused) {
  Server server({.address = "127.0.0.1:0"});
  server.Get("/a", Says("text"));
  ASSERT_OK(server.Start());
  httplib::Client client("127.0.0.1", server.port());
  EXPECT_EQ(client.Head("/a")->status, 200);
  EXPECT_EQ(client.Head("/a")->body, "");
  EXPECT_EQ(client.Post("/a", "x", "text/plain")->status, 405);
  EXPECT_EQ(client.Delete("/a")->status, 405);
}

TEST(ServerTest, ZeroStartsNothing) {
  Server server({.address = "0"});
  server.Get("/a", Says("a"));
  EXPECT_OK(server.Start());
  EXPECT_EQ(server.port(), 0);
}

TEST(ServerTest, AllInterfacesAreOneAddress) {
  Server server({.address = ":0"});
  server.Get("/a", Says("a"));
  ASSERT_OK(server.Start());
  EXPECT_EQ(httplib::Client("127.0.0.1", server.port()).Get("/a")->body, "a");
}

TEST(ServerTest, PortInUseIsAnErrorThatSaysSo) {
  Server first({.address = "127.0.0.1:0"});
  ASSERT_OK(first.Start());
  const std::string address = Concat("127.0.0.1:", first.port());
  Server second({.address = address});
  EXPECT_THAT(second.Start(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       testing::AllOf(testing::HasSubstr(address), testing::HasSubstr("in use"))));
  EXPECT_EQ(second.port(), 0);
}

TEST(ServerTest, PortInUseOnAllInterfacesIsAnErrorToo) {
  Server first({.address = ":0"});
  ASSERT_OK(first.Start());
  Server second({.address = Concat(":", first.port())});
  EXPECT_THAT(second.Start(), StatusIs(absl::StatusCode::kFailedPrecondition));
}

// 192.0.2.0/24 is for documentation, no interface has it.
TEST(ServerTest, AddressOfAnotherMachineIsAnError) {
  Server server({.address = "192.0.2.1:0"});
  EXPECT_THAT(server.Start(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                       testing::HasSubstr("cannot listen on 192.0.2.1:0")));
}

TEST(ServerTest, MalformedAddressIsAnError) {
  Server server({.address = "8081"});
  EXPECT_THAT(server.Start(), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ServerTest, StartsAndStopsManyTimes) {
  for (int i = 0; i < 200; ++i) {
    Server server({.address = "127.0.0.1:0", .threads = 1});
    ASSERT_OK(server.Start());
  }
}

TEST(ServerTest, NeverStartedIsDestroyedAllTheSame) {
  Server server({.address = "127.0.0.1:0"});
  server.Get("/a", Says("a"));
}

TEST(ServerTest, AnswersSeveralAtOnce) {
  constexpr int kClients = 3;
  Server server({.address = "127.0.0.1:0", .threads = kClients});
  // goes on only when all three are inside
  auto* barrier = new absl::Barrier(kClients);
  std::atomic<absl::Barrier*> shared = barrier;
  server.Get("/a", [&shared](const Request&) {
    if (shared.load()->Block()) {
      delete shared.load();
    }
    return Response{.body = "a"};
  });
  ASSERT_OK(server.Start());
  std::atomic<int> answers = 0;
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < kClients; ++i) {
      clients.emplace_back([&] {
        httplib::Client client("127.0.0.1", server.port());
        answers += client.Get("/a")->status == 200 ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(answers, kClients);
}

TEST(ServerTest, EveryAnswerClosesItsConnection) {
  Server server({.address = "127.0.0.1:0", .threads = 1});
  server.Get("/a", Says("text"));
  ASSERT_OK(server.Start());
  const RawClient client(server.port());
  client.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string answer = client.ReadAll();  // ends, since the server closes
  EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, testing::EndsWith("text"));
}

TEST(ServerTest, NonsenseGetsNoAnswerOr400AndTheServerLives) {
  Server server({.address = "127.0.0.1:0", .io_max = absl::Milliseconds(300)});
  server.Get("/a", Says("a"));
  ASSERT_OK(server.Start());
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("\x16\x03\x01\x02\x00\x01", 6),
        std::string(20'000, 'A'), std::string("GET /a HTTP/9.9\r\n\r\n"),
        "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n",
        std::string("POST /a HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n")}) {
    const RawClient client(server.port());
    client.Send(bytes);
    const std::string answer = client.ReadAll();
    EXPECT_EQ(answer.find("HTTP/1.1 200"), std::string::npos) << bytes.substr(0, 20);
  }
  EXPECT_EQ(httplib::Client("127.0.0.1", server.port()).Get("/a")->body, "a");
}

TEST(ServerTest, SilentClientIsCutOffAndHoldsUpNobodyForLong) {
  Server server({.address = "127.0.0.1:0", .threads = 1, .io_max = absl::Milliseconds(200)});
  server.Get("/a", Says("a"));
  ASSERT_OK(server.Start());
  const RawClient silent(server.port());
  silent.Send("GET /a HT");
  EXPECT_EQ(httplib::Client("127.0.0.1", server.port()).Get("/a")->body, "a");
}

TEST(ServerTest, StopsWhileAClientIsConnected) {
  auto server = std::make_unique<Server>(
      ServerOptions{.address = "127.0.0.1:0", .threads = 1, .io_max = absl::Milliseconds(200)});
  ASSERT_OK(server->Start());
  const RawClient silent(server->port());
  server.reset();
  EXPECT_EQ(silent.ReadAll(), "");
}

}  // namespace
}  // namespace logbook::http
