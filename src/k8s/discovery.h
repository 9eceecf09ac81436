// What the server knows of a kind: its name, its scope, and who serves it.
#ifndef LOGBOOK_K8S_DISCOVERY_H_
#define LOGBOOK_K8S_DISCOVERY_H_

#include <string>

#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/k8s/api_client.h"
#include "logbook/model/resource.h"

namespace logbook::k8s {

struct ServedResource {
  Resource resource;  // with kind and namespaced filled in
  // What must stand for uid + resourceVersion to tell changed from unchanged: a CRD's uid and
  // generation, or the server's version for built-in kinds. Empty if it may not be read: then it
  // equals nothing, not even another empty one.
  std::string served_by;
};

// Whether two served_by are known to be the same.
inline bool SameServer(const std::string& a, const std::string& b) {
  return !a.empty() && a == b;
}

// Looks `resource` up. Two or three small requests.
// Errors: kNotFound if the server answers but does not serve it (a CRD is not installed); whatever
// ApiClient::GetPath fails with otherwise.
absl::StatusOr<ServedResource> Discover(ApiClient& api, const Resource& resource,
                                        const CallOptions& call, const Logger& log);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_DISCOVERY_H_
