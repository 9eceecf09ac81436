#include "logbook/base/strong_int.h"

#include <type_traits>

#include "absl/hash/hash.h"
#include <gtest/gtest.h>

namespace logbook {
namespace {

using Seq = StrongInt<struct SeqTag>;
using Run = StrongInt<struct RunTag>;
using Small = StrongInt<struct SmallTag, uint32_t>;

// What the type is for: none of these may compile.
static_assert(!std::is_convertible_v<uint64_t, Seq>);
static_assert(!std::is_convertible_v<Seq, uint64_t>);
static_assert(!std::is_convertible_v<Seq, Run>);
static_assert(!std::is_constructible_v<Seq, Run>);
static_assert(sizeof(Small) == 4 && sizeof(Seq) == 8);

TEST(StrongIntTest, StartsAtZero) {
  EXPECT_EQ(Seq().value, 0U);
}

TEST(StrongIntTest, IsOrderedByValue) {
  EXPECT_LT(Seq(1), Seq(2));
  EXPECT_EQ(Seq(2), Seq(2));
  EXPECT_GE(Seq(3), Seq(2));
}

TEST(StrongIntTest, CountsOn) {
  Seq seq(7);
  EXPECT_EQ(seq.Next(), Seq(8));
  EXPECT_EQ(++seq, Seq(8));
}

TEST(StrongIntTest, EqualValuesHashEqual) {
  EXPECT_EQ(absl::HashOf(Seq(5)), absl::HashOf(Seq(5)));
  EXPECT_NE(absl::HashOf(Seq(5)), absl::HashOf(Seq(6)));
}

}  // namespace
}  // namespace logbook
