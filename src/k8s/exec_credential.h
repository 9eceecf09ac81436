// Exec plugins: programs that print credentials (client.authentication.k8s.io).
#ifndef LOGBOOK_K8S_EXEC_CREDENTIAL_H_
#define LOGBOOK_K8S_EXEC_CREDENTIAL_H_

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/k8s/config.h"

namespace logbook::k8s {

struct ExecCredential {
  std::string token;
  std::string certificate_pem, key_pem;
  absl::Time expires = absl::InfiniteFuture();
};

// The environment of the plugin: `parent` ("NAME=value" each), what the plugin adds, and
// KUBERNETES_EXEC_INFO. `ca_pem` is for plugins that want to know the cluster.
std::vector<std::string> ExecEnvironment(const ExecPlugin& plugin, const ClusterConfig& cluster,
                                         std::string_view ca_pem,
                                         const std::vector<std::string>& parent);

// Errors: kInvalidArgument, never quoting `json`, which holds secrets.
absl::StatusOr<ExecCredential> ParseExecCredential(std::string_view json,
                                                   std::string_view api_version);

// Runs the plugin. Errors: kUnauthenticated, with the plugin's install hint.
absl::StatusOr<ExecCredential> RunExecPlugin(const ExecPlugin& plugin, const ClusterConfig& cluster,
                                             std::string_view ca_pem, const std::stop_token& stop);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_EXEC_CREDENTIAL_H_
