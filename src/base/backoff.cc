#include "logbook/base/backoff.h"

#include <algorithm>
#include <cmath>

namespace logbook {

absl::Duration KeyBackoff(int failures) {
  constexpr absl::Duration kMax = absl::Seconds(60);
  constexpr int kDoublingsMax = 6;  // 2^6 s is above the cap already
  if (failures <= 0) {
    return absl::ZeroDuration();
  }
  return std::min(absl::Seconds(1 << std::min(failures - 1, kDoublingsMax)), kMax);
}

ConnectionBackoff::ConnectionBackoff(BackoffOptions options, uint64_t seed)
    : options_(options), random_(seed) {}

absl::Duration ConnectionBackoff::Next() {
  const double growth = std::pow(options_.factor, std::min(failures_, 32));
  const absl::Duration mean = std::min(options_.initial * growth, options_.max);
  ++failures_;
  return mean * std::uniform_real_distribution<double>(0.5, 1.5)(random_);
}

}  // namespace logbook
