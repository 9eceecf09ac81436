// Matchers for absl::Status and absl::StatusOr, which Debian 12's abseil does not bring.
//
// Example
//   EXPECT_THAT(ParseJson("["), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("JSON")));
//   ASSERT_OK(store.Open());
#ifndef LOGBOOK_SUPPORT_STATUS_MATCHERS_H_
#define LOGBOOK_SUPPORT_STATUS_MATCHERS_H_

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/base/status.h"

namespace logbook {

inline const absl::Status& StatusOf(const absl::Status& status) {
  return status;
}

template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

MATCHER(IsOk, negation ? "is an error" : "is OK") {
  const absl::Status& status = StatusOf(arg);
  *result_listener << "status " << status.ToString();
  return status.ok();
}

MATCHER_P(StatusIs, code, std::string("has code ") + absl::StatusCodeToString(code)) {
  const absl::Status& status = StatusOf(arg);
  *result_listener << "status " << status.ToString();
  return status.code() == code;
}

MATCHER_P2(StatusIs, code, message,
           std::string("has code ") + absl::StatusCodeToString(code) + " and a fitting message") {
  const absl::Status& status = StatusOf(arg);
  *result_listener << "status " << status.ToString();
  return status.code() == code && ::testing::Value(std::string(status.message()),
                                                   ::testing::MatcherCast<std::string>(message));
}

}  // namespace logbook

#define ASSERT_OK(expression) ASSERT_THAT(::logbook::StatusOf(expression), ::logbook::IsOk())
#define EXPECT_OK(expression) EXPECT_THAT(::logbook::StatusOf(expression), ::logbook::IsOk())

#endif  // LOGBOOK_SUPPORT_STATUS_MATCHERS_H_
