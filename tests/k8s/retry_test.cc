#include "logbook/k8s/retry.h"

#include <gtest/gtest.h>

#include "logbook/k8s/api_client.h"
#include "logbook/k8s/transport_status.h"

namespace logbook::k8s {
namespace {

absl::Status Http(int status, std::string_view retry_after = "") {
  return StatusOfAnswer({.http_status = status, .retry_after = retry_after});
}

absl::Status Broken(Sent sent) {
  return TransportError(absl::StatusCode::kUnavailable, "connection broke", sent);
}

TEST(RetryTest, OnlyWhatCannotHappenTwice) {
  struct Case {
    Verb verb;
    absl::Status status;
    std::optional<absl::Duration> delay;
  };

  const Case cases[] = {
      // 5: any verb, since nothing was done.
      {Verb::kCreate, Http(429, "2"), absl::Seconds(2)},
      {Verb::kApply, Http(429, "2"), absl::Seconds(2)},
      {Verb::kDelete, Http(429, "2"), absl::Seconds(2)},
      {Verb::kGet, Http(429), absl::Seconds(1)},
      {Verb::kCreate, Http(503, "1"), absl::Seconds(1)},
      // A proxy's 503 says nothing about the write behind it.
      {Verb::kCreate, Http(503), std::nullopt},
      {Verb::kCreate, Http(500, "1"), std::nullopt},
      {Verb::kCreate, Http(504, "1"), std::nullopt},
      {Verb::kApply, Http(409), std::nullopt},
      {Verb::kGet, Http(404), std::nullopt},
      {Verb::kGet, Http(415), std::nullopt},  // 10
      {Verb::kList, Http(410), std::nullopt},
      {Verb::kGet, Broken(Sent::kPerhaps), absl::Seconds(1)},
      {Verb::kList, Broken(Sent::kPerhaps), absl::Seconds(1)},
      {Verb::kGet, Broken(Sent::kNo), std::nullopt},  // who watches waits longer and longer
      {Verb::kCreate, Broken(Sent::kPerhaps), std::nullopt},
      {Verb::kDelete, Broken(Sent::kPerhaps), std::nullopt},
      {Verb::kGet, TransportError(absl::StatusCode::kDeadlineExceeded, "late", Sent::kPerhaps),
       std::nullopt},
      {Verb::kWatch, Http(429, "1"), std::nullopt},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(RetryDelay(c.verb, c.status, 1), c.delay)
        << static_cast<int>(c.verb) << " " << c.status;
  }
}

TEST(RetryTest, AttemptsAreBounded) {
  EXPECT_TRUE(RetryDelay(Verb::kCreate, Http(429, "1"), kCallAttemptsMax - 1).has_value());
  EXPECT_FALSE(RetryDelay(Verb::kCreate, Http(429, "1"), kCallAttemptsMax).has_value());
  EXPECT_FALSE(RetryDelay(Verb::kGet, Broken(Sent::kPerhaps), 3).has_value());
}

}  // namespace
}  // namespace logbook::k8s
