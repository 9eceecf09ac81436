#include "logbook/model/resource_version.h"

#include <algorithm>

namespace logbook {

bool IsComparableVersion(std::string_view version) {
  constexpr size_t kDigitsMax = 39;  // 2^128 − 1 has 39
  return !version.empty() && version.size() <= kDigitsMax && version.front() != '0' &&
         std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::partial_ordering CompareVersions(std::string_view a, std::string_view b) {
  if (a == b) {
    return std::partial_ordering::equivalent;
  }
  if (!IsComparableVersion(a) || !IsComparableVersion(b)) {
    return std::partial_ordering::unordered;
  }
  if (a.size() != b.size()) {
    return a.size() <=> b.size();
  }
  return a.compare(b) <=> 0;
}

bool IsOlderVersion(std::string_view candidate, std::string_view reference) {
  return CompareVersions(candidate, reference) == std::partial_ordering::less;
}

}  // namespace logbook
