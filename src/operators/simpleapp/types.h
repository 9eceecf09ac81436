// SimpleApp as C++ sees it: what deploy/crd/bases/apps.bootcamp.local_simpleapps.yaml declares.
#ifndef LOGBOOK_OPERATORS_SIMPLEAPP_TYPES_H_
#define LOGBOOK_OPERATORS_SIMPLEAPP_TYPES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "logbook/base/json.h"
#include "logbook/model/object_key.h"
#include "logbook/model/resource.h"
#include "logbook/reconcile/children.h"

namespace logbook::operators {

inline constexpr std::string_view kSimpleAppResource = "apps.bootcamp.local/v1/simpleapps";
inline constexpr std::string_view kSimpleAppKind = "SimpleApp";
inline constexpr std::string_view kDeploymentResource = "apps/v1/deployments";
inline constexpr std::string_view kServiceResource = "v1/services";
inline constexpr std::string_view kIngressResource = "networking.k8s.io/v1/ingresses";
inline constexpr std::string_view kReplicaSetResource = "apps/v1/replicasets";
inline constexpr std::string_view kPodResource = "v1/pods";
inline constexpr std::string_view kConfigMapResource = "v1/configmaps";

inline constexpr std::string_view kFieldManager = "simpleapp-operator";
inline constexpr std::string_view kFinalizer = "apps.bootcamp.local/simpleapp-finalizer";
// On everything that belongs to a SimpleApp, Pods included: its full name, which a label or a
// child's own name may be too short for.
inline constexpr std::string_view kNameAnnotation = "apps.bootcamp.local/simpleapp";
inline constexpr std::string_view kUidAnnotation = "apps.bootcamp.local/simpleapp-uid";
inline constexpr std::string_view kManagedBySelector =
    "app.kubernetes.io/managed-by=simpleapp-operator";

// A SimpleApp that the API server has validated and defaulted; a missing field still has the
// default, since an object may be older than the schema.
struct SimpleApp {
  ObjectKey key;
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  std::string image;
  int64_t replicas = 1;
  int64_t port = 80;
  std::string host;
  std::string child_name;  // of its Deployment, Service and Ingress
  Json status;             // as it is; an empty object if there is none

  reconcile::Owner AsOwner() const;
};

SimpleApp ParseSimpleApp(const Json& object);

// One of the constants above, parsed.
Resource Known(std::string_view resource, std::string_view kind);

}  // namespace logbook::operators

#endif  // LOGBOOK_OPERATORS_SIMPLEAPP_TYPES_H_
