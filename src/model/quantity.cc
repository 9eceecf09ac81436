#include "logbook/model/quantity.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace logbook {
namespace {

constexpr size_t kTextBytesMax = 256;  // keeps the work on hostile text small
constexpr int64_t kNanoExponent = -9;
constexpr std::string_view kInt64Max = "9223372036854775807";

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

struct Suffix {
  int64_t decimal_exponent = 0;
  int kibi = 0;  // times 1024 to this power
};

// The exponent in "e3", "E-3": at most 9 digits, which no real quantity needs.
std::optional<int64_t> ReadExponent(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  if (text.empty() || text.size() > 9 || !std::all_of(text.begin(), text.end(), IsDigit)) {
    return std::nullopt;
  }
  int64_t value = 0;
  for (char c : text) {
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

std::optional<Suffix> ReadSuffix(std::string_view text) {
  constexpr std::string_view kDecimal = "num kMGTPE";  // 10^-9, 10^-6, …; a space for 10^0
  constexpr std::string_view kBinary = "KMGTPE";
  if (text.empty()) {
    return Suffix{};
  }
  if (text.size() == 1 && text[0] != ' ') {
    const size_t at = kDecimal.find(text[0]);
    return at == kDecimal.npos
               ? std::nullopt
               : std::optional(Suffix{.decimal_exponent = 3 * static_cast<int64_t>(at) - 9});
  }
  if (text.size() == 2 && text[1] == 'i') {
    const size_t at = kBinary.find(text[0]);
    return at == kBinary.npos ? std::nullopt
                              : std::optional(Suffix{.kibi = static_cast<int>(at) + 1});
  }
  if (text[0] == 'e' || text[0] == 'E') {
    const std::optional<int64_t> exponent = ReadExponent(text.substr(1));
    return exponent ? std::optional(Suffix{.decimal_exponent = *exponent}) : std::nullopt;
  }
  return std::nullopt;
}

struct Decimal {
  std::string digits;
  int64_t point = 0;  // how many digits stand before the decimal point
};

// Takes digits with at most one point among them off the front of `text`.
Decimal ReadDecimal(std::string_view& text) {
  Decimal number;
  std::optional<size_t> point;
  while (!text.empty() && (IsDigit(text.front()) || (text.front() == '.' && !point))) {
    if (text.front() == '.') {
      point = number.digits.size();
    } else {
      number.digits += text.front();
    }
    text.remove_prefix(1);
  }
  number.point = static_cast<int64_t>(point.value_or(number.digits.size()));
  return number;
}

// Multiplies the number written in `digits` by 1024; returns by how many digits it grew.
int64_t TimesKibi(std::string& digits) {
  uint64_t carry = 0;
  for (size_t i = digits.size(); i-- > 0;) {
    carry += static_cast<uint64_t>(digits[i] - '0') * 1024;
    digits[i] = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  const std::string front = carry == 0 ? "" : std::to_string(carry);
  digits.insert(0, front);
  return static_cast<int64_t>(front.size());
}

}  // namespace

Quantity::Quantity(bool negative, std::string_view digits, int64_t exponent) {
  const size_t first = digits.find_first_not_of('0');
  if (first == digits.npos) {
    return;  // zero has one form
  }
  negative_ = negative;
  digits_ = digits.substr(first, digits.find_last_not_of('0') - first + 1);
  exponent_ = exponent - static_cast<int64_t>(first);
}

Quantity Quantity::RoundedUp(int64_t exponent) const {
  const int64_t kept = exponent_ - exponent;  // how many digits stand before the cut
  if (digits_.empty() || kept >= static_cast<int64_t>(digits_.size())) {
    return *this;
  }
  // A leading zero takes the carry of 999 + 1; where all digits are cut off, 1 remains of them.
  std::string digits = "0" + digits_.substr(0, static_cast<size_t>(std::max<int64_t>(kept, 0)));
  size_t at = digits.size() - 1;
  while (digits[at] == '9') {
    digits[at--] = '0';
  }
  ++digits[at];
  return Quantity(negative_, digits, exponent + static_cast<int64_t>(digits.size()));
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
  const auto sign = [](const Quantity& q) { return q.digits_.empty() ? 0 : q.negative_ ? -1 : 1; };
  if (sign(a) != sign(b) || sign(a) == 0) {
    return sign(a) <=> sign(b);
  }
  const std::strong_ordering magnitude =
      a.exponent_ != b.exponent_ ? a.exponent_ <=> b.exponent_ : a.digits_ <=> b.digits_;
  return a.negative_ ? 0 <=> magnitude : magnitude;
}

absl::StatusOr<Quantity> ParseQuantity(std::string_view text) {
  std::string_view rest = text.substr(0, kTextBytesMax);
  const bool negative = !rest.empty() && rest.front() == '-';
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    rest.remove_prefix(1);
  }
  Decimal number = ReadDecimal(rest);
  const std::optional<Suffix> suffix = ReadSuffix(rest);
  if (text.size() > kTextBytesMax || number.digits.empty() || !suffix) {
    return InvalidArgument("not a quantity: \"", text.substr(0, kTextBytesMax), "\"");
  }
  number.point += suffix->decimal_exponent;
  for (int i = 0; i < suffix->kibi; ++i) {
    number.point += TimesKibi(number.digits);
  }
  const Quantity exact = Quantity(negative, number.digits, number.point).RoundedUp(kNanoExponent);
  const Quantity most(negative, kInt64Max, static_cast<int64_t>(kInt64Max.size()));
  const bool capped = suffix->kibi > 0 && (negative ? exact < most : exact > most);
  return capped ? most : exact;
}

}  // namespace logbook
