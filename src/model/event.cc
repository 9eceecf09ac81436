#include "logbook/model/event.h"

#include <array>

namespace logbook {
namespace {

// Names of an enum's values 1..N in order; values outside are "unknown".
template <size_t N, typename Enum>
std::string_view NameOf(const std::array<std::string_view, N>& names, Enum value) {
  const size_t index = static_cast<size_t>(value);
  return index >= 1 && index <= N ? names[index - 1] : "unknown";
}

}  // namespace

std::string_view ToString(EventKind kind) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "observed",   "stream-changed", "decided", "outcome",     "marked",
      "leadership", "admin",          "build",   "quarantined", "gap"};
  return NameOf(kNames, kind);
}

std::string_view ToString(ChangeType change) {
  static constexpr std::array<std::string_view, 5> kNames = {"added", "modified", "deleted",
                                                             "deleted-while-away", "left-scope"};
  return NameOf(kNames, change);
}

std::string_view ToString(Origin origin) {
  static constexpr std::array<std::string_view, 4> kNames = {"watch", "list", "get", "response"};
  return NameOf(kNames, origin);
}

std::string_view ToString(MarkReason reason) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "observed",      "owned",     "mapped",     "foreign",
      "build changed", "recovered", "conflicted", "requested"};
  return NameOf(kNames, reason);
}

std::string_view ToString(StreamChange change) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "opened", "list-started", "listed", "resumed", "unavailable", "rewound", "closed"};
  return NameOf(kNames, change);
}

std::string_view ToString(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> kNames = {"settled", "failed", "terminal"};
  return NameOf(kNames, verdict);
}

std::string StreamIdentity::ToString() const {
  std::string text = resource.GroupResource();
  if (!ns.empty()) {
    text += Concat(" in ", ns);
  }
  if (!label_selector.empty()) {
    text += Concat(" with ", label_selector);
  }
  if (!field_selector.empty()) {
    text += Concat(" where ", field_selector);
  }
  return text;
}

}  // namespace logbook
