#include "logbook/http/address.h"

#include <cstdint>

#include "absl/strings/numbers.h"

namespace logbook::http {
namespace {

absl::Status Malformed(std::string_view text) {
  return InvalidArgument("address \"", text, "\" is none of :8081, host:8081, [::1]:8081, 0");
}

}  // namespace

absl::StatusOr<Address> ParseAddress(std::string_view text) {
  if (text.empty() || text == "0") {
    return Address{.disabled = true, .host = "", .port = 0};
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return Malformed(text);
  }
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  uint32_t port = 0;
  if (digits.find_first_not_of("0123456789") != std::string_view::npos ||
      !absl::SimpleAtoi(ToAbsl(digits), &port) || port > UINT16_MAX) {
    return Malformed(text);
  }
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (host.empty()) {
      return Malformed(text);
    }
  } else if (host.find_first_of(":[]/ ") != std::string_view::npos) {
    return Malformed(text);
  }
  return Address{.disabled = false, .host = std::string(host), .port = static_cast<int>(port)};
}

}  // namespace logbook::http
