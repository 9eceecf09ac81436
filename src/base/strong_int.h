// StrongInt: a number that is an identity, so that a seq cannot be passed where a run is meant.
#ifndef LOGBOOK_BASE_STRONG_INT_H_
#define LOGBOOK_BASE_STRONG_INT_H_

#include <compare>
#include <cstdint>
#include <utility>

namespace logbook {

// Example: using EventSeq = StrongInt<struct EventSeqTag>;
template <typename Tag, typename Rep = uint64_t>
struct StrongInt {
  Rep value = 0;

  constexpr StrongInt() = default;

  constexpr explicit StrongInt(Rep v) : value(v) {}

  friend constexpr auto operator<=>(StrongInt, StrongInt) = default;
  friend constexpr bool operator==(StrongInt, StrongInt) = default;

  constexpr StrongInt& operator++() {
    ++value;
    return *this;
  }

  constexpr StrongInt Next() const { return StrongInt(value + 1); }

  template <typename H>
  friend H AbslHashValue(H h, StrongInt i) {
    return H::combine(std::move(h), i.value);
  }
};

}  // namespace logbook

#endif  // LOGBOOK_BASE_STRONG_INT_H_
