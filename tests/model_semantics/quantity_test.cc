#include "logbook/model/quantity.h"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

using ::testing::HasSubstr;

Quantity Parsed(std::string_view text) {
  const absl::StatusOr<Quantity> quantity = ParseQuantity(text);
  EXPECT_OK(quantity) << text;
  return quantity.ok() ? *quantity : Quantity();
}

TEST(QuantityTest, OneNumberHasManySpellings) {
  const std::pair<const char*, const char*> cases[] = {
      {"1000m", "1"},
      {"1024Mi", "1Gi"},
      {"0.5", "500m"},
      {"1.5Gi", "1536Mi"},
      {"1e3", "1k"},
      {"1E3", "1000"},
      {"1e+3", "1k"},
      {"1e-3", "1m"},
      {"12E", "12e18"},
      {"0", "-0"},
      {"0Ki", "0.000n"},
      {"007", "7"},
      {"+5", "5"},
      {"5.", "5"},
      {".5", "500m"},
      {"1u", "1000n"},
      {"100000k", "100M"},
      {"1.0000", "1"},
      {"0.1Ki", "102.4"},
      // Below a nano the server rounds away from zero.
      {"0.1n", "1n"},
      {"1.1n", "2n"},
      {"-1.1n", "-2n"},
      {"1e-400", "1n"},
      {"0.9999999999", "1"},
      {"0.0000000001Ki", "0.000000103"},
      // Binary ones are capped at 2^63-1.
      {"9Ei", "9223372036854775807"},
      {"9223372036854775807Ki", "8Ei"},
      {"-9Ei", "-9223372036854775807"},
  };
  for (const auto& [a, b] : cases) {
    EXPECT_EQ(Parsed(a), Parsed(b)) << a << " and " << b;
  }
}

TEST(QuantityTest, OrderIsThatOfTheNumbers) {
  const char* ascending[] = {"-1e400", "-1Gi", "-1G",   "-2",     "-1.5", "-1",  "-1n",
                             "0",      "1n",   "1m",    "999m",   "1",    "1.1", "2",
                             "10",     "1k",   "1Ki",   "1025",   "1M",   "1Mi", "7.9Ei",
                             "9Ei",    "10E",  "1e400", "1.1e400"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(Parsed(ascending[i]) <=> Parsed(ascending[j]), i <=> j)
          << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(QuantityTest, OtherTextIsRefusedAndQuoted) {
  const std::string digits(300, '1');
  for (std::string_view text :
       {"",   "K",     "1K",  "5 ",   " 5",  "1 Gi",  "1gi",          "1Zi",
        "1e", "1e1.5", "1e+", "1ee3", "--1", "1.2.3", "0x10",         ".",
        "+",  "-",     "Ki",  "m",    "1mm", "1im",   "1e9999999999", "25%"}) {
    EXPECT_THAT(ParseQuantity(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                              HasSubstr("\"" + std::string(text) + "\"")));
  }
  EXPECT_THAT(ParseQuantity(digits), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(QuantityTest, RoundsAwayFromZero) {
  const std::pair<const char*, const char*> cases[] = {
      {"100u", "1m"},   {"1m", "1m"},   {"1001u", "2m"}, {"999999u", "1"}, {"-1u", "-1m"},
      {"9.9999", "10"}, {"123", "123"}, {"0", "0"},      {"1n", "1m"},     {"1.0009", "1.001"}};
  for (const auto& [exact, rounded] : cases) {
    EXPECT_EQ(Parsed(exact).RoundedUp(-3), Parsed(rounded)) << exact;
  }
}

TEST(QuantityTest, AgreesWithIntegersWhereTheyFit) {
  std::mt19937_64 random(TestSeed());

  const struct {
    const char* suffix;
    int64_t nanos;
  } units[] = {{"n", 1}, {"u", 1000}, {"m", 1'000'000}, {"", 1'000'000'000}};

  const auto draw = [&]() -> std::pair<std::string, int64_t> {
    const auto& unit = units[random() % std::size(units)];
    const int64_t number = static_cast<int64_t>(random() % 2001) - 1000;
    return {std::to_string(number) + unit.suffix, number * unit.nanos};
  };
  for (int i = 0; i < 10'000; ++i) {
    const auto [a, a_nanos] = draw();
    const auto [b, b_nanos] = draw();
    EXPECT_EQ(Parsed(a) <=> Parsed(b), a_nanos <=> b_nanos) << a << " and " << b;
  }
}

}  // namespace
}  // namespace logbook
