#include "logbook/k8s/watch_policy.h"

#include <gtest/gtest.h>

#include "logbook/k8s/api_status.h"
#include "logbook/k8s/transport_status.h"

namespace logbook::k8s {
namespace {

absl::Status Http(int status, std::string_view body = "") {
  return StatusOfAnswer({.verb = Verb::kWatch, .http_status = status, .body = body});
}

TEST(WatchPolicyTest, FailureOfEachAnswer) {
  struct Case {
    absl::Status status;
    WatchFailure failure;
  };

  constexpr char kExpired[] = R"({"kind":"Status","reason":"Expired","code":410})";
  constexpr char kTooLarge[] = R"({"kind":"Status","reason":"Timeout","code":504,)"
                               R"("details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})";
  constexpr char kInternal[] = R"({"kind":"Status","reason":"InternalError","code":500})";
  const Case cases[] = {
      {Http(410), WatchFailure::kExpired},
      {StatusOfErrorEvent(kExpired), WatchFailure::kExpired},
      {StatusOfErrorEvent(R"({"kind":"Status","reason":"Gone","code":410})"),
       WatchFailure::kExpired},
      {Http(429), WatchFailure::kThrottled},
      {Http(504, kTooLarge), WatchFailure::kVersionTooLarge},
      {StatusOfErrorEvent(kTooLarge), WatchFailure::kVersionTooLarge},
      {Http(401), WatchFailure::kUnauthorized},
      {Http(403), WatchFailure::kForbidden},
      {Http(404, "404 page not found"), WatchFailure::kMissing},
      {NotFound("not served"), WatchFailure::kMissing},
      {Http(400), WatchFailure::kRefused},
      {Http(422), WatchFailure::kRefused},
      {StatusOfErrorEvent("{}"), WatchFailure::kRefused},
      {StatusOfErrorEvent(kInternal), WatchFailure::kInternal},
      {Http(500, kInternal), WatchFailure::kUnreachable},
      {Http(502), WatchFailure::kUnreachable},
      {Http(504), WatchFailure::kUnreachable},
      {TransportError(absl::StatusCode::kUnavailable, "reset", Sent::kPerhaps),
       WatchFailure::kUnreachable},
      {TransportError(absl::StatusCode::kDeadlineExceeded, "late", Sent::kPerhaps),
       WatchFailure::kUnreachable},
      {Cancelled("stopped"), WatchFailure::kStopped},
      {WatchError(WatchFailure::kSilent, "x"), WatchFailure::kSilent},
      {FromSink(InvalidArgument("x")), WatchFailure::kSinkFailed},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(FailureOf(c.status), c.failure) << c.status;
    EXPECT_EQ(FailureOf(WithContext(c.status, "context")), c.failure) << c.status;
  }
}

TEST(WatchPolicyTest, WhatMakesABookmarkUseless) {
  for (WatchFailure failure : {WatchFailure::kExpired, WatchFailure::kRefused,
                               WatchFailure::kWentBack, WatchFailure::kUndecodable}) {
    EXPECT_TRUE(ReactionTo(failure).list);
  }
  for (WatchFailure failure :
       {WatchFailure::kThrottled, WatchFailure::kVersionTooLarge, WatchFailure::kUnauthorized,
        WatchFailure::kForbidden, WatchFailure::kMissing, WatchFailure::kUnreachable,
        WatchFailure::kSilent, WatchFailure::kEndedEarly, WatchFailure::kBookmarkBehind}) {
    EXPECT_FALSE(ReactionTo(failure).list);
  }
}

TEST(WatchPolicyTest, WhatMayBeARewind) {
  for (WatchFailure failure :
       {WatchFailure::kUnreachable, WatchFailure::kSilent, WatchFailure::kVersionTooLarge,
        WatchFailure::kWentBack, WatchFailure::kBookmarkBehind, WatchFailure::kOlder}) {
    EXPECT_TRUE(ReactionTo(failure).probe);
  }
}

TEST(WatchPolicyTest, OnlyWhatCannotRepeatAtOnceHasNoPause) {
  for (WatchFailure failure :
       {WatchFailure::kThrottled, WatchFailure::kVersionTooLarge, WatchFailure::kUnauthorized,
        WatchFailure::kForbidden, WatchFailure::kMissing, WatchFailure::kRefused,
        WatchFailure::kInternal, WatchFailure::kUnreachable, WatchFailure::kEndedEarly,
        WatchFailure::kWentBack, WatchFailure::kBookmarkBehind, WatchFailure::kOlder,
        WatchFailure::kSinkFailed}) {
    EXPECT_NE(ReactionTo(failure).pause, Pause::kNone);
  }
}

}  // namespace
}  // namespace logbook::k8s
