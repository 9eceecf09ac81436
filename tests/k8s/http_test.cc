#include "logbook/k8s/http.h"

#include <memory>
#include <string>
#include <thread>

#include "absl/synchronization/notification.h"
#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/k8s/transport_status.h"
#include "logbook/support/fake_clock.h"
#include "logbook/support/scripted_server.h"
#include "logbook/support/status_matchers.h"

namespace logbook::k8s {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Code = absl::StatusCode;

class HttpTest : public ::testing::Test {
 protected:
  HttpRequest Request(const std::string& path) { return {.url = server_.url() + path}; }

  absl::StatusOr<HttpAnswer> Get(const std::string& path) { return client_.Send(Request(path)); }

  absl::StatusOr<HttpAnswer> Post(const std::string& path, std::string body) {
    HttpRequest request = Request(path);
    request.method = "POST";
    request.body = std::move(body);
    return client_.Send(request);
  }

  ScriptedServer server_;
  HttpClient client_{{}, SystemClock()};
};

TEST_F(HttpTest, AnswerHasStatusHeadersAndBody) {
  server_.On("GET /a", Reply(404, "body", {"X-One: 1", "x-two: 2", "X-Two: 3"}));
  const absl::StatusOr<HttpAnswer> answer = Get("/a?q=1");
  ASSERT_OK(answer);
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->body, "body");
  EXPECT_EQ(answer->headers.Get("x-one"), "1");
  EXPECT_THAT(answer->headers.GetAll("X-TWO"), ::testing::ElementsAre("2", "3"));
  EXPECT_EQ(answer->headers.Get("missing"), "");
  EXPECT_EQ(server_.Requests()[0].query, "q=1");
}

TEST_F(HttpTest, MethodBodyAndHeadersArrive) {
  server_.On("PATCH /a", Reply(200, ""));
  HttpRequest request = Request("/a");
  request.method = "PATCH";
  request.body = std::string(3 << 20, 'x');
  request.headers = {"Content-Type: text/x", "Audit-ID: 1.2.3"};
  ASSERT_OK(client_.Send(request));
  const ServerRequest got = server_.Requests()[0];
  EXPECT_EQ(got.method, "PATCH");
  EXPECT_EQ(got.body, request.body);
  EXPECT_EQ(got.headers.at("content-type"), "text/x");
  EXPECT_EQ(got.headers.at("audit-id"), "1.2.3");
  EXPECT_EQ(got.headers.count("expect"), 0u);
}

TEST_F(HttpTest, ConnectionIsUsedAgainByTheSameUseOnly) {
  server_.On("GET /a", Reply(200, ""));
  ASSERT_OK(Get("/a"));
  ASSERT_OK(Get("/a"));
  EXPECT_EQ(server_.connections(), 1);
  HttpRequest lease = Request("/a");
  lease.use = ConnectionUse::kLease;
  ASSERT_OK(client_.Send(lease));
  EXPECT_EQ(server_.connections(), 2);
}

TEST_F(HttpTest, NothingListensMeansCertainlyNotSent) {
  HttpRequest request{.method = "POST", .url = "http://127.0.0.1:1/a", .body = "x"};
  const absl::Status status = client_.Send(request).status();
  EXPECT_THAT(status, StatusIs(Code::kUnavailable, AllOf(HasSubstr("POST http://127.0.0.1:1/a"),
                                                         HasSubstr("Connection refused"))));
  EXPECT_EQ(SentOf(status), Sent::kNo);
}

TEST_F(HttpTest, LostAnswerMeansPerhapsSent) {
  server_.On("POST /close", Disconnect());
  server_.On("POST /reset", ResetConnection());
  server_.On("POST /cut", [](const ServerRequest&, ServerConnection& connection) {
    connection.Write("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf");
    connection.Close();
  });
  for (const char* path : {"/close", "/reset", "/cut"}) {
    const absl::Status status = Post(path, "x").status();
    EXPECT_THAT(status, StatusIs(Code::kUnavailable));
    EXPECT_EQ(SentOf(status), Sent::kPerhaps) << path;
  }
}

// libcurl would send it again, of whatever method, on a kept connection that breaks.
TEST_F(HttpTest, RequestWithABodyIsNeverSentTwice) {
  server_.On("GET /a", Reply(200, ""));
  server_.On("POST /a", Disconnect());
  server_.On("POST /a", Reply(200, ""));
  ASSERT_OK(Get("/a"));
  const absl::Status status = Post("/a", "x").status();
  EXPECT_THAT(status, StatusIs(Code::kUnavailable));
  EXPECT_EQ(SentOf(status), Sent::kPerhaps);
  EXPECT_THAT(server_.RequestsTo("/a"), SizeIs(2)) << "the GET and one POST";
  EXPECT_OK(Post("/a", "x")) << "the next call is not spoilt (curl/curl#18206)";
}

TEST_F(HttpTest, KeptConnectionThatTheServerClosedCostsNoWrite) {
  server_.On("GET /a", Reply(200, "", {"Connection: close"}));
  server_.On("POST /a", Reply(200, ""));
  ASSERT_OK(Get("/a"));
  EXPECT_OK(Post("/a", "x"));
}

// 3.
TEST_F(HttpTest, CallEndsAtItsDeadline) {
  server_.On("GET /a", Hang());
  HttpRequest request = Request("/a");
  request.timeout = absl::Milliseconds(50);
  EXPECT_THAT(client_.Send(request),
              StatusIs(Code::kDeadlineExceeded, HasSubstr("no answer within 50ms")));
}

// 1: nobody uses the connection after that.
TEST_F(HttpTest, ConnectionIsClosedAfterADeadline) {
  server_.On("GET /a", Hang());
  server_.On("GET /b", Reply(200, ""));
  HttpRequest request = Request("/a");
  request.timeout = absl::Milliseconds(50);
  EXPECT_THAT(client_.Send(request), StatusIs(Code::kDeadlineExceeded));
  EXPECT_OK(Get("/b"));
  EXPECT_EQ(server_.connections(), 2);
}

TEST_F(HttpTest, StopEndsACallAtOnce) {
  server_.On("GET /a", Hang());
  std::stop_source stop;
  HttpRequest request = Request("/a");
  request.timeout = absl::Hours(1);
  request.stop = stop.get_token();
  std::jthread stopping([&] {
    server_.WaitForRequests(1);
    stop.request_stop();
  });
  EXPECT_THAT(client_.Send(request), StatusIs(Code::kCancelled));
  EXPECT_THAT(client_.Send(request), StatusIs(Code::kCancelled)) << "stopped before it began";
}

TEST_F(HttpTest, BodiesAreBounded) {
  server_.On("GET /a", Reply(200, std::string(1001, 'x')));
  HttpRequest request = Request("/a");
  request.body_bytes_max = 1000;
  const absl::Status status = client_.Send(request).status();
  EXPECT_TRUE(IsResponseTooLarge(status)) << status;
  request.body_bytes_max = 1001;
  EXPECT_OK(client_.Send(request));
}

TEST_F(HttpTest, ErrorBodiesAreCutButStayAnswers) {
  server_.On("GET /a", Reply(500, std::string(1 << 20, 'x')));
  const absl::StatusOr<HttpAnswer> answer = Get("/a");
  ASSERT_OK(answer);
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body.size(), size_t{64} * 1024);
}

TEST_F(HttpTest, InformationalAnswersAreNotTheAnswer) {
  server_.On("GET /a", [](const ServerRequest&, ServerConnection& connection) {
    connection.Write(
        "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
        "HTTP/1.1 200 OK\r\nX-Late: 1\r\nContent-Length: 2\r\n\r\nok");
  });
  const absl::StatusOr<std::unique_ptr<HttpStream>> stream = client_.Open(Request("/a"));
  ASSERT_OK(stream);
  EXPECT_EQ((*stream)->status(), 200);
  EXPECT_EQ((*stream)->headers().Get("X-Late"), "1");
  EXPECT_EQ((*stream)->headers().Get("X-Early"), "");
}

TEST_F(HttpTest, StreamIsReadPieceByPiece) {
  absl::Notification second;
  server_.On("GET /w", [&](const ServerRequest&, ServerConnection& connection) {
    connection.WriteHead(200);
    connection.WriteChunk("one");
    second.WaitForNotification();
    connection.WriteChunk("two");
    connection.EndChunks();
  });
  const absl::StatusOr<std::unique_ptr<HttpStream>> stream = client_.Open(Request("/w"));
  ASSERT_OK(stream);
  std::string body;
  EXPECT_TRUE(*(*stream)->Read(absl::Seconds(10), body));
  EXPECT_EQ(body, "one");
  EXPECT_TRUE(*(*stream)->Read(absl::ZeroDuration(), body)) << "quiet is no end";
  EXPECT_EQ(body, "one");
  second.Notify();
  while (*(*stream)->Read(absl::Seconds(10), body)) {
  }
  EXPECT_EQ(body, "onetwo");
}

TEST_F(HttpTest, StreamThatEndedGivesItsConnectionBackAndOneThatDidNotClosesIt) {
  server_.On("GET /end", Stream({"x"}, WhenDone::kEnd));
  server_.On("GET /hold", Stream({"x"}, WhenDone::kHold));
  std::string body;
  for (int i = 0; i < 2; ++i) {
    const auto stream = client_.Open(Request("/end"));
    while (*(*stream)->Read(absl::Seconds(10), body)) {
    }
  }
  EXPECT_EQ(server_.connections(), 1);
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(client_.Open(Request("/hold")));
  }
  EXPECT_EQ(server_.connections(), 2) << "the kept one, then one more";
}

// 4: there is no limit of streams behind which one would wait unseen.
TEST_F(HttpTest, EveryOpenStreamHasAConnectionOfItsOwn) {
  server_.On("GET /w", Stream({"x"}, WhenDone::kHold));
  std::vector<std::unique_ptr<HttpStream>> streams;
  for (int i = 0; i < 20; ++i) {
    auto stream = client_.Open(Request("/w"));
    ASSERT_OK(stream);
    streams.push_back(*std::move(stream));
  }
  EXPECT_EQ(server_.connections(), 20);
}

TEST_F(HttpTest, BrokenStreamIsAnError) {
  server_.On("GET /w", Stream({"x"}, WhenDone::kClose));
  const auto stream = client_.Open(Request("/w"));
  ASSERT_OK(stream);
  std::string body;
  absl::StatusOr<bool> more = true;
  while (more.ok() && *more) {
    more = (*stream)->Read(absl::Seconds(10), body);
  }
  EXPECT_THAT(more, StatusIs(Code::kUnavailable));
}

TEST_F(HttpTest, StopEndsAStreamAtOnce) {
  server_.On("GET /w", Stream({}, WhenDone::kHold));
  std::stop_source stop;
  HttpRequest request = Request("/w");
  request.stop = stop.get_token();
  const auto stream = client_.Open(request);
  ASSERT_OK(stream);
  std::jthread stopping([&] { stop.request_stop(); });
  std::string body;
  EXPECT_THAT((*stream)->Read(absl::Hours(1), body), StatusIs(Code::kCancelled));
}

TEST_F(HttpTest, ManyThreadsShareAClient) {
  server_.On("GET /a", Reply(200, "body"));
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < 50; ++call) {
        EXPECT_EQ(Get("/a")->body, "body");
      }
    });
  }
  threads.clear();
  EXPECT_LE(server_.connections(), 8);
}

TEST_F(HttpTest, ProxyIsAskedForWhatIsElsewhere) {
  HttpClient proxied({.proxy_url = server_.url()}, SystemClock());
  server_.On("GET http://api.example/a", Reply(200, "by proxy"));
  const absl::StatusOr<HttpAnswer> answer = proxied.Send({.url = "http://api.example/a"});
  ASSERT_OK(answer);
  EXPECT_EQ(answer->body, "by proxy");
}

TEST_F(HttpTest, ConnectionThatWasIdleForLongIsNotTrusted) {
  FakeClock clock;
  HttpClient client({.idle_max = absl::Seconds(60)}, clock);
  server_.On("GET /a", Reply(200, ""));
  ASSERT_OK(client.Send(Request("/a")));
  clock.Advance(absl::Seconds(59));
  ASSERT_OK(client.Send(Request("/a")));
  EXPECT_EQ(server_.connections(), 1);
  clock.Advance(absl::Seconds(60));
  ASSERT_OK(client.Send(Request("/a")));
  EXPECT_EQ(server_.connections(), 2);
}

class HttpsTest : public ::testing::Test {
 protected:
  const TestCertificateAuthority authority_;
  const TestCertificate server_certificate_ =
      authority_.Issue("server", "IP:127.0.0.1,DNS:kubernetes");
  const TestCertificate ann_ = authority_.Issue("ann", "");
  ScriptedServer server_{ScriptedServer::Tls{server_certificate_, authority_.certificate_pem()}};
  HttpClient client_{{}, SystemClock()};

  void SetUp() override {
    server_.On("GET /a", Reply(200, "secret"));
    server_.On("POST /a", Reply(200, ""));
  }

  absl::StatusOr<HttpAnswer> Get(TlsSettings tls) {
    return client_.Send(
        {.url = server_.url() + "/a", .tls = std::make_shared<const TlsSettings>(std::move(tls))});
  }
};

TEST_F(HttpsTest, TrustsTheGivenAuthorityAndShowsTheClientsCertificate) {
  const absl::StatusOr<HttpAnswer> answer = Get({.ca_pem = authority_.certificate_pem(),
                                                 .certificate_pem = ann_.certificate_pem,
                                                 .key_pem = ann_.key_pem});
  ASSERT_OK(answer);
  EXPECT_EQ(answer->body, "secret");
  EXPECT_EQ(server_.Requests()[0].client_certificate, "ann");
}

TEST_F(HttpsTest, RefusesWhomItDoesNotTrust) {
  const TestCertificateAuthority other("other");
  EXPECT_THAT(Get({.ca_pem = other.certificate_pem()}),
              StatusIs(Code::kUnauthenticated, HasSubstr("certificate")));
  EXPECT_THAT(Get({}), StatusIs(Code::kUnauthenticated)) << "the system does not know it";
  EXPECT_OK(Get({.insecure_skip_verify = true}));
  EXPECT_EQ(SentOf(Get({}).status()), Sent::kNo);
}

TEST_F(HttpsTest, ServerNameIsWhatIsVerifiedAndNotTheHostHeader) {
  EXPECT_OK(Get({.ca_pem = authority_.certificate_pem(), .server_name = "kubernetes"}));
  EXPECT_EQ(server_.Requests()[0].headers.at("host"), Concat("127.0.0.1:", server_.port()));
  EXPECT_THAT(Get({.ca_pem = authority_.certificate_pem(), .server_name = "other"}),
              StatusIs(Code::kUnauthenticated));
}

TEST_F(HttpsTest, NewSettingsGetNewConnections) {
  const TlsSettings tls{.ca_pem = authority_.certificate_pem()};
  const auto settings = std::make_shared<const TlsSettings>(tls);
  const HttpRequest request{.url = server_.url() + "/a", .tls = settings};
  ASSERT_OK(client_.Send(request));
  ASSERT_OK(client_.Send(request));
  EXPECT_EQ(server_.connections(), 1);
  ASSERT_OK(Get(tls));
  EXPECT_EQ(server_.connections(), 2);
}

TEST_F(HttpsTest, ExpiredServerCertificateIsNamedSo) {
  const TestCertificate expired = authority_.Issue("server", "IP:127.0.0.1", -absl::Hours(1));
  ScriptedServer server(ScriptedServer::Tls{expired, ""});
  const absl::Status status = client_
                                  .Send({.url = server.url() + "/a",
                                         .tls = std::make_shared<const TlsSettings>(
                                             TlsSettings{.ca_pem = authority_.certificate_pem()})})
                                  .status();
  EXPECT_THAT(status, StatusIs(Code::kUnauthenticated, HasSubstr("certificate has expired")));
}

}  // namespace
}  // namespace logbook::k8s
