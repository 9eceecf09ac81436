#include "logbook/k8s/discovery.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "logbook/base/json.h"
#include "logbook/k8s/api_status.h"

namespace logbook::k8s {
namespace {

// Groups that kube-apiserver serves itself, besides those without a dot, which no CRD may have.
constexpr std::string_view kBuiltInGroups[] = {"admissionregistration.k8s.io",
                                               "apiextensions.k8s.io",
                                               "apiregistration.k8s.io",
                                               "authentication.k8s.io",
                                               "authorization.k8s.io",
                                               "certificates.k8s.io",
                                               "coordination.k8s.io",
                                               "discovery.k8s.io",
                                               "events.k8s.io",
                                               "flowcontrol.apiserver.k8s.io",
                                               "internal.apiserver.k8s.io",
                                               "networking.k8s.io",
                                               "node.k8s.io",
                                               "rbac.authorization.k8s.io",
                                               "resource.k8s.io",
                                               "scheduling.k8s.io",
                                               "storage.k8s.io",
                                               "storagemigration.k8s.io"};

bool IsBuiltIn(const std::string& group) {
  return group.find('.') == std::string::npos ||
         std::find(std::begin(kBuiltInGroups), std::end(kBuiltInGroups), group) !=
             std::end(kBuiltInGroups);
}

absl::StatusOr<Json> GetJson(ApiClient& api, const std::string& path, const CallOptions& call) {
  LOGBOOK_ASSIGN_OR_RETURN(const ApiReply reply, api.GetPath(path, call));
  absl::StatusOr<Json> json = ParseJson(reply.body);
  // A login page answers 200 to everything.
  return json.ok() ? json
                   : Unavailable("GET ", path, ": the answer is not JSON: is this an API server?");
}

absl::Status NotServed(const Resource& resource) {
  return NotFound("the server does not serve ", resource.ToString(),
                  IsBuiltIn(resource.group) ? "" : ": is its CustomResourceDefinition installed?");
}

absl::StatusOr<Resource> FindKind(ApiClient& api, const Resource& resource,
                                  const CallOptions& call) {
  const std::string path = (resource.group.empty() ? "/api/" : "/apis/") + resource.ApiVersion();
  const absl::StatusOr<Json> list = GetJson(api, path, call);
  if (absl::IsNotFound(list.status())) {
    return NotServed(resource);
  }
  LOGBOOK_RETURN_IF_ERROR(list.status());
  const Json* resources = JsonAt(*list, {"resources"});
  for (const Json& entry : resources == nullptr ? Json::array() : *resources) {
    if (JsonString(entry, {"name"}) == resource.plural) {
      Resource found = resource;
      found.kind = JsonString(entry, {"kind"});
      found.namespaced = JsonBool(entry, {"namespaced"}, true);
      return found;
    }
  }
  return NotServed(resource);
}

absl::StatusOr<std::string> ServerVersion(ApiClient& api, const CallOptions& call) {
  LOGBOOK_ASSIGN_OR_RETURN(const Json version, GetJson(api, "/version", call));
  const std::string git_version = JsonString(version, {"gitVersion"});
  return git_version.empty() ? "" : "server/" + git_version;
}

absl::StatusOr<std::string> ServedBy(ApiClient& api, const Resource& resource,
                                     const CallOptions& call, const Logger& log) {
  if (IsBuiltIn(resource.group)) {
    return ServerVersion(api, call);
  }
  const absl::StatusOr<Json> crd = GetJson(
      api, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + resource.GroupResource(),
      call);
  if (absl::IsNotFound(crd.status())) {
    return ServerVersion(api, call);  // of an aggregated server, behind this one
  }
  if (absl::IsPermissionDenied(crd.status())) {
    log.Info("CustomResourceDefinition may not be read, so every start lists and compares content",
             {{"resource", resource.GroupResource()}, {"error", crd.status()}});
    return "";
  }
  LOGBOOK_RETURN_IF_ERROR(crd.status());
  return Concat("crd/", JsonString(*crd, {"metadata", "uid"}), "/",
                JsonInt(*crd, {"metadata", "generation"}));
}

}  // namespace

absl::StatusOr<ServedResource> Discover(ApiClient& api, const Resource& resource,
                                        const CallOptions& call, const Logger& log) {
  LOGBOOK_ASSIGN_OR_RETURN(const Resource found, FindKind(api, resource, call));
  LOGBOOK_ASSIGN_OR_RETURN(const std::string served_by, ServedBy(api, found, call, log));
  return ServedResource{.resource = found, .served_by = served_by};
}

}  // namespace logbook::k8s
