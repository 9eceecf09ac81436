// Errors: absl::Status in every signature of ours, and the few helpers that keep call sites short.
//
// This is the one place that translates between std::string_view and Debian's absl::string_view,
// which is a type of its own there.
//
// Example
//   LOGBOOK_ASSIGN_OR_RETURN(Event event, DecodeEvent(bytes));
//   if (version > kVersionMax) return DataLoss("event ", seq.value, ": version ", version);
#ifndef LOGBOOK_BASE_STATUS_H_
#define LOGBOOK_BASE_STATUS_H_

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace logbook {

namespace status_internal {

// StrCat takes what absl::AlphaNum takes; std::string_view is handed over as Debian's view.
template <typename T>
decltype(auto) Piece(const T& part) {
  if constexpr (std::is_same_v<T, std::string_view> &&
                !std::is_same_v<std::string_view, absl::string_view>) {
    return absl::string_view(part.data(), part.size());
  } else {
    return (part);
  }
}

}  // namespace status_internal

inline absl::string_view ToAbsl(std::string_view text) {
  return {text.data(), text.size()};
}

inline std::string_view ToStd(absl::string_view text) {
  return {text.data(), text.size()};
}

// absl::StrCat for parts that may be std::string_view.
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  return absl::StrCat(status_internal::Piece(parts)...);
}

// One constructor per code; docs/architecture.md tells what the loop does on each.
#define LOGBOOK_STATUS_CONSTRUCTOR(name)                              \
  template <typename... Parts>                                        \
  absl::Status name(const Parts&... parts) {                          \
    return absl::Status(absl::StatusCode::k##name, Concat(parts...)); \
  }
LOGBOOK_STATUS_CONSTRUCTOR(Aborted)
LOGBOOK_STATUS_CONSTRUCTOR(AlreadyExists)
LOGBOOK_STATUS_CONSTRUCTOR(Cancelled)
LOGBOOK_STATUS_CONSTRUCTOR(DataLoss)
LOGBOOK_STATUS_CONSTRUCTOR(DeadlineExceeded)
LOGBOOK_STATUS_CONSTRUCTOR(FailedPrecondition)
LOGBOOK_STATUS_CONSTRUCTOR(Internal)
LOGBOOK_STATUS_CONSTRUCTOR(InvalidArgument)
LOGBOOK_STATUS_CONSTRUCTOR(NotFound)
LOGBOOK_STATUS_CONSTRUCTOR(OutOfRange)
LOGBOOK_STATUS_CONSTRUCTOR(PermissionDenied)
LOGBOOK_STATUS_CONSTRUCTOR(ResourceExhausted)
LOGBOOK_STATUS_CONSTRUCTOR(Unauthenticated)
LOGBOOK_STATUS_CONSTRUCTOR(Unavailable)
LOGBOOK_STATUS_CONSTRUCTOR(Unknown)
#undef LOGBOOK_STATUS_CONSTRUCTOR

// `status` with "context: " before its message; code and payloads stay. OK stays OK.
absl::Status WithContext(const absl::Status& status, std::string_view context);

}  // namespace logbook

#define LOGBOOK_STATUS_CAT_(a, b) a##b
#define LOGBOOK_STATUS_CAT(a, b) LOGBOOK_STATUS_CAT_(a, b)

// Returns from the calling function if `expr` is not OK. Works in functions that return StatusOr.
#define LOGBOOK_RETURN_IF_ERROR(expr)                                   \
  do {                                                                  \
    if (absl::Status logbook_status_ = (expr); !logbook_status_.ok()) { \
      return logbook_status_;                                           \
    }                                                                   \
  } while (false)

// `LOGBOOK_ASSIGN_OR_RETURN(auto x, F())`: x is F()'s value, or the function returns F()'s error.
#define LOGBOOK_ASSIGN_OR_RETURN(lhs, expr) \
  LOGBOOK_ASSIGN_OR_RETURN_IMPL_(LOGBOOK_STATUS_CAT(logbook_or_, __LINE__), lhs, expr)
#define LOGBOOK_ASSIGN_OR_RETURN_IMPL_(or_name, lhs, expr) \
  auto or_name = (expr);                                   \
  if (!or_name.ok()) {                                     \
    return or_name.status();                               \
  }                                                        \
  lhs = *std::move(or_name)

#endif  // LOGBOOK_BASE_STATUS_H_
