#include "logbook/http/address.h"

#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook::http {
namespace {

TEST(AddressTest, FormsOfKubebuilderAreRead) {
  struct Case {
    std::string_view text;
    Address address;
  };

  const Case cases[] = {
      {"0", {.disabled = true}},
      {"", {.disabled = true}},
      {":8081", {.host = "", .port = 8081}},
      {":0", {.host = "", .port = 0}},
      {"127.0.0.1:8081", {.host = "127.0.0.1", .port = 8081}},
      {"localhost:65535", {.host = "localhost", .port = 65535}},
      {"[::1]:8081", {.host = "::1", .port = 8081}},
      {"[::]:0", {.host = "::", .port = 0}},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Address> address = ParseAddress(c.text);
    ASSERT_OK(address);
    EXPECT_EQ(*address, c.address) << c.text;
  }
}

TEST(AddressTest, OthersAreRefusedAndQuoted) {
  for (std::string_view text :
       {"8081", "localhost", ":", "localhost:", ":http", ":-1", ":65536", ":99999999999", ": 80",
        ":80 ", "::1:80", "[]:80", "[::1:80", "http://localhost:80", "a b:80"}) {
    EXPECT_THAT(ParseAddress(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                             testing::HasSubstr(Concat("\"", text, "\""))))
        << text;
  }
}

}  // namespace
}  // namespace logbook::http
