#include "logbook/k8s/api_status.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/k8s/transport_status.h"
#include "logbook/support/status_matchers.h"

namespace logbook::k8s {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Code = absl::StatusCode;

std::string StatusJson(int code, std::string_view reason, std::string_view details = "{}") {
  return Concat(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)",
                R"("message":"why","reason":")", reason, R"(","details":)", details, R"(,"code":)",
                code, "}");
}

struct DecodeCase {
  Verb verb;
  int http_status;
  std::string body;
  Code code;
};

class DecodeTest : public ::testing::TestWithParam<DecodeCase> {};

TEST_P(DecodeTest, GivesTheCode) {
  const DecodeCase& c = GetParam();
  EXPECT_THAT(StatusOfAnswer({.verb = c.verb, .http_status = c.http_status, .body = c.body}),
              StatusIs(c.code))
      << c.body;
}

// Reason first, then code, then the HTTP status; bodies that are no Status by HTTP status alone.
INSTANTIATE_TEST_SUITE_P(
    Table, DecodeTest,
    ::testing::Values(
        DecodeCase{Verb::kGet, 400, StatusJson(400, "BadRequest"), Code::kInvalidArgument},
        DecodeCase{Verb::kGet, 401, StatusJson(401, "Unauthorized"), Code::kUnauthenticated},
        DecodeCase{Verb::kGet, 403, StatusJson(403, "Forbidden"), Code::kPermissionDenied},
        DecodeCase{Verb::kGet, 404, StatusJson(404, "NotFound"), Code::kNotFound},
        DecodeCase{Verb::kGet, 405, StatusJson(405, "MethodNotAllowed"), Code::kInvalidArgument},
        DecodeCase{Verb::kCreate, 409, StatusJson(409, "AlreadyExists"), Code::kAlreadyExists},
        DecodeCase{Verb::kCreate, 409, StatusJson(409, "Conflict"), Code::kAborted},
        DecodeCase{Verb::kApply, 409, StatusJson(409, "Conflict"), Code::kAborted},
        DecodeCase{Verb::kList, 410, StatusJson(410, "Expired"), Code::kOutOfRange},
        DecodeCase{Verb::kWatch, 410, StatusJson(410, "Gone"), Code::kOutOfRange},
        DecodeCase{Verb::kCreate, 413, StatusJson(413, "RequestEntityTooLarge"),
                   Code::kInvalidArgument},
        // 10.
        DecodeCase{Verb::kMergePatch, 415, StatusJson(415, "UnsupportedMediaType"),
                   Code::kInvalidArgument},
        DecodeCase{Verb::kApply, 422, StatusJson(422, "Invalid"), Code::kInvalidArgument},
        DecodeCase{Verb::kJsonPatch, 422,
                   StatusJson(422, "Invalid", R"({"causes":[{"field":"spec.x"}]})"),
                   Code::kInvalidArgument},
        DecodeCase{Verb::kJsonPatch, 422, StatusJson(422, "Invalid"), Code::kAborted},
        DecodeCase{Verb::kJsonPatch, 422, StatusJson(422, ""), Code::kAborted},
        DecodeCase{Verb::kGet, 429, StatusJson(429, "TooManyRequests"), Code::kResourceExhausted},
        DecodeCase{Verb::kGet, 500, StatusJson(500, "InternalError"), Code::kUnavailable},
        DecodeCase{Verb::kGet, 500, StatusJson(500, "ServerTimeout"), Code::kUnavailable},
        DecodeCase{Verb::kGet, 503, StatusJson(503, "ServiceUnavailable"), Code::kUnavailable},
        DecodeCase{Verb::kGet, 504, StatusJson(504, "Timeout"), Code::kDeadlineExceeded},
        // An unknown reason falls back to the code, a missing code to the HTTP status.
        DecodeCase{Verb::kGet, 200, StatusJson(410, "Novel"), Code::kOutOfRange},
        DecodeCase{Verb::kGet, 403, R"({"kind":"Status"})", Code::kPermissionDenied},
        // 6, 7: what proxies, load balancers and a server that shuts down say.
        DecodeCase{Verb::kGet, 429, "Too many requests, please try again later.",
                   Code::kResourceExhausted},
        DecodeCase{Verb::kCreate, 502, "<html><h1>Bad Gateway</h1></html>", Code::kUnavailable},
        DecodeCase{Verb::kCreate, 504, "<html>", Code::kDeadlineExceeded},
        DecodeCase{Verb::kCreate, 409, "taken", Code::kAlreadyExists},
        DecodeCase{Verb::kApply, 409, "taken", Code::kAborted},
        DecodeCase{Verb::kList, 404, "404 page not found", Code::kNotFound},
        DecodeCase{Verb::kGet, 302, "", Code::kInvalidArgument},
        DecodeCase{Verb::kGet, 418, R"({"error":"teapot"})", Code::kInvalidArgument}));

TEST(ApiStatusTest, DecodedAnswerTravelsWithTheStatus) {
  const std::string body = StatusJson(
      422, "Invalid",
      R"({"name":"web","group":"apps","kind":"Deployment","uid":"u1","retryAfterSeconds":3,)"
      R"("causes":[{"reason":"FieldValueInvalid","message":"m","field":"spec.replicas"}]})");
  const absl::Status status = WithContext(
      StatusOfAnswer({.verb = Verb::kApply, .http_status = 422, .body = body, .audit_id = "1.2.3"}),
      "PATCH /x");
  EXPECT_THAT(std::string(status.message()), "PATCH /x: 422 Invalid: why");
  const std::optional<ApiStatus> api = ApiStatusOf(status);
  ASSERT_TRUE(api.has_value());
  EXPECT_EQ(api->http_status, 422);
  EXPECT_EQ(api->code, 422);
  EXPECT_EQ(api->reason, "Invalid");
  EXPECT_EQ(api->message, "why");
  EXPECT_EQ(api->name, "web");
  EXPECT_EQ(api->group, "apps");
  EXPECT_EQ(api->kind, "Deployment");
  EXPECT_EQ(api->uid, "u1");
  EXPECT_EQ(api->retry_after, absl::Seconds(3));
  EXPECT_EQ(api->audit_id, "1.2.3");
  EXPECT_EQ(api->json, body);
  EXPECT_THAT(api->causes,
              ::testing::ElementsAre(ApiCause{"FieldValueInvalid", "m", "spec.replicas"}));
}

TEST(ApiStatusTest, RetryAfterHeaderWinsOverDetails) {
  const std::string body = StatusJson(429, "TooManyRequests", R"({"retryAfterSeconds":9})");
  EXPECT_EQ(RetryAfterOf(StatusOfAnswer({.http_status = 429, .body = body, .retry_after = "2"})),
            absl::Seconds(2));
  EXPECT_EQ(
      RetryAfterOf(StatusOfAnswer(
          {.http_status = 429, .body = body, .retry_after = "Wed, 21 Oct 2026 07:28:00 GMT"})),
      absl::Seconds(9));
}

TEST(ApiStatusTest, TextIsShownOnOneLineAndBounded) {
  const std::string text = "line\none\t" + std::string(100'000, 'x');
  const absl::Status status = StatusOfAnswer({.http_status = 502, .body = text});
  EXPECT_THAT(std::string(status.message()), HasSubstr("502: line one x"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("\n")));
  EXPECT_LT(status.message().size(), 2000u);
  EXPECT_LE(ApiStatusOf(status)->message.size(), 2048u);
}

TEST(ApiStatusTest, ErrorEventIsDecodedWhateverItIs) {
  EXPECT_THAT(StatusOfErrorEvent(StatusJson(410, "Expired")), StatusIs(Code::kOutOfRange));
  EXPECT_THAT(StatusOfErrorEvent(R"({"code":410})"), StatusIs(Code::kUnknown));
  EXPECT_THAT(StatusOfErrorEvent("nonsense"), StatusIs(Code::kUnknown));
  EXPECT_EQ(ApiStatusOf(StatusOfErrorEvent(StatusJson(500, "InternalError")))->http_status, 0);
}

TEST(ApiStatusTest, QuestionsThatDecide) {
  const auto answer = [](Verb verb, int code, std::string_view reason, std::string_view details) {
    return StatusOfAnswer(
        {.verb = verb, .http_status = code, .body = StatusJson(code, reason, details)});
  };
  EXPECT_TRUE(IsConflict(answer(Verb::kDelete, 409, "Conflict", "{}")));
  EXPECT_FALSE(IsConflict(answer(Verb::kCreate, 409, "AlreadyExists", "{}")));
  EXPECT_FALSE(IsConflict(Aborted("ours")));

  const absl::Status managers =
      answer(Verb::kApply, 409, "Conflict", R"({"causes":[{"reason":"FieldManagerConflict"}]})");
  EXPECT_TRUE(IsFieldManagerConflict(managers));
  EXPECT_FALSE(IsFieldManagerConflict(answer(Verb::kApply, 409, "Conflict", "{}")));

  EXPECT_TRUE(IsNamespaceTerminating(answer(Verb::kCreate, 403, "Forbidden",
                                            R"({"causes":[{"reason":"NamespaceTerminating"}]})")));
  EXPECT_FALSE(IsNamespaceTerminating(answer(Verb::kCreate, 403, "Forbidden", "{}")));

  const absl::Status gone = answer(Verb::kGet, 404, "NotFound", R"({"name":"web"})");
  const absl::Status no_kind = StatusOfAnswer({.http_status = 404, .body = "404 page not found\n"});
  EXPECT_TRUE(IsObjectMissing(gone));
  EXPECT_FALSE(IsKindMissing(gone));
  EXPECT_TRUE(IsKindMissing(no_kind));
  EXPECT_FALSE(IsObjectMissing(no_kind));
  EXPECT_FALSE(IsObjectMissing(NotFound("ours")));
}

// 22, 23.
TEST(ApiStatusTest, TooLargeVersionIsKnownByCauseOrMessage) {
  EXPECT_TRUE(IsVersionTooLarge(StatusOfAnswer(
      {.http_status = 504,
       .body =
           StatusJson(504, "Timeout", R"({"causes":[{"reason":"ResourceVersionTooLarge"}]})")})));
  EXPECT_TRUE(IsVersionTooLarge(
      StatusOfAnswer({.http_status = 504,
                      .body = R"({"kind":"Status","reason":"Timeout","code":504,)"
                              R"("message":"Too large resource version: 9, current: 5"})"})));
  EXPECT_FALSE(
      IsVersionTooLarge(StatusOfAnswer({.http_status = 504, .body = StatusJson(504, "Timeout")})));
}

TEST(ApiStatusTest, OutcomeOfAFailedWrite) {
  struct Case {
    absl::Status status;
    bool unknown;
  };

  const auto http = [](int status, std::string_view retry_after = "") {
    return StatusOfAnswer(
        {.verb = Verb::kCreate, .http_status = status, .retry_after = retry_after});
  };
  const Case cases[] = {
      {http(400), false},
      {http(409), false},
      {http(429), false},
      {http(500), true},
      {http(502), true},
      {http(503), true},
      {http(503, "1"), false},
      {http(504), true},
      {TransportError(Code::kUnavailable, "refused", Sent::kNo), false},
      {TransportError(Code::kUnavailable, "reset", Sent::kPerhaps), true},
      {TransportError(Code::kCancelled, "stopped", Sent::kPerhaps), true},
      {TransportError(Code::kDeadlineExceeded, "late", Sent::kNo), false},
      {InvalidArgument("ours"), false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(IsOutcomeUnknown(c.status), c.unknown) << c.status;
    EXPECT_EQ(IsOutcomeUnknown(WithContext(c.status, "context")), c.unknown) << c.status;
  }
}

}  // namespace
}  // namespace logbook::k8s
