#include "logbook/model/resource_version.h"

#include <compare>
#include <string>

#include <gtest/gtest.h>

namespace logbook {
namespace {

// The largest one that Kubernetes may send: 2^128 − 1.
constexpr std::string_view kLargest = "340282366920938463463374607431768211455";

TEST(ResourceVersionTest, NumbersWithoutLeadingZeroCompare) {
  for (std::string_view version : {"1", "9", "10", "18446744073709551616"}) {
    EXPECT_TRUE(IsComparableVersion(version)) << version;
  }
  EXPECT_TRUE(IsComparableVersion(kLargest));
}

TEST(ResourceVersionTest, OthersKnowOnlyEquality) {
  for (std::string_view version : {"", "0", "01", "00", "-1", "+1", "1.0", "1e3", "a", "12a", " 1",
                                   "1 ", "1\n", "0x1", "\xd9\xa1"}) {
    EXPECT_FALSE(IsComparableVersion(version)) << version;
  }
  EXPECT_FALSE(IsComparableVersion(std::string(40, '1')));
}

TEST(ResourceVersionTest, OrderIsThatOfTheNumbers) {
  struct Case {
    std::string_view a, b;
    std::partial_ordering order;
  };

  const Case cases[] = {
      {"1", "2", std::partial_ordering::less},
      {"9", "10", std::partial_ordering::less},
      {"10", "9", std::partial_ordering::greater},
      {"999", "1000", std::partial_ordering::less},
      {"42", "42", std::partial_ordering::equivalent},
      {"18446744073709551615", "18446744073709551616", std::partial_ordering::less},
      {"9007199254740993", "9007199254740992", std::partial_ordering::greater},
      {"340282366920938463463374607431768211454", kLargest, std::partial_ordering::less},
      {kLargest, kLargest, std::partial_ordering::equivalent},
      {"", "", std::partial_ordering::equivalent},
      {"abc", "abc", std::partial_ordering::equivalent},
      {"abc", "abd", std::partial_ordering::unordered},
      {"", "1", std::partial_ordering::unordered},
      {"0", "1", std::partial_ordering::unordered},
      {"1", "01", std::partial_ordering::unordered},
      {"10", "9a", std::partial_ordering::unordered},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(CompareVersions(c.a, c.b) == c.order) << c.a << " and " << c.b;
    EXPECT_TRUE(CompareVersions(c.b, c.a) == (0 <=> c.order)) << c.b << " and " << c.a;
    EXPECT_EQ(IsOlderVersion(c.a, c.b), c.order == std::partial_ordering::less);
  }
}

}  // namespace
}  // namespace logbook
