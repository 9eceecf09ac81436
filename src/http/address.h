// Where a server listens, as the flags of kubebuilder say it.
#ifndef LOGBOOK_HTTP_ADDRESS_H_
#define LOGBOOK_HTTP_ADDRESS_H_

#include <string>
#include <string_view>

#include "logbook/base/status.h"

namespace logbook::http {

struct Address {
  bool disabled = false;
  std::string host;  // empty: all interfaces, IPv6 and IPv4
  int port = 0;      // 0: one that is free

  friend bool operator==(const Address&, const Address&) = default;
};

// Reads ":8081", "127.0.0.1:8081", "[::1]:8081", "localhost:0"; "0" and "" are disabled.
// Errors: kInvalidArgument that quotes `text` and tells the forms.
absl::StatusOr<Address> ParseAddress(std::string_view text);

}  // namespace logbook::http

#endif  // LOGBOOK_HTTP_ADDRESS_H_
