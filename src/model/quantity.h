// Resource quantities: "500m", "1.5Gi", "1e3" as exact numbers, so that "1000m" equals "1".
//
// Shape:    a sign, significant decimal digits, and where the decimal point stands; no size is too
//           large and no double is involved.
// Errors:   kInvalidArgument quoting the text. Stricter than the server in one point: a quantity
//           has at least one digit ("Ki" and "." are 0 to the server).
// Source:   k8s.io/apimachinery pkg/api/resource: below a nano it rounds away from zero; binary
//           suffixes are capped at 2^63-1.
#ifndef LOGBOOK_MODEL_QUANTITY_H_
#define LOGBOOK_MODEL_QUANTITY_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "logbook/base/status.h"

namespace logbook {

class Quantity {
 public:
  Quantity() = default;  // zero

  // 0.<digits> × 10^exponent with a sign; `digits` consists of decimal digits.
  Quantity(bool negative, std::string_view digits, int64_t exponent);

  // This, rounded away from zero to a multiple of 10^exponent. The server rounds the quantities
  // of a resource list (requests, limits) to 10^-3.
  Quantity RoundedUp(int64_t exponent) const;

  friend bool operator==(const Quantity&, const Quantity&) = default;
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);

 private:
  bool negative_ = false;
  std::string digits_;    // neither first nor last is 0; empty: the number is zero
  int64_t exponent_ = 0;  // the number is 0.<digits> × 10^exponent
};

absl::StatusOr<Quantity> ParseQuantity(std::string_view text);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_QUANTITY_H_
