#include "logbook/k8s/config.h"

#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

#include "logbook/k8s/files.h"
#include "logbook/k8s/kubeconfig.h"

namespace logbook::k8s {
namespace {

absl::StatusOr<Config> FromFile(const std::string& path, const std::string& context) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  LOGBOOK_ASSIGN_OR_RETURN(const Kubeconfig kubeconfig, ParseKubeconfig(text, path));
  return SelectContext(kubeconfig, context);
}

// As kubectl merges: missing files and duplicates are passed over, a malformed one is an error.
absl::StatusOr<Config> FromList(const std::string& list, const std::string& context) {
  Kubeconfig merged;
  std::set<std::string> seen;
  const std::vector<std::string> paths = absl::StrSplit(list, ':', absl::SkipEmpty());
  for (const std::string& path : paths) {
    if (!seen.insert(path).second || !FileExists(path)) {
      continue;
    }
    LOGBOOK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
    LOGBOOK_ASSIGN_OR_RETURN(Kubeconfig kubeconfig, ParseKubeconfig(text, path));
    MergeKubeconfig(std::move(kubeconfig), merged);
  }
  if (merged.files.empty()) {
    return NotFound("KUBECONFIG names no file that exists: ", list);
  }
  return SelectContext(merged, context);
}

Config FromPod(const ConfigSources& sources) {
  const std::string& dir = sources.service_account_dir;
  const bool is_ipv6 = sources.service_host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? Concat("[", sources.service_host, "]") : sources.service_host;
  Config config{.source = Concat("the Pod's service account in ", dir),
                .user_name = "service account"};
  config.cluster.server = Concat("https://", host, ":", sources.service_port);
  config.cluster.certificate_authority.file = dir + "/ca.crt";
  config.user.token_file = dir + "/token";
  if (const absl::StatusOr<std::string> ns = ReadFile(dir + "/namespace"); ns.ok()) {
    config.ns = std::string(absl::StripAsciiWhitespace(*ns));
  }
  return config;
}

}  // namespace

absl::StatusOr<Config> LoadConfig(const ConfigSources& sources) {
  if (!sources.kubeconfig_flag.empty()) {
    absl::StatusOr<Config> config = FromFile(sources.kubeconfig_flag, sources.context);
    return config.ok() ? config
                       : absl::StatusOr<Config>(WithContext(config.status(), "--kubeconfig"));
  }
  if (!sources.kubeconfig_env.empty()) {
    return FromList(sources.kubeconfig_env, sources.context);
  }
  const bool in_pod = !sources.service_host.empty() && !sources.service_port.empty();
  if (in_pod && FileExists(sources.service_account_dir + "/token")) {
    return FromPod(sources);
  }
  const std::string home_file = sources.home + "/.kube/config";
  if (!sources.home.empty() && FileExists(home_file)) {
    return FromFile(home_file, sources.context);
  }
  if (in_pod) {
    return NotFound("this Pod has no ", sources.service_account_dir,
                    "/token: set automountServiceAccountToken, or pass --kubeconfig");
  }
  return NotFound("no cluster to talk to: pass --kubeconfig, set KUBECONFIG, or run in a Pod");
}

}  // namespace logbook::k8s
