#include "logbook/reconcile/service_ports.h"

#include <string>

#include "logbook/base/status.h"

namespace logbook::reconcile {
namespace {

bool SamePort(const Json& a, const Json& b) {
  return a.value("port", 0) == b.value("port", 0) &&
         a.value("protocol", "TCP") == b.value("protocol", "TCP");
}

}  // namespace

std::optional<Json> RepairPorts(const Json& live, const Json& desired) {
  const Json* ours = JsonAt(desired, {"spec", "ports"});
  const Json* theirs = JsonAt(live, {"spec", "ports"});
  if (ours == nullptr || theirs == nullptr) {
    return std::nullopt;
  }
  Json patch = Json::array(
      {{{"op", "test"}, {"path", "/metadata/uid"}, {"value", live["metadata"]["uid"]}}});
  for (const Json& port : *ours) {
    for (size_t i = 0; i < theirs->size(); ++i) {
      const Json& taken = (*theirs)[i];
      if (taken.value("name", "") == port.value("name", "") && !SamePort(taken, port)) {
        const std::string path = Concat("/spec/ports/", i);
        patch.push_back({{"op", "test"}, {"path", path}, {"value", taken}});
        patch.push_back({{"op", "replace"}, {"path", path}, {"value", port}});
      }
    }
  }
  return patch.size() == 1 ? std::nullopt : std::optional(std::move(patch));
}

}  // namespace logbook::reconcile
