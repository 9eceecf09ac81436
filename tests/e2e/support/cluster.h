// Cluster: a real control plane, as tests see it: kubectl, an API client, namespaces of one's own.
//
// Tests share one control plane, which ctest starts before the first of them and stops after the
// last (fixture `controlplane`); each works in a namespace of its own. A test that stops the API
// server or changes the CRD starts its own.
#ifndef LOGBOOK_TESTS_E2E_SUPPORT_CLUSTER_H_
#define LOGBOOK_TESTS_E2E_SUPPORT_CLUSTER_H_

#include <memory>
#include <string>
#include <vector>

#include "process.h"

#include "logbook/base/json.h"
#include "logbook/k8s/api_client.h"

namespace logbook::e2e {

class Cluster {
 public:
  // The one that ctest started.
  static Cluster Shared();

  // One of its own, with the CRD installed unless `install_crd` is false; gone with the object.
  static Cluster Own(std::vector<std::string> start_arguments = {}, bool install_crd = true);

  Cluster(Cluster&&) = default;
  ~Cluster();

  const std::string& dir() const { return dir_; }

  std::string kubeconfig() const { return dir_ + "/kubeconfig"; }

  std::string audit_log() const { return dir_ + "/audit.log"; }

  // tests/controlplane/controlplane.sh COMMAND DIR ARGUMENTS…
  ProcessResult Control(const std::string& command, std::vector<std::string> arguments = {}) const;

  // kubectl ARGUMENTS…; fails the test if it fails. `input` is its standard input.
  std::string Kubectl(std::vector<std::string> arguments, const std::string& input = "") const;
  ProcessResult TryKubectl(std::vector<std::string> arguments, const std::string& input = "") const;

  // The admin's client, for what kubectl would be too slow for.
  k8s::ApiClient& api() const { return *api_; }

  // An object, or null if it is not there. `resource` as "apps/v1/deployments".
  Json Get(const std::string& resource, const std::string& ns, const std::string& name) const;
  Json List(const std::string& resource, const std::string& ns,
            const std::string& label_selector = "") const;
  // Creates or replaces by server-side apply as "kubectl".
  void Apply(const std::string& resource, const Json& object) const;
  void MergePatch(const std::string& resource, const std::string& ns, const std::string& name,
                  const Json& patch, const std::string& subresource = "") const;

  // A kubeconfig for `user`, who may do only what RBAC grants.
  std::string KubeconfigFor(const std::string& user) const;

 private:
  explicit Cluster(std::string dir, bool own);

  std::string dir_;
  bool own_ = false;
  std::unique_ptr<k8s::ApiClient> api_;
};

// A namespace that exists as long as the object. Its deletion is not waited for.
class Namespace {
 public:
  explicit Namespace(const Cluster& cluster, const std::string& prefix = "e2e");
  ~Namespace();
  Namespace(const Namespace&) = delete;

  const std::string& name() const { return name_; }

 private:
  const Cluster& cluster_;
  std::string name_;
};

// A SimpleApp with `spec`, for Apply.
Json SimpleAppObject(const std::string& ns, const std::string& name, const Json& spec);

inline constexpr char kSimpleApps[] = "apps.bootcamp.local/v1/simpleapps";
inline constexpr char kDeployments[] = "apps/v1/deployments";
inline constexpr char kServices[] = "v1/services";
inline constexpr char kIngresses[] = "networking.k8s.io/v1/ingresses";
inline constexpr char kConfigMaps[] = "v1/configmaps";
inline constexpr char kPods[] = "v1/pods";

}  // namespace logbook::e2e

#endif  // LOGBOOK_TESTS_E2E_SUPPORT_CLUSTER_H_
