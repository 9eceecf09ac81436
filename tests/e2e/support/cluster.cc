#include "cluster.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "logbook/base/check.h"
#include "logbook/base/hash.h"
#include "logbook/k8s/api_status.h"
#include "logbook/k8s/config.h"
#include "logbook/k8s/http_api_client.h"

namespace logbook::e2e {
namespace {

constexpr char kScript[] = LOGBOOK_SOURCE_DIR "/tests/controlplane/controlplane.sh";
constexpr char kCrds[] = LOGBOOK_SOURCE_DIR "/deploy/crd/bases";

// The kinds tests use, with what discovery would say.
k8s::Target TargetOf(const std::string& resource, const std::string& ns, const std::string& name) {
  absl::StatusOr<Resource> parsed = ParseResource(resource);
  LOGBOOK_CHECK(parsed.ok());
  parsed->namespaced = !ns.empty();
  return {.resource = *parsed, .key = {.ns = ns, .name = name}};
}

std::unique_ptr<k8s::ApiClient> ClientFor(const std::string& kubeconfig) {
  const absl::StatusOr<k8s::Config> config = k8s::LoadConfig({.kubeconfig_flag = kubeconfig});
  LOGBOOK_CHECK(config.ok());
  auto client = k8s::HttpApiClient::Create(*config, {}, SystemClock(), Logger());
  LOGBOOK_CHECK(client.ok());
  return *std::move(client);
}

std::string BinDir(const std::string& dir) {
  const ProcessResult result =
      RunProcess({.argv = {"bash", "-c", "source " + dir + "/env && echo $CONTROLPLANE_BIN"}});
  return result.out.substr(0, result.out.find('\n'));
}

std::string RandomSuffix() {
  std::random_device device;
  return HexDigest(std::to_string(device()) + std::to_string(getpid()), 8);
}

Json ParsedBody(const absl::StatusOr<k8s::ApiReply>& reply) {
  EXPECT_TRUE(reply.ok()) << reply.status().ToString();
  if (!reply.ok()) {
    return nullptr;
  }
  absl::StatusOr<Json> json = ParseJson(reply->body);
  LOGBOOK_CHECK(json.ok());
  return *std::move(json);
}

}  // namespace

Cluster::Cluster(std::string dir, bool own)
    : dir_(std::move(dir)), own_(own), api_(ClientFor(kubeconfig())) {}

Cluster Cluster::Shared() {
  return Cluster(LOGBOOK_E2E_CLUSTER_DIR, false);
}

Cluster Cluster::Own(std::vector<std::string> start_arguments, bool install_crd) {
  const std::string dir =
      std::filesystem::temp_directory_path() / ("logbook-e2e-" + RandomSuffix());
  std::vector<std::string> argv = {"bash", kScript,       "start",
                                   dir,    "--watch-pid", std::to_string(getpid())};
  if (install_crd) {
    argv.insert(argv.end(), {"--crds", kCrds});
  }
  argv.insert(argv.end(), start_arguments.begin(), start_arguments.end());
  const ProcessResult started = RunProcess({.argv = argv});
  EXPECT_TRUE(started.ok()) << started.out << started.err;
  return Cluster(dir, true);
}

Cluster::~Cluster() {
  if (own_ && api_ != nullptr) {
    Control("stop");
    std::filesystem::remove_all(dir_);
  }
}

ProcessResult Cluster::Control(const std::string& command,
                               std::vector<std::string> arguments) const {
  std::vector<std::string> argv = {"bash", kScript, command, dir_};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunProcess({.argv = argv});
}

ProcessResult Cluster::TryKubectl(std::vector<std::string> arguments,
                                  const std::string& input) const {
  std::vector<std::string> argv = {BinDir(dir_) + "/kubectl"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunProcess({.argv = argv, .env = {{"KUBECONFIG", kubeconfig()}}, .input = input});
}

std::string Cluster::Kubectl(std::vector<std::string> arguments, const std::string& input) const {
  const ProcessResult result = TryKubectl(std::move(arguments), input);
  EXPECT_TRUE(result.ok()) << result.out << result.err;
  return result.out;
}

Json Cluster::Get(const std::string& resource, const std::string& ns,
                  const std::string& name) const {
  const absl::StatusOr<k8s::ApiReply> reply = api_->Get(TargetOf(resource, ns, name), {});
  return k8s::IsObjectMissing(reply.status()) ? Json() : ParsedBody(reply);
}

Json Cluster::List(const std::string& resource, const std::string& ns,
                   const std::string& label_selector) const {
  return ParsedBody(
      api_->List(TargetOf(resource, ns, ""), {.label_selector = label_selector}, {}))["items"];
}

void Cluster::Apply(const std::string& resource, const Json& object) const {
  ParsedBody(api_->Apply(TargetOf(resource, JsonString(object, {"metadata", "namespace"}),
                                  JsonString(object, {"metadata", "name"})),
                         DumpJson(object), {.field_manager = "kubectl", .force = true}, {}));
}

void Cluster::MergePatch(const std::string& resource, const std::string& ns,
                         const std::string& name, const Json& patch,
                         const std::string& subresource) const {
  k8s::Target target = TargetOf(resource, ns, name);
  target.subresource = subresource;
  ParsedBody(api_->MergePatch(target, DumpJson(patch), {.field_manager = "kubectl"}, {}));
}

std::string Cluster::KubeconfigFor(const std::string& user) const {
  const ProcessResult result = Control("kubeconfig", {user});
  EXPECT_TRUE(result.ok()) << result.err;
  std::string path = result.out;
  path.erase(path.find_last_not_of('\n') + 1);
  return path;
}

Namespace::Namespace(const Cluster& cluster, const std::string& prefix)
    : cluster_(cluster), name_(prefix + "-" + RandomSuffix()) {
  cluster_.Apply("v1/namespaces",
                 {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name_}}}});
}

Namespace::~Namespace() {
  // Best effort: the test may have deleted it, or stopped the server.
  (void)cluster_.api().Delete(TargetOf("v1/namespaces", "", name_), {}, {});
}

Json SimpleAppObject(const std::string& ns, const std::string& name, const Json& spec) {
  return {{"apiVersion", "apps.bootcamp.local/v1"},
          {"kind", "SimpleApp"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec", spec}};
}

}  // namespace logbook::e2e
