#include "logbook/k8s/exec_credential.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include <unistd.h>

#include "logbook/base/json.h"
#include "logbook/k8s/subprocess.h"

namespace logbook::k8s {
namespace {

constexpr absl::Duration kPluginTimeout = absl::Minutes(1);

Json ClusterOf(const ClusterConfig& cluster, std::string_view ca_pem) {
  Json json = {{"server", cluster.server}};
  if (!cluster.tls_server_name.empty()) {
    json["tls-server-name"] = cluster.tls_server_name;
  }
  if (cluster.insecure_skip_tls_verify) {
    json["insecure-skip-tls-verify"] = true;
  }
  if (!ca_pem.empty()) {
    json["certificate-authority-data"] = absl::Base64Escape(ToAbsl(ca_pem));
  }
  if (!cluster.proxy_url.empty()) {
    json["proxy-url"] = cluster.proxy_url;
  }
  if (cluster.disable_compression) {
    json["disable-compression"] = true;
  }
  const absl::StatusOr<Json> config = ParseJson(cluster.exec_config_json);
  json["config"] = config.ok() ? *config : Json();
  return json;
}

std::string ExecInfo(const ExecPlugin& plugin, const ClusterConfig& cluster,
                     std::string_view ca_pem) {
  Json info = {{"apiVersion", plugin.api_version},
               {"kind", "ExecCredential"},
               {"spec", {{"interactive", false}}}};
  if (plugin.provide_cluster_info) {
    info["spec"]["cluster"] = ClusterOf(cluster, ca_pem);
  }
  return DumpJson(info);
}

void SetVariable(std::vector<std::string>& env, std::string_view name, std::string_view value) {
  const std::string prefix = Concat(name, "=");
  std::erase_if(env, [&](const std::string& entry) { return absl::StartsWith(entry, prefix); });
  env.push_back(Concat(prefix, value));
}

std::vector<std::string> OurEnvironment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    env.emplace_back(*entry);
  }
  return env;
}

}  // namespace

std::vector<std::string> ExecEnvironment(const ExecPlugin& plugin, const ClusterConfig& cluster,
                                         std::string_view ca_pem,
                                         const std::vector<std::string>& parent) {
  std::vector<std::string> env = parent;
  for (const auto& [name, value] : plugin.env) {
    SetVariable(env, name, value);
  }
  SetVariable(env, "KUBERNETES_EXEC_INFO", ExecInfo(plugin, cluster, ca_pem));
  return env;
}

absl::StatusOr<ExecCredential> ParseExecCredential(std::string_view json,
                                                   std::string_view api_version) {
  const absl::StatusOr<Json> parsed = ParseJson(json);
  if (!parsed.ok() || JsonString(*parsed, {"kind"}) != "ExecCredential") {
    return InvalidArgument("printed no ExecCredential");
  }
  if (JsonString(*parsed, {"apiVersion"}) != api_version) {
    return InvalidArgument("printed apiVersion \"", JsonString(*parsed, {"apiVersion"}),
                           "\", while the kubeconfig says \"", api_version, "\"");
  }
  ExecCredential credential{
      .token = JsonString(*parsed, {"status", "token"}),
      .certificate_pem = JsonString(*parsed, {"status", "clientCertificateData"}),
      .key_pem = JsonString(*parsed, {"status", "clientKeyData"})};
  if (credential.token.empty() && credential.certificate_pem.empty()) {
    return InvalidArgument("printed neither status.token nor status.clientCertificateData");
  }
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return InvalidArgument("printed only one of clientCertificateData and clientKeyData");
  }
  const std::string expires = JsonString(*parsed, {"status", "expirationTimestamp"});
  std::string error;
  if (!expires.empty() &&
      !absl::ParseTime(absl::RFC3339_full, expires, &credential.expires, &error)) {
    return InvalidArgument("printed a status.expirationTimestamp that is no RFC 3339 time");
  }
  return credential;
}

absl::StatusOr<ExecCredential> RunExecPlugin(const ExecPlugin& plugin, const ClusterConfig& cluster,
                                             std::string_view ca_pem, const std::stop_token& stop) {
  Subprocess subprocess{.argv = {plugin.command},
                        .env = ExecEnvironment(plugin, cluster, ca_pem, OurEnvironment()),
                        .timeout = kPluginTimeout,
                        .stop = stop};
  subprocess.argv.insert(subprocess.argv.end(), plugin.args.begin(), plugin.args.end());
  const absl::StatusOr<std::string> output = RunSubprocess(subprocess);
  absl::StatusOr<ExecCredential> credential = output.ok()
                                                  ? ParseExecCredential(*output, plugin.api_version)
                                                  : absl::StatusOr<ExecCredential>(output.status());
  if (credential.ok() || absl::IsCancelled(credential.status())) {
    return credential;
  }
  return Unauthenticated("exec plugin ", plugin.command, ": ", ToStd(credential.status().message()),
                         plugin.install_hint.empty() ? "" : "; ", plugin.install_hint);
}

}  // namespace logbook::k8s
