// Order of resourceVersions, as KEP-5504 defines it (GA in Kubernetes 1.35), on strings.
#ifndef LOGBOOK_MODEL_RESOURCE_VERSION_H_
#define LOGBOOK_MODEL_RESOURCE_VERSION_H_

#include <compare>
#include <string_view>

namespace logbook {

// Whether `version` is a decimal number without a leading zero, greater than 0, of at most 39
// digits (128 bits). Others, which some aggregated servers send, know only equality.
bool IsComparableVersion(std::string_view version);

// Order of two resourceVersions of one resource; unordered unless equal or both comparable.
std::partial_ordering CompareVersions(std::string_view a, std::string_view b);

// Whether `candidate` is known to be older than `reference`. Incomparable is not older.
bool IsOlderVersion(std::string_view candidate, std::string_view reference);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_RESOURCE_VERSION_H_
