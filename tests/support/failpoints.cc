// Failpoints that kill: LOGBOOK_FAILPOINT=name:n ends the process, as kill -9 does, when it comes
// to `name` for the n-th time. Linked into test programs in place of the empty definition.
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "logbook/base/failpoint.h"

namespace logbook {
namespace {

struct Wanted {
  std::string_view name;
  int hits = 0;
};

Wanted FromEnvironment() {
  const char* text = std::getenv("LOGBOOK_FAILPOINT");
  if (text == nullptr) {
    return {};
  }
  const std::string_view wanted(text);
  const size_t colon = wanted.find(':');
  Wanted result{.name = wanted.substr(0, colon)};
  const std::string_view hits = wanted.substr(colon + 1);
  std::from_chars(hits.data(), hits.data() + hits.size(), result.hits);
  return result;
}

}  // namespace

void HitFailpoint(std::string_view name) {
  static const Wanted wanted = FromEnvironment();
  static std::atomic<int> hits = 0;
  if (name == wanted.name && ++hits == wanted.hits) {
    std::raise(SIGKILL);
  }
}

}  // namespace logbook
