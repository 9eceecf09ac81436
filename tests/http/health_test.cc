#include "logbook/http/health.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <httplib.h>

#include "logbook/support/status_matchers.h"

namespace logbook::http {
namespace {

absl::Status Fine() {
  return absl::OkStatus();
}

Request Plain(std::string path) {
  return {.path = std::move(path), .parameters = {}};
}

Request Verbose(std::string path) {
  return {.path = std::move(path), .parameters = {"verbose"}};
}

TEST(HealthChecksTest, AllWellIsOneWord) {
  HealthChecks checks("readyz");
  checks.Add("streams", Fine);
  const Response answer = checks.Answer(Plain("/readyz"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "ok");
}

TEST(HealthChecksTest, VerboseHasALinePerCheck) {
  HealthChecks checks("healthz");
  checks.Add("journal", Fine);
  checks.Add("leader", Fine);
  const Response answer = checks.Answer(Verbose("/healthz"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "[+]ping ok\n[+]journal ok\n[+]leader ok\nhealthz check passed\n");
}

TEST(HealthChecksTest, FailureWithholdsItsReason) {
  HealthChecks checks("readyz");
  checks.Add("streams", [] { return Unavailable("pods: 403"); });
  checks.Add("journal", Fine);
  const Response answer = checks.Answer(Plain("/readyz"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body,
            "[+]ping ok\n[-]streams failed: reason withheld\n[+]journal ok\nreadyz check failed\n");
}

TEST(HealthChecksTest, VerboseFailureTellsItsReason) {
  HealthChecks checks("readyz");
  checks.Add("streams", [] { return Unavailable("simpleapps.apps.bootcamp.local: no such kind"); });
  const Response answer = checks.Answer(Verbose("/readyz"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body,
            "[+]ping ok\n[-]streams failed: simpleapps.apps.bootcamp.local: no such kind\n"
            "readyz check failed\n");
}

TEST(HealthChecksTest, ReasonStaysOnItsLine) {
  HealthChecks checks("readyz");
  checks.Add("streams", [] { return Unavailable("a\n[+]forged ok\r\n"); });
  EXPECT_EQ(checks.Answer(Verbose("/readyz")).body,
            "[+]ping ok\n[-]streams failed: a [+]forged ok  \nreadyz check failed\n");
}

TEST(HealthChecksTest, FailureWithoutMessageShowsItsCode) {
  HealthChecks checks("readyz");
  checks.Add("streams", [] { return absl::Status(absl::StatusCode::kUnavailable, ""); });
  EXPECT_THAT(checks.Answer(Verbose("/readyz")).body,
              testing::HasSubstr("[-]streams failed: UNAVAILABLE\n"));
}

TEST(HealthChecksTest, SubPathAsksOneCheck) {
  HealthChecks checks("readyz");
  int asked = 0;
  checks.Add("streams", [] { return Unavailable("down"); });
  checks.Add("journal", [&asked] {
    ++asked;
    return absl::OkStatus();
  });
  EXPECT_EQ(checks.Answer(Plain("/readyz/journal")).body, "ok");
  EXPECT_EQ(checks.Answer(Plain("/readyz/ping")).body, "ok");
  EXPECT_EQ(checks.Answer(Plain("/readyz/streams")).status, 500);
  EXPECT_EQ(checks.Answer(Plain("/readyz/streams")).body, "internal server error: down\n");
  EXPECT_EQ(checks.Answer(Plain("/readyz/other")).status, 404);
  EXPECT_EQ(checks.Answer(Plain("/readyz/streams/more")).status, 404);
  EXPECT_EQ(checks.Answer(Plain("/readyz/")).status, 500) << "a slash alone is the whole endpoint";
  EXPECT_EQ(asked, 2) << "once alone and once with all";
}

TEST(HealthChecksDeathTest, NamesAreUniqueAndFitInAPath) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  HealthChecks checks("readyz");
  EXPECT_DEATH(checks.Add("ping", Fine), "check failed");
  EXPECT_DEATH(checks.Add("a/b", Fine), "check failed");
  EXPECT_DEATH(checks.Add("", Fine), "check failed");
}

TEST(HealthChecksTest, ChecksMayBeAddedWhileOthersAsk) {
  HealthChecks checks("readyz");
  std::jthread adder([&checks] {
    for (int i = 0; i < 100; ++i) {
      checks.Add(Concat("check-", i), Fine);
    }
  });
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(checks.Answer(Verbose("/readyz")).status, 200);
  }
}

// A check may ask for the checks itself; a lock held across it would hang.
TEST(HealthChecksTest, NoLockIsHeldAcrossACheck) {
  HealthChecks checks("readyz");
  checks.Add("outer", [&checks] {
    return checks.Answer(Plain("/readyz/ping")).status == 200 ? absl::OkStatus() : Internal("no");
  });
  EXPECT_EQ(checks.Answer(Plain("/readyz")).status, 200);
}

TEST(HealthServerTest, ServesBothEndpoints) {
  HealthServer server({.address = "127.0.0.1:0"});
  std::atomic<bool> ready = false;
  server.AddLive("journal", Fine);
  server.AddReady("streams", [&ready] {
    return ready ? absl::OkStatus() : Unavailable("simpleapps: listing");
  });
  ASSERT_OK(server.Start());
  httplib::Client client("127.0.0.1", server.port());

  EXPECT_EQ(client.Get("/healthz")->status, 200);
  EXPECT_EQ(client.Get("/healthz?verbose")->body,
            "[+]ping ok\n[+]journal ok\nhealthz check passed\n");
  EXPECT_EQ(client.Get("/readyz")->status, 500);
  EXPECT_THAT(client.Get("/readyz?verbose=true")->body,
              testing::HasSubstr("[-]streams failed: simpleapps: listing\n"));
  ready = true;
  EXPECT_EQ(client.Get("/readyz")->status, 200);
  EXPECT_EQ(client.Get("/readyz/streams")->body, "ok");
  EXPECT_EQ(client.Get("/metrics")->status, 404);
}

}  // namespace
}  // namespace logbook::http
