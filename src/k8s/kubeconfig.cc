#include "logbook/k8s/kubeconfig.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include <yaml-cpp/yaml.h>

#include "logbook/base/json.h"

namespace logbook::k8s {
namespace {

constexpr char kExecExtension[] = "client.authentication.k8s.io/exec";

// What is being read, and the first thing that was wrong with it.
struct Reading {
  std::string path;
  absl::Status error;  // of the file: a field of a wrong type
  absl::Status fault;  // of the entry that is being read: it makes no sense

  void Note(const YAML::Node& node, std::string_view field, std::string_view what,
            absl::Status& where) const {
    if (where.ok()) {
      where =
          InvalidArgument("kubeconfig ", path, ":", node.Mark().line + 1, ": ", field, " ", what);
    }
  }

  std::string Resolve(const std::string& file) const {
    if (file.empty() || file.front() == '/') {
      return file;
    }
    // Absolute, so that a command in our own directory does not become a name to look up in PATH.
    const std::filesystem::path dir = std::filesystem::absolute(path).parent_path();
    return (dir / file).lexically_normal().string();
  }
};

// A mapping, read field by field. Absent and null fields are empty.
class Fields {
 public:
  Fields(Reading& reading, const YAML::Node& node, std::string name)
      : reading_(reading), node_(node), name_(std::move(name)) {
    if (!node_.IsMap() && !node_.IsNull()) {
      Fail(node_, name_.empty() ? "the file" : name_, "must be a mapping");
      node_ = YAML::Node();
    }
  }

  bool Has(const char* key) const {
    const YAML::Node node = Get(key);
    return node.IsDefined() && !node.IsNull();
  }

  YAML::Node Get(const char* key) const {
    // The const operator[] does not add what is missing.
    return node_.IsMap() ? std::as_const(node_)[key] : YAML::Node(YAML::NodeType::Undefined);
  }

  Fields Map(const char* key) const {
    const YAML::Node node = Get(key);
    return Fields(reading_, node.IsDefined() ? node : YAML::Node(), Name(key));
  }

  // The scalar as it is written, so that an unquoted number or date is the text it looks like.
  std::string Text(const char* key) const { return TextOf(Get(key), Name(key)); }

  bool Flag(const char* key) const {
    const std::string text = Text(key);
    if (!text.empty() && text != "true" && text != "false") {
      Fail(Get(key), Name(key), "must be true or false");
    }
    return text == "true";
  }

  std::string File(const char* key) const { return reading_.Resolve(Text(key)); }

  // Base64, possibly folded over lines.
  std::string Data(const char* key) const {
    std::string data;
    if (!absl::Base64Unescape(Text(key), &data)) {
      Fail(Get(key), Name(key), "is not base64");
    }
    return data;
  }

  PemSource Pem(const char* file_key, const char* data_key) const {
    return {.data = Data(data_key), .file = File(file_key)};
  }

  std::vector<std::string> Texts(const char* key) const {
    std::vector<std::string> texts;
    for (const auto& [node, name] : List(key)) {
      texts.push_back(TextOf(node, name));
    }
    return texts;
  }

  std::vector<Fields> Maps(const char* key) const {
    std::vector<Fields> maps;
    for (const auto& [node, name] : List(key)) {
      maps.emplace_back(reading_, node, name);
    }
    return maps;
  }

  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    for (const auto& entry : node_) {
      keys.push_back(entry.first.Scalar());
    }
    return keys;
  }

  // The entry that is being read cannot be used.
  void Reject(const char* key, std::string_view what) const {
    reading_.Note(Has(key) ? Get(key) : node_, Name(key), what, reading_.fault);
  }

  std::string Resolve(const std::string& file) const { return reading_.Resolve(file); }

 private:
  std::string Name(std::string_view key) const {
    return name_.empty() ? std::string(key) : Concat(name_, ".", key);
  }

  void Fail(const YAML::Node& node, const std::string& name, std::string_view what) const {
    reading_.Note(node, name, what, reading_.error);
  }

  std::string TextOf(const YAML::Node& node, const std::string& name) const {
    if (!node.IsDefined() || node.IsNull()) {
      return "";
    }
    if (!node.IsScalar()) {
      Fail(node, name, "must be text");
      return "";
    }
    return node.Scalar();
  }

  std::vector<std::pair<YAML::Node, std::string>> List(const char* key) const {
    std::vector<std::pair<YAML::Node, std::string>> elements;
    const YAML::Node list = Get(key);
    if (!list.IsDefined() || list.IsNull()) {
      return elements;
    }
    if (!list.IsSequence()) {
      Fail(list, Name(key), "must be a list");
      return elements;
    }
    for (const YAML::Node& element : list) {
      elements.emplace_back(element, Concat(Name(key), "[", elements.size(), "]"));
    }
    return elements;
  }

  Reading& reading_;
  YAML::Node node_;
  std::string name_;
};

Json JsonOfScalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() != "!") {  // "!" is a quoted scalar: always text
    const absl::StatusOr<Json> value = ParseJson(text);
    if (value.ok() && value->is_primitive()) {
      return *value;
    }
  }
  return text;
}

Json JsonOf(const YAML::Node& node) {
  if (node.IsMap()) {
    Json object = Json::object();
    for (const auto& entry : node) {
      object[entry.first.Scalar()] = JsonOf(entry.second);
    }
    return object;
  }
  if (node.IsSequence()) {
    Json array = Json::array();
    for (const YAML::Node& element : node) {
      array.push_back(JsonOf(element));
    }
    return array;
  }
  return node.IsScalar() ? JsonOfScalar(node) : Json();
}

// A host without a scheme is http, unless there is something only TLS has a use for.
std::string ServerUrl(const Fields& fields, const ClusterConfig& cluster) {
  std::string server = fields.Text("server");
  if (server.empty()) {
    fields.Reject("server", "is missing");
    return server;
  }
  if (server.find("://") == std::string::npos) {
    const bool tls = !cluster.certificate_authority.empty() || cluster.insecure_skip_tls_verify;
    server = (tls ? "https://" : "http://") + server;
  }
  if (server.rfind("https://", 0) != 0 && server.rfind("http://", 0) != 0) {
    fields.Reject("server", "must be an http or https URL");
  }
  while (server.back() == '/') {
    server.pop_back();
  }
  return server;
}

ClusterConfig ReadCluster(const Fields& fields) {
  ClusterConfig cluster;
  cluster.tls_server_name = fields.Text("tls-server-name");
  cluster.insecure_skip_tls_verify = fields.Flag("insecure-skip-tls-verify");
  cluster.certificate_authority = fields.Pem("certificate-authority", "certificate-authority-data");
  cluster.proxy_url = fields.Text("proxy-url");
  cluster.disable_compression = fields.Flag("disable-compression");
  cluster.server = ServerUrl(fields, cluster);
  for (const Fields& extension : fields.Maps("extensions")) {
    if (extension.Text("name") == kExecExtension) {
      cluster.exec_config_json = DumpJson(JsonOf(extension.Get("extension")));
    }
  }
  if (cluster.insecure_skip_tls_verify && !cluster.certificate_authority.empty()) {
    fields.Reject("insecure-skip-tls-verify",
                  "contradicts certificate-authority: remove one of the two");
  }
  return cluster;
}

ExecPlugin ReadExec(const Fields& fields) {
  ExecPlugin exec;
  exec.api_version = fields.Text("apiVersion");
  exec.command = fields.Text("command");
  exec.args = fields.Texts("args");
  exec.install_hint = fields.Text("installHint");
  exec.provide_cluster_info = fields.Flag("provideClusterInfo");
  for (const Fields& variable : fields.Maps("env")) {
    exec.env.emplace_back(variable.Text("name"), variable.Text("value"));
  }
  if (exec.command.empty()) {
    fields.Reject("command", "is missing");
  } else if (exec.command.find('/') != std::string::npos) {
    exec.command = fields.Resolve(exec.command);  // a bare name is looked up in PATH
  }
  const bool is_v1 = exec.api_version == "client.authentication.k8s.io/v1";
  if (!is_v1 && exec.api_version != "client.authentication.k8s.io/v1beta1") {
    fields.Reject("apiVersion", "must be client.authentication.k8s.io/v1 or /v1beta1");
  }
  const std::string mode = fields.Text("interactiveMode");
  if (mode == "Always") {
    fields.Reject("interactiveMode", "is Always, and a server has no terminal to offer");
  } else if (mode != "Never" && mode != "IfAvailable" && (is_v1 || !mode.empty())) {
    fields.Reject("interactiveMode", "must be Never or IfAvailable");
  }
  return exec;
}

Impersonation ReadImpersonation(const Fields& fields) {
  Impersonation as{.user = fields.Text("as"),
                   .uid = fields.Text("as-uid"),
                   .groups = fields.Texts("as-groups"),
                   .extra = {}};
  const Fields extra = fields.Map("as-user-extra");
  for (const std::string& key : extra.Keys()) {
    for (std::string& value : extra.Texts(key.c_str())) {
      as.extra.emplace_back(key, std::move(value));
    }
  }
  if (as.user.empty() && !(as.uid.empty() && as.groups.empty() && as.extra.empty())) {
    fields.Reject("as", "is missing: a uid, groups or extra fields need a user to impersonate");
  }
  return as;
}

UserConfig ReadUser(const Fields& fields) {
  UserConfig user;
  user.client_certificate = fields.Pem("client-certificate", "client-certificate-data");
  user.client_key = fields.Pem("client-key", "client-key-data");
  user.token = fields.Text("token");
  user.token_file = fields.File("tokenFile");
  user.username = fields.Text("username");
  user.password = fields.Text("password");
  user.impersonate = ReadImpersonation(fields);
  if (fields.Has("exec")) {
    user.exec = ReadExec(fields.Map("exec"));
  }
  if (fields.Has("auth-provider")) {
    fields.Reject("auth-provider",
                  "was removed from Kubernetes: use an exec plugin of your provider");
  }
  if (user.client_certificate.empty() != user.client_key.empty()) {
    fields.Reject(user.client_key.empty() ? "client-key" : "client-certificate",
                  "is missing: a client certificate and its key go together");
  }
  const bool has_token = !user.token.empty() || !user.token_file.empty();
  if (has_token && !(user.username.empty() && user.password.empty())) {
    fields.Reject("token", "contradicts username and password: remove one of the two");
  }
  return user;
}

KubeconfigContext ReadContext(const Fields& fields) {
  return {.cluster = fields.Text("cluster"),
          .user = fields.Text("user"),
          .ns = fields.Text("namespace")};
}

// The entries of `list`, each a name and, under `key`, what it names. The first of a name counts.
template <typename Value>
void ReadEntries(Reading& reading, const std::vector<Fields>& list, const char* key,
                 Value (*read)(const Fields&), std::map<std::string, KubeconfigEntry<Value>>& out) {
  for (const Fields& entry : list) {
    reading.fault = absl::OkStatus();
    Value value = read(entry.Map(key));
    out.emplace(entry.Text("name"), KubeconfigEntry<Value>{std::move(value), reading.fault});
  }
}

YAML::Node Load(std::string_view text) {
  // JSON first: yaml-cpp does not accept all of it, such as tabs and "\/".
  const absl::StatusOr<Json> json = ParseJson(text);
  return YAML::Load(json.ok() ? DumpJson(*json) : std::string(text));
}

absl::StatusOr<Kubeconfig> Parse(std::string_view text, const std::string& path) {
  Reading reading{.path = path};
  const Fields top(reading, Load(text), "");
  Kubeconfig kubeconfig{.files = path, .current_context = top.Text("current-context")};
  ReadEntries(reading, top.Maps("clusters"), "cluster", &ReadCluster, kubeconfig.clusters);
  ReadEntries(reading, top.Maps("users"), "user", &ReadUser, kubeconfig.users);
  ReadEntries(reading, top.Maps("contexts"), "context", &ReadContext, kubeconfig.contexts);
  LOGBOOK_RETURN_IF_ERROR(reading.error);
  return kubeconfig;
}

template <typename Entry>
std::string Names(const std::map<std::string, Entry>& entries) {
  return entries.empty() ? "none"
                         : absl::StrJoin(entries, ", ", [](std::string* out, const auto& entry) {
                             out->append(entry.first);
                           });
}

template <typename Value>
absl::Status Select(const std::map<std::string, KubeconfigEntry<Value>>& entries,
                    std::string_view what, const std::string& name, Value& out) {
  const auto found = entries.find(name);
  if (found == entries.end()) {
    return NotFound(what, " \"", name, "\", which is not there; there are: ", Names(entries));
  }
  out = found->second.value;
  return found->second.fault;
}

}  // namespace

absl::StatusOr<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& path) {
  try {
    return Parse(text, path);
  } catch (const YAML::Exception& error) {
    return InvalidArgument("kubeconfig ", path, ":", error.mark.line + 1,
                           ": malformed YAML: ", error.msg);
  }
}

void MergeKubeconfig(Kubeconfig from, Kubeconfig& into) {
  into.files += into.files.empty() ? from.files : ":" + from.files;
  if (into.current_context.empty()) {
    into.current_context = std::move(from.current_context);
  }
  into.clusters.merge(from.clusters);
  into.users.merge(from.users);
  into.contexts.merge(from.contexts);
}

absl::StatusOr<Config> SelectContext(const Kubeconfig& kubeconfig, std::string_view context) {
  const std::string name(context.empty() ? kubeconfig.current_context : context);
  if (name.empty()) {
    return NotFound(
        "kubeconfig ", kubeconfig.files, ": no current-context: choose one with ",
        "--context or kubectl config use-context; there are: ", Names(kubeconfig.contexts));
  }
  const std::string where = Concat("kubeconfig ", kubeconfig.files, ": context \"", name, "\"");
  const auto selected = kubeconfig.contexts.find(name);
  if (selected == kubeconfig.contexts.end()) {
    return NotFound(where, " is not there; there are: ", Names(kubeconfig.contexts));
  }
  const KubeconfigContext& chosen = selected->second.value;
  Config config{.source = Concat(kubeconfig.files, ", context ", name), .user_name = chosen.user};
  config.ns = chosen.ns.empty() ? config.ns : chosen.ns;
  LOGBOOK_RETURN_IF_ERROR(
      Select(kubeconfig.clusters, Concat(where, " names cluster"), chosen.cluster, config.cluster));
  if (!chosen.user.empty()) {  // without a user: anonymous
    LOGBOOK_RETURN_IF_ERROR(
        Select(kubeconfig.users, Concat(where, " names user"), chosen.user, config.user));
  }
  return config;
}

}  // namespace logbook::k8s
