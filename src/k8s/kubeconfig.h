// The format of kubeconfig files, and how several become one.
#ifndef LOGBOOK_K8S_KUBECONFIG_H_
#define LOGBOOK_K8S_KUBECONFIG_H_

#include <map>
#include <string>
#include <string_view>

#include "logbook/base/status.h"
#include "logbook/k8s/config.h"

namespace logbook::k8s {

struct KubeconfigContext {
  std::string cluster;
  std::string user;
  std::string ns;
};

// `fault` says why the entry cannot be used. It matters only to who selects it: a file may hold
// leftovers of clusters that are long gone.
template <typename Value>
struct KubeconfigEntry {
  Value value;
  absl::Status fault;
};

// One file, or the merge of several. Relative paths are already resolved against the file that held
// them.
struct Kubeconfig {
  std::string files;  // where it came from, for messages
  std::string current_context;
  std::map<std::string, KubeconfigEntry<ClusterConfig>> clusters;
  std::map<std::string, KubeconfigEntry<UserConfig>> users;
  std::map<std::string, KubeconfigEntry<KubeconfigContext>> contexts;
};

// `path` is where `text` was read. YAML or JSON.
// Errors: kInvalidArgument with file, line and field; values are never quoted.
absl::StatusOr<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& path);

// Adds what `into` does not have yet. An entry that both have stays as it is, whole.
void MergeKubeconfig(Kubeconfig from, Kubeconfig& into);

// The configuration of `context`, or of the current one if it is empty.
absl::StatusOr<Config> SelectContext(const Kubeconfig& kubeconfig, std::string_view context);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_KUBECONFIG_H_
