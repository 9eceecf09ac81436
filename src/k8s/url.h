// Paths and queries of the Kubernetes API.
#ifndef LOGBOOK_K8S_URL_H_
#define LOGBOOK_K8S_URL_H_

#include <string>
#include <string_view>

#include "logbook/model/object_key.h"
#include "logbook/model/resource.h"

namespace logbook::k8s {

// What a call is about: an object, or with an empty name the collection in `key.ns` (empty: of all
// namespaces).
struct Target {
  Resource resource;
  ObjectKey key;
  std::string subresource = {};  // "status"; empty: the object itself
};

// `text` with everything but unreserved characters percent-encoded.
std::string PercentEncode(std::string_view text);

// "/apis/apps/v1/namespaces/shop/deployments/web/status".
std::string PathOf(const Target& target);

// Builds "?limit=500&labelSelector=app%3Dweb"; empty without parameters.
class Query {
 public:
  // Leaves out parameters whose value is empty.
  Query& Add(std::string_view name, std::string_view value);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_URL_H_
