// Where the API server is and who we are to it, as kubeconfig files or a Pod's service account say.
//
// Shape:    LoadConfig reads files once and gives plain data; Credentials (credentials.h) turns it
//           into what requests carry, and keeps that fresh.
// Errors:   one line that names the file, the field and the next step; never a secret.
//           kNotFound: a file, context, cluster or user is missing; kInvalidArgument: malformed.
// Threads:  pure but for reading files.
#ifndef LOGBOOK_K8S_CONFIG_H_
#define LOGBOOK_K8S_CONFIG_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logbook/base/status.h"

namespace logbook::k8s {

// PEM text, here or in a file that may change. `data` wins.
struct PemSource {
  std::string data;
  std::string file;

  bool empty() const { return data.empty() && file.empty(); }
};

// A program that prints credentials: "exec" of a kubeconfig user.
struct ExecPlugin {
  std::string api_version;  // client.authentication.k8s.io/v1 or /v1beta1
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to ours
  std::string install_hint;
  bool provide_cluster_info = false;
};

struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::string>> extra;  // key, value
};

struct ClusterConfig {
  std::string server;           // "https://host:port/prefix", without a slash at the end
  std::string tls_server_name;  // empty: the server's host
  bool insecure_skip_tls_verify = false;
  PemSource certificate_authority;
  std::string proxy_url;
  bool disable_compression = false;
  // "config" of the extension client.authentication.k8s.io/exec, as JSON; empty without it.
  std::string exec_config_json;
};

struct UserConfig {
  PemSource client_certificate, client_key;
  std::string token;
  std::string token_file;  // wins over token
  std::string username, password;
  std::optional<ExecPlugin> exec;
  Impersonation impersonate;
};

struct Config {
  std::string source;     // for people: "/users/ann/.kube/config, context kind-dev"
  std::string user_name;  // the entry's name; "service account" in a Pod
  std::string ns = "default";
  ClusterConfig cluster;
  UserConfig user;
};

// Where to look; the first that applies wins: kubeconfig_flag, kubeconfig_env, the Pod,
// home/.kube/config. The caller fills it from flags and environment.
struct ConfigSources {
  std::string kubeconfig_flag;  // --kubeconfig: must exist
  std::string kubeconfig_env;   // KUBECONFIG: files separated by ':', merged; missing ones ignored
  std::string home;             // HOME
  std::string service_host;     // KUBERNETES_SERVICE_HOST; set in every Pod
  std::string service_port;     // KUBERNETES_SERVICE_PORT
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";
  std::string context;  // --context; empty: the current one
};

absl::StatusOr<Config> LoadConfig(const ConfigSources& sources);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_CONFIG_H_
