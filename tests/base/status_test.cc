#include "logbook/base/status.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

using ::testing::HasSubstr;

TEST(StatusTest, ConstructorsGiveTheirCode) {
  struct Case {
    absl::Status status;
    absl::StatusCode code;
  };

  const Case cases[] = {
      {Aborted("x"), absl::StatusCode::kAborted},
      {AlreadyExists("x"), absl::StatusCode::kAlreadyExists},
      {Cancelled("x"), absl::StatusCode::kCancelled},
      {DataLoss("x"), absl::StatusCode::kDataLoss},
      {DeadlineExceeded("x"), absl::StatusCode::kDeadlineExceeded},
      {FailedPrecondition("x"), absl::StatusCode::kFailedPrecondition},
      {Internal("x"), absl::StatusCode::kInternal},
      {InvalidArgument("x"), absl::StatusCode::kInvalidArgument},
      {NotFound("x"), absl::StatusCode::kNotFound},
      {OutOfRange("x"), absl::StatusCode::kOutOfRange},
      {PermissionDenied("x"), absl::StatusCode::kPermissionDenied},
      {ResourceExhausted("x"), absl::StatusCode::kResourceExhausted},
      {Unauthenticated("x"), absl::StatusCode::kUnauthenticated},
      {Unavailable("x"), absl::StatusCode::kUnavailable},
      {Unknown("x"), absl::StatusCode::kUnknown},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(c.status, StatusIs(c.code, "x"));
  }
}

TEST(StatusTest, PartsOfEveryKindAreJoined) {
  const std::string owned = "owned";
  const std::string_view view = "view";
  const absl::string_view absl_view = "absl";
  EXPECT_THAT(Unknown("text ", owned, " ", view, " ", absl_view, " ", 7, " ", uint64_t{8}),
              StatusIs(absl::StatusCode::kUnknown, "text owned view absl 7 8"));
}

TEST(StatusTest, ConcatKeepsNulBytes) {
  EXPECT_EQ(Concat("a", std::string_view("\0", 1), "b"), std::string("a\0b", 3));
}

TEST(StatusTest, ContextStandsBeforeTheMessage) {
  EXPECT_THAT(WithContext(NotFound("no such file"), "config"),
              StatusIs(absl::StatusCode::kNotFound, "config: no such file"));
}

TEST(StatusTest, ContextKeepsPayloads) {
  absl::Status status = Aborted("conflict");
  status.SetPayload("logbook/retry", absl::Cord("1s"));
  EXPECT_EQ(WithContext(status, "patch").GetPayload("logbook/retry"), absl::Cord("1s"));
}

TEST(StatusTest, ContextLeavesOkAlone) {
  EXPECT_OK(WithContext(absl::OkStatus(), "config"));
}

absl::Status FailsIf(bool fail) {
  return fail ? Unavailable("down") : absl::OkStatus();
}

absl::StatusOr<int> OneUnless(bool fail) {
  LOGBOOK_RETURN_IF_ERROR(FailsIf(fail));
  return 1;
}

absl::StatusOr<std::string> TwiceUnless(bool first, bool second) {
  LOGBOOK_ASSIGN_OR_RETURN(const int a, OneUnless(first));
  LOGBOOK_ASSIGN_OR_RETURN(const int b, OneUnless(second));
  return Concat(a, b);
}

TEST(StatusTest, MacrosReturnTheFirstError) {
  EXPECT_THAT(OneUnless(true), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("down")));
  EXPECT_THAT(TwiceUnless(true, false), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(TwiceUnless(false, true), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(StatusTest, MacrosGoOnWhenAllIsWell) {
  const absl::StatusOr<std::string> twice = TwiceUnless(false, false);
  ASSERT_OK(twice);
  EXPECT_EQ(*twice, "11");
}

TEST(StatusTest, AssignOrReturnTakesWhatCannotBeCopied) {
  const auto unwrap = []() -> absl::StatusOr<int> {
    LOGBOOK_ASSIGN_OR_RETURN(const std::unique_ptr<int> number,
                             absl::StatusOr<std::unique_ptr<int>>(std::make_unique<int>(5)));
    return *number;
  };
  ASSERT_OK(unwrap());
  EXPECT_EQ(*unwrap(), 5);
}

TEST(StatusTest, ViewsTranslateBothWays) {
  const std::string_view text("a\0b", 3);
  EXPECT_EQ(ToStd(ToAbsl(text)), text);
}

}  // namespace
}  // namespace logbook
