#include "manager_command.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "exit_code.h"
#include "retention_flags.h"
#include "signals.h"
#include "version.h"

#include "logbook/base/clock.h"
#include "logbook/base/hash.h"
#include "logbook/base/log.h"
#include "logbook/http/health.h"
#include "logbook/k8s/config.h"
#include "logbook/k8s/http_api_client.h"
#include "logbook/operators/simpleapp/simpleapp.h"
#include "logbook/reconcile/runtime.h"

namespace logbook::cmd {
namespace {

constexpr std::string_view kServiceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount";

// Flags with kubebuilder's names and meanings; ours beside them.
struct ManagerFlags {
  std::string kubeconfig;
  std::string health_address = ":8081";
  std::string data_dir;
  std::string log_level = "info";
  std::string anchor_namespace;
  int workers = 1;
  bool require_history = false;
  std::string durability = "default";
  std::string redaction_key_file;
  reconcile::RetentionPolicy retention;
  uint64_t disk_reserve = reconcile::RuntimeOptions{}.disk_reserve;
  double release_seconds = 2.0;
};

std::string Env(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before the first thread
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

k8s::ConfigSources SourcesOf(const ManagerFlags& flags) {
  return {.kubeconfig_flag = flags.kubeconfig,
          .kubeconfig_env = Env("KUBECONFIG"),
          .home = Env("HOME"),
          .service_host = Env("KUBERNETES_SERVICE_HOST"),
          .service_port = Env("KUBERNETES_SERVICE_PORT"),
          .service_account_dir = std::string(kServiceAccountDir)};
}

// WATCH_NAMESPACE: one or several, comma-separated; empty: all.
std::vector<std::string> WatchNamespaces() {
  std::vector<std::string> namespaces =
      absl::StrSplit(Env("WATCH_NAMESPACE"), ',', absl::SkipWhitespace());
  for (std::string& ns : namespaces) {
    absl::StripAsciiWhitespace(&ns);
  }
  std::sort(namespaces.begin(), namespaces.end());
  return namespaces;
}

// The cluster's CA is its own, as a rule; without one, its address is the best there is.
std::string ClusterFallback(const k8s::ClusterConfig& cluster) {
  std::string text = cluster.certificate_authority.data;
  if (const std::string& file = cluster.certificate_authority.file; text.empty() && !file.empty()) {
    std::ifstream in(file);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  return Concat("ca-", HexDigest(text.empty() ? cluster.server : text, 32));
}

// Longer than the time that a cleanup has (operator.h), it would never succeed.
constexpr double kReleaseSecondsMax = 25;

std::string CheckReleaseSeconds(const std::string& text) {
  double seconds = 0;
  const bool fits =
      absl::SimpleAtod(text, &seconds) && seconds >= 0 && seconds <= kReleaseSecondsMax;
  return fits ? "" : Concat("use 0 to ", kReleaseSecondsMax, " seconds, not ", text);
}

// CLI11 asks for the reason, or nothing.
std::string CheckLogLevel(const std::string& text) {
  return std::string(ToStd(ParseLogLevel(text).status().message()));
}

reconcile::RuntimeOptions OptionsOf(const ManagerFlags& flags, const k8s::Config& config) {
  return {.data_dir = flags.data_dir,
          .operator_name = "simpleapp-operator",
          .anchor_ns = flags.anchor_namespace.empty() ? config.ns : flags.anchor_namespace,
          .cluster_fallback = ClusterFallback(config.cluster),
          .namespaces = WatchNamespaces(),
          .build_id = BuildId(),
          .version = Version(),
          .require_history = flags.require_history,
          .strict = flags.durability == "strict",
          .retention = flags.retention,
          .disk_reserve = flags.disk_reserve,
          .workers = flags.workers};
}

// The content of --redaction-key-file; empty without one.
absl::StatusOr<std::string> RedactionKey(const std::string& file) {
  if (file.empty()) {
    return std::string();
  }
  std::ifstream in(file, std::ios::binary);
  std::string key(std::istreambuf_iterator<char>(in), {});
  if (!in || key.empty()) {
    return InvalidArgument("--redaction-key-file ", file, " cannot be read or is empty");
  }
  return key;
}

absl::Status Run(const ManagerFlags& flags, LogSink& sink, const std::stop_token& stop) {
  const Logger log(&sink);
  const Clock& clock = SystemClock();
  LOGBOOK_ASSIGN_OR_RETURN(const k8s::Config config, k8s::LoadConfig(SourcesOf(flags)));
  LOGBOOK_ASSIGN_OR_RETURN(const std::unique_ptr<k8s::HttpApiClient> api,
                           k8s::HttpApiClient::Create(config, {}, clock, log.Named("k8s")));
  LOGBOOK_ASSIGN_OR_RETURN(
      const reconcile::OperatorSpec simpleapp,
      operators::SimpleAppOperator({.release = absl::Seconds(flags.release_seconds)}));
  log.Info("Starting manager", {{"version", Version()},
                                {"build", BuildId()},
                                {"server", config.cluster.server},
                                {"config", config.source},
                                {"dataDir", flags.data_dir}});
  reconcile::RuntimeOptions options = OptionsOf(flags, config);
  LOGBOOK_ASSIGN_OR_RETURN(options.redaction_key, RedactionKey(flags.redaction_key_file));
  reconcile::Runtime runtime(std::move(options), {simpleapp}, *api, clock, log);
  http::HealthServer health({.address = flags.health_address});
  health.AddReady("journal", [&] { return runtime.CheckJournal(); });
  health.AddReady("streams", [&] { return runtime.CheckSources(); });
  LOGBOOK_RETURN_IF_ERROR(health.Start());
  absl::Status status = runtime.Run(stop);
  log.Info("Manager stopped");
  return status;
}

int RunManager(const ManagerFlags& flags) {
  StopOnSignals signals;
  LogSink sink(std::cerr, *ParseLogLevel(flags.log_level), SystemClock());
  const absl::Status status = Run(flags, sink, signals.token());
  if (!status.ok()) {
    Logger(&sink).Error("Manager failed", {{"error", status}});
    return kExitError;
  }
  return kExitFine;
}

}  // namespace

void AddManagerCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ManagerFlags>();
  CLI::App* command = app.add_subcommand("manager", "Run the operator");
  command->footer(
      "WATCH_NAMESPACE, in the environment: the namespaces to watch, separated by "
      "commas; default: all");
  command->add_option("--kubeconfig", flags->kubeconfig,
                      "Kubeconfig file; default: KUBECONFIG, the Pod's service account, "
                      "~/.kube/config");
  command
      ->add_option("--health-probe-bind-address", flags->health_address,
                   "Address of /healthz and /readyz; 0 switches them off")
      ->capture_default_str();
  command->add_option("--data-dir", flags->data_dir, "Directory of the journal")->required();
  command->add_option("--max-concurrent-reconciles", flags->workers, "Reconciles at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--zap-log-level", flags->log_level, "debug, info or error")
      ->capture_default_str()
      ->check(CheckLogLevel);
  command->add_option("--anchor-namespace", flags->anchor_namespace,
                      "Namespace of the journal's anchor; default: the configuration's");
  command->add_flag("--require-history", flags->require_history,
                    "Refuse to start anew where the cluster remembers a journal");
  command
      ->add_option("--durability", flags->durability,
                   "default: sync what something depends on; strict: sync every event")
      ->capture_default_str()
      ->check(CLI::IsMember({"default", "strict"}));
  AddRetentionFlags(*command, flags->retention);
  command->add_option("--redaction-key-file", flags->redaction_key_file,
                      "File with random bytes that hashes of sensitive values are made with");
  command
      ->add_option("--disk-reserve", flags->disk_reserve,
                   "With less room on the volume, nothing more is taken in; 0: no reserve")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE")
      ->capture_default_str();
  command
      ->add_option("--release-seconds", flags->release_seconds,
                   "How long the external release of a SimpleApp takes")
      ->capture_default_str()
      ->check(CheckReleaseSeconds);
  command->callback([flags, &exit_code] { exit_code = RunManager(*flags); });
}

}  // namespace logbook::cmd
