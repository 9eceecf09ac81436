#include "logbook/k8s/http_api_client.h"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/k8s/transport_status.h"
#include "logbook/support/scripted_server.h"
#include "logbook/support/status_matchers.h"

namespace logbook::k8s {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;
using Code = absl::StatusCode;

const Resource kApps{.group = "apps", .version = "v1", .plural = "deployments"};
const Target kWeb{kApps, {"shop", "web"}};
constexpr char kWebPath[] = "/apis/apps/v1/namespaces/shop/deployments/web";
constexpr char kCollection[] = "/apis/apps/v1/namespaces/shop/deployments";

class HttpApiClientTest : public ::testing::Test {
 protected:
  void SetUp() override { Make(server_.url()); }

  void Make(const std::string& url) {
    HttpApiClientOptions options;
    options.wait = [this](absl::Duration wait, const std::stop_token& stop) {
      waits_.push_back(wait);
      return !stop.stop_requested();
    };
    Config config;
    config.cluster.server = url;
    auto client = HttpApiClient::Create(config, options, SystemClock(), Logger(&sink_));
    ASSERT_OK(client);
    api_ = *std::move(client);
  }

  // The only request of the test so far.
  ServerRequest Request() {
    const std::vector<ServerRequest> requests = server_.Requests();
    EXPECT_THAT(requests, SizeIs(1));
    return requests.empty() ? ServerRequest() : requests[0];
  }

  ScriptedServer server_;
  std::ostringstream log_;
  LogSink sink_{log_, LogLevel::kInfo, SystemClock()};
  std::vector<absl::Duration> waits_;
  std::unique_ptr<HttpApiClient> api_;
};

TEST_F(HttpApiClientTest, GetAsksForPlainJson) {
  server_.On(Concat("GET ", kWebPath), Reply(200, "{}"));
  const absl::StatusOr<ApiReply> reply = api_->Get(kWeb, {.audit_id = "1.2.3"});
  ASSERT_OK(reply);
  EXPECT_EQ(reply->http_status, 200);
  EXPECT_EQ(reply->body, "{}");
  const ServerRequest request = Request();
  EXPECT_EQ(request.query, "");
  EXPECT_EQ(request.headers.at("accept"), "application/json");
  EXPECT_EQ(request.headers.at("accept-encoding"), "identity");
  EXPECT_EQ(request.headers.at("audit-id"), "1.2.3");
  EXPECT_THAT(request.headers.at("user-agent"),
              ::testing::MatchesRegex("logbook/[0-9.]+ .linux/[a-z0-9]+."));
}

// 38: a list never watches.
TEST_F(HttpApiClientTest, ListParameters) {
  server_.On(Concat("GET ", kCollection), Reply(200, "{}"));
  ASSERT_OK(
      api_->List(kWeb, {.limit = 500, .continue_token = "a=b", .label_selector = "x in (y)"}, {}));
  EXPECT_EQ(Request().query, "limit=500&continue=a%3Db&labelSelector=x%20in%20%28y%29");
}

TEST_F(HttpApiClientTest, WritesSayWhatTheyAre) {
  server_.On(Concat("POST ", kCollection), Reply(201, "{}"));
  server_.On(Concat("PATCH ", kWebPath), Reply(200, "{}"));
  server_.On(Concat("PATCH ", kWebPath, "/status"), Reply(200, "{}"));
  server_.On(Concat("DELETE ", kWebPath), Reply(200, "{}"));
  const WriteOptions write{.field_manager = "me", .force = true, .strict = true};
  EXPECT_EQ(api_->Create(kWeb, "{1}", {.field_manager = "me"}, {})->http_status, 201);
  EXPECT_OK(api_->Apply(kWeb, "{2}", write, {}));
  EXPECT_OK(api_->MergePatch({kApps, {"shop", "web"}, "status"}, "{3}", {}, {}));
  EXPECT_OK(api_->JsonPatch(kWeb, "[4]", {}, {}));
  EXPECT_OK(
      api_->Delete(kWeb, {.uid = "u", .resource_version = "7", .propagation = "Background"}, {}));
  const std::vector<ServerRequest> requests = server_.Requests();
  ASSERT_THAT(requests, SizeIs(5));
  EXPECT_EQ(requests[0].query, "fieldManager=me");
  EXPECT_EQ(requests[0].headers.at("content-type"), "application/json");
  EXPECT_EQ(requests[1].query, "fieldManager=me&force=true&fieldValidation=Strict");
  EXPECT_EQ(requests[1].headers.at("content-type"), "application/apply-patch+yaml");
  EXPECT_EQ(requests[1].body, "{2}");
  EXPECT_EQ(requests[2].headers.at("content-type"), "application/merge-patch+json");
  EXPECT_EQ(requests[3].headers.at("content-type"), "application/json-patch+json");
  EXPECT_EQ(requests[3].body, "[4]");
  EXPECT_EQ(requests[4].body,
            R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":)"
            R"({"resourceVersion":"7","uid":"u"},"propagationPolicy":"Background"})");
}

TEST_F(HttpApiClientTest, PathPrefixOfTheServerIsKept) {
  Make(server_.url() + "/k8s/clusters/x");
  server_.On("GET /k8s/clusters/x/version", Reply(200, "{}"));
  EXPECT_OK(api_->GetPath("/version", {}));
}

TEST_F(HttpApiClientTest, RefusalNamesTheCall) {
  server_.On(Concat("PATCH ", kWebPath),
             Reply(409, R"({"kind":"Status","reason":"Conflict","message":"m","code":409})",
                   {"Audit-ID: abc"}));
  const absl::Status status = api_->Apply(kWeb, "{}", {}, {}).status();
  EXPECT_THAT(status,
              StatusIs(Code::kAborted, HasSubstr(Concat("PATCH ", kWebPath, ": 409 Conflict: m"))));
  EXPECT_EQ(ApiStatusOf(status)->audit_id, "abc");
}

// 5.
TEST_F(HttpApiClientTest, ThrottledWritesAreSentAgainAsTheyWereAfterTheGivenTime) {
  const ServerScript throttle = Reply(429, "later", {"Retry-After: 2"});
  server_.On(Concat("POST ", kCollection), throttle);
  server_.On(Concat("POST ", kCollection), throttle);
  server_.On(Concat("POST ", kCollection), Reply(201, "{}"));
  ASSERT_OK(api_->Create(kWeb, "{body}", {}, {.audit_id = "1.2.3"}));
  EXPECT_THAT(waits_, SizeIs(2));
  EXPECT_THAT(waits_, ::testing::Each(AllOf(Ge(absl::Seconds(2)), Le(absl::Seconds(2.2)))));
  for (const ServerRequest& request : server_.Requests()) {
    EXPECT_EQ(request.body, "{body}");
    EXPECT_EQ(request.headers.at("audit-id"), "1.2.3");
  }
}

// 5.
TEST_F(HttpApiClientTest, ThrottlingForEverIsGivenUp) {
  server_.On(Concat("DELETE ", kWebPath), Reply(429, "later", {"Retry-After: 0"}));
  EXPECT_THAT(api_->Delete(kWeb, {}, {}), StatusIs(Code::kResourceExhausted));
  EXPECT_THAT(server_.Requests(), SizeIs(kCallAttemptsMax));
}

TEST_F(HttpApiClientTest, WhatDoesNotFitIntoTheCallsTimeIsNotWaitedFor) {
  server_.On(Concat("DELETE ", kWebPath), Reply(429, "later", {"Retry-After: 31"}));
  EXPECT_THAT(api_->Delete(kWeb, {}, {}), StatusIs(Code::kResourceExhausted));
  EXPECT_THAT(waits_, IsEmpty());
}

// 6.
TEST_F(HttpApiClientTest, ShutdownAnswerInTextClosesAndReconnects) {
  server_.On(Concat("GET ", kWebPath), [](const ServerRequest&, ServerConnection& connection) {
    connection.Write(
        "HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\n"
        "Connection: close\r\nRetry-After: 5\r\nContent-Length: 3\r\n\r\nbye");
    connection.Close();
  });
  server_.On(Concat("GET ", kWebPath), Reply(200, "{}"));
  EXPECT_OK(api_->Get(kWeb, {}));
  EXPECT_THAT(waits_, SizeIs(1));
  EXPECT_EQ(server_.connections(), 2);
}

// 7.
TEST_F(HttpApiClientTest, ProxysErrorLeavesAWriteUnknown) {
  server_.On(Concat("POST ", kCollection), Reply(502, "<html>Bad Gateway</html>"));
  const absl::Status status = api_->Create(kWeb, "{}", {}, {}).status();
  EXPECT_THAT(status, StatusIs(Code::kUnavailable));
  EXPECT_TRUE(IsOutcomeUnknown(status));
  EXPECT_THAT(server_.Requests(), SizeIs(1));
}

TEST_F(HttpApiClientTest, BrokenReadIsTriedAgainAndABrokenWriteIsNot) {
  server_.On(Concat("GET ", kWebPath), Disconnect());
  server_.On(Concat("GET ", kWebPath), Reply(200, "{}"));
  EXPECT_OK(api_->Get(kWeb, {}));
  server_.On(Concat("PATCH ", kWebPath), Disconnect());
  server_.On(Concat("PATCH ", kWebPath), Reply(200, "{}"));
  const absl::Status status = api_->Apply(kWeb, "{}", {}, {}).status();
  EXPECT_THAT(status, StatusIs(Code::kUnavailable));
  EXPECT_TRUE(IsOutcomeUnknown(status));
}

// 14.
TEST_F(HttpApiClientTest, WarningIsLoggedOnce) {
  server_.On(Concat("GET ", kWebPath),
             Reply(200, "{}", {"Warning: 299 - \"old\"", "Warning: 299 - \"older\""}));
  ASSERT_OK(api_->Get(kWeb, {}));
  ASSERT_OK(api_->Get(kWeb, {}));
  const std::string log = log_.str();
  EXPECT_THAT(log, AllOf(HasSubstr(R"("warning":"old")"), HasSubstr(R"("warning":"older")")));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2);
}

// 37, and the parameters of a watch.
TEST_F(HttpApiClientTest, WatchGivesFrames) {
  server_.On(
      Concat("GET ", kCollection, "?watch=1"),
      Stream({"{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"MOD", "IFIED\",\"object\":{}}\n"},
             WhenDone::kEnd));
  auto stream = api_->Watch(
      kWeb, {.resource_version = "7", .field_selector = "a=b", .timeout = absl::Minutes(7)}, {});
  ASSERT_OK(stream);
  std::vector<std::string> frames;
  for (bool ended = false; !ended;) {
    const absl::StatusOr<WatchRead> read = (*stream)->Next(absl::Seconds(10));
    ASSERT_OK(read);
    frames.insert(frames.end(), read->frames.begin(), read->frames.end());
    ended = read->ended;
  }
  EXPECT_THAT(frames, ElementsAre("{\"type\":\"ADDED\",\"object\":{}}",
                                  "{\"type\":\"MODIFIED\",\"object\":{}}"));
  EXPECT_EQ(Request().query,
            "watch=1&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=420"
            "&fieldSelector=a%3Db");
  EXPECT_EQ(Request().headers.at("accept-encoding"), "identity");  // 27
}

// 8, 16.
TEST_F(HttpApiClientTest, RefusedWatchShowsItsStatus) {
  server_.On(Concat("GET ", kCollection),
             Reply(410, R"({"kind":"Status","reason":"Expired","code":410})"));
  EXPECT_THAT(api_->Watch(kWeb, {.resource_version = "7"}, {}), StatusIs(Code::kOutOfRange));
}

// 26.
TEST_F(HttpApiClientTest, FrameBeyondTheLimitEndsTheWatchInBoundedMemory) {
  const std::string chunk(1 << 20, 'x');
  server_.On(Concat("GET ", kCollection), [=](const ServerRequest&, ServerConnection& connection) {
    connection.WriteHead(200);
    connection.WriteChunk(R"({"type":"ADDED","object":{"d":")");
    while (connection.WriteChunk(chunk)) {
    }
  });
  auto stream = api_->Watch(kWeb, {.resource_version = "7"}, {});
  ASSERT_OK(stream);
  absl::StatusOr<WatchRead> read = (*stream)->Next(absl::Seconds(10));
  while (read.ok() && !read->ended) {
    EXPECT_THAT(read->frames, IsEmpty());
    read = (*stream)->Next(absl::Seconds(10));
  }
  ASSERT_OK(read);
  EXPECT_EQ(read->oversized.substr(0, 16), R"({"type":"ADDED",)");
  EXPECT_THAT(read->oversized, SizeIs(4096));
}

class HttpApiClientAuthTest : public HttpApiClientTest {
 protected:
  HttpApiClientAuthTest() : https_(ScriptedServer::Tls{certificate_, ""}) {}

  void SetUp() override {
    Config config{.source = "test", .user_name = "ann"};
    config.cluster.server = https_.url();
    config.cluster.certificate_authority.data = authority_.certificate_pem();
    config.user.exec = ExecPlugin{
        .api_version = "client.authentication.k8s.io/v1",
        .command = "sh",
        .args = {"-c",
                 R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                 R"("status":{"token":"'$$'"}}')"}};
    auto client = HttpApiClient::Create(config, {}, SystemClock(), Logger(&sink_));
    ASSERT_OK(client);
    api_ = *std::move(client);
  }

  const TestCertificateAuthority authority_;
  const TestCertificate certificate_ = authority_.Issue("server", "IP:127.0.0.1");
  ScriptedServer https_;
};

// 66, 67: every run of the plugin prints another token.
TEST_F(HttpApiClientAuthTest, Unauthorized401RefreshesOnceAndTriesOnce) {
  https_.On("GET /version", Reply(401, "no"));
  https_.On("GET /version", Reply(200, "{}"));
  EXPECT_OK(api_->GetPath("/version", {}));
  std::vector<ServerRequest> requests = https_.Requests();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_NE(requests[0].headers.at("authorization"), requests[1].headers.at("authorization"));

  https_.On("GET /no", Reply(401, "no"));
  EXPECT_THAT(api_->GetPath("/no", {}), StatusIs(Code::kUnauthenticated));
  EXPECT_THAT(https_.RequestsTo("/no"), SizeIs(2));
}

TEST_F(HttpApiClientAuthTest, WatchThatIsRefusedWith401IsTriedOnceMore) {
  https_.On(Concat("GET ", kCollection), Reply(401, "no"));
  https_.On(Concat("GET ", kCollection), Stream({}, WhenDone::kEnd));
  EXPECT_OK(api_->Watch(kWeb, {.resource_version = "7"}, {}));
}

}  // namespace
}  // namespace logbook::k8s
