#include "logbook/k8s/kubeconfig.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook::k8s {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using Code = absl::StatusCode;

constexpr char kPath[] = "/users/ann/.kube/config";

// A file with one context "dev" of cluster "c" and user "u", whose fields are given.
std::string File(std::string_view cluster, std::string_view user) {
  return Concat("current-context: dev\n",
                "contexts: [{name: dev, context: {cluster: c, user: u, namespace: shop}}]\n",
                "clusters:\n- name: c\n  cluster:\n", cluster, "users:\n- name: u\n  user:\n",
                user);
}

constexpr char kServer[] = "    server: https://api.example:6443\n";

absl::StatusOr<Config> Load(std::string_view text, std::string_view context = "") {
  LOGBOOK_ASSIGN_OR_RETURN(const Kubeconfig kubeconfig, ParseKubeconfig(text, kPath));
  return SelectContext(kubeconfig, context);
}

TEST(KubeconfigTest, EveryFieldIsRead) {
  const absl::StatusOr<Config> config =
      Load(File("    server: https://api.example:6443/k8s/clusters/x/\n"
                "    tls-server-name: kubernetes\n"
                "    certificate-authority: ca.crt\n"
                "    proxy-url: socks5://proxy:1080\n"
                "    disable-compression: true\n"
                "    extensions:\n"
                "    - name: client.authentication.k8s.io/exec\n"
                "      extension: {audience: \"7\", retries: 7, deep: [true, null, text]}\n",
                "    client-certificate: ../pki/ann.crt\n"
                "    client-key: /abs/ann.key\n"
                "    as: bob\n"
                "    as-uid: '12'\n"
                "    as-groups: [dev, ops]\n"
                "    as-user-extra: {reason: [a, b]}\n"));
  ASSERT_OK(config);
  EXPECT_EQ(config->source, "/users/ann/.kube/config, context dev");
  EXPECT_EQ(config->user_name, "u");
  EXPECT_EQ(config->ns, "shop");
  EXPECT_EQ(config->cluster.server, "https://api.example:6443/k8s/clusters/x");
  EXPECT_EQ(config->cluster.tls_server_name, "kubernetes");
  EXPECT_EQ(config->cluster.certificate_authority.file, "/users/ann/.kube/ca.crt");
  EXPECT_EQ(config->cluster.proxy_url, "socks5://proxy:1080");
  EXPECT_TRUE(config->cluster.disable_compression);
  EXPECT_EQ(config->cluster.exec_config_json,
            R"({"audience":"7","deep":[true,null,"text"],"retries":7})");
  EXPECT_EQ(config->user.client_certificate.file, "/users/ann/pki/ann.crt");
  EXPECT_EQ(config->user.client_key.file, "/abs/ann.key");
  EXPECT_EQ(config->user.impersonate.user, "bob");
  EXPECT_EQ(config->user.impersonate.uid, "12");
  EXPECT_THAT(config->user.impersonate.groups, ElementsAre("dev", "ops"));
  EXPECT_THAT(config->user.impersonate.extra,
              ElementsAre(Pair("reason", "a"), Pair("reason", "b")));
}

TEST(KubeconfigTest, WhatYamlMakesOfThings) {
  // Base64 folded over lines, a binary tag, unquoted numbers and dates, null lists.
  const absl::StatusOr<Config> config =
      Load(File("    server: https://api.example:6443\n"
                "    certificate-authority-data: |\n      aGVs\n      bG8=\n",
                "    client-certificate-data: !!binary aGVsbG8=\n"
                "    client-key-data: >-\n      aGVs\n      bG8=\n"
                "    tokenFile: 2026-01-01\n"
                "    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: get-token,\n"
                "           args: null, env: null}\n"));
  ASSERT_OK(config);
  EXPECT_EQ(config->cluster.certificate_authority.data, "hello");
  EXPECT_EQ(config->user.client_certificate.data, "hello");
  EXPECT_EQ(config->user.client_key.data, "hello");
  EXPECT_EQ(config->user.token_file, "/users/ann/.kube/2026-01-01");
  EXPECT_EQ(config->user.exec->command, "get-token");

  const absl::StatusOr<Config> numbers =
      Load(File(kServer, "    username: 0123\n    password: 1e3\n"));
  ASSERT_OK(numbers);
  EXPECT_EQ(numbers->user.username, "0123");
  EXPECT_EQ(numbers->user.password, "1e3");
}

TEST(KubeconfigTest, JsonIsAccepted) {
  const absl::StatusOr<Config> config = Load(
      "{\n\t\"current-context\": \"dev\", \"contexts\": [{\"name\": \"dev\", \"context\": "
      "{\"cluster\": \"c\"}}],\n\t\"clusters\": [{\"name\": \"c\", \"cluster\": "
      "{\"server\": \"https:\\/\\/api\"}}]}");
  ASSERT_OK(config);
  EXPECT_EQ(config->cluster.server, "https://api");
  EXPECT_EQ(config->user_name, "");
}

TEST(KubeconfigTest, SchemeOfAServerWithoutOne) {
  EXPECT_EQ(Load(File("    server: api:80\n", "    token: t\n"))->cluster.server, "http://api:80");
  EXPECT_EQ(Load(File("    server: api\n    insecure-skip-tls-verify: true\n", "    token: t\n"))
                ->cluster.server,
            "https://api");
}

// 70.
TEST(KubeconfigTest, ExecCommandIsRelativeToItsFileOnlyWithASlash) {
  const auto command = [](std::string_view text) {
    return Load(File(kServer,
                     Concat("    exec:\n      apiVersion: client.authentication.k8s.io/v1\n",
                            "      interactiveMode: Never\n      command: ", text, "\n")))
        ->user.exec->command;
  };
  EXPECT_EQ(command("get-token"), "get-token");
  EXPECT_EQ(command("./get-token"), "/users/ann/.kube/get-token");
  EXPECT_EQ(command("bin/get-token"), "/users/ann/.kube/bin/get-token");
  EXPECT_EQ(command("/bin/get-token"), "/bin/get-token");

  const absl::StatusOr<Kubeconfig> here = ParseKubeconfig(
      "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1,"
      " command: ./x}}}]",
      "config");
  EXPECT_EQ(here->users.at("u").value.exec->command, std::filesystem::current_path() / "x");
}

// 72: file, line and field; never a value.
TEST(KubeconfigTest, WhatIsWrongIsNamedWithItsPlace) {
  struct Case {
    std::string text;
    const char* message;
  };

  const std::string exec = "    exec:\n      command: x\n      apiVersion: client.authentication.";
  const Case cases[] = {
      {"a: [", "/users/ann/.kube/config:1: malformed YAML"},
      {"users: [SECRET\n", "/users/ann/.kube/config:"},
      {"SECRET", "/users/ann/.kube/config:1: the file must be a mapping"},
      {"users: SECRET", ":1: users must be a list"},
      {"users: [SECRET]", ":1: users[0] must be a mapping"},
      {"users:\n- name: u\n  user:\n    token: [SECRET]", ":4: users[0].user.token must be text"},
      {File(kServer, "    client-key-data: SECRET!\n"),
       ":10: users[0].user.client-key-data is not base64"},
      {File("    insecure-skip-tls-verify: maybe\n", "    token: SECRET\n"),
       "insecure-skip-tls-verify must be true or false"},
      {File("    proxy-url: x\n", "    token: SECRET\n"), "clusters[0].cluster.server is missing"},
      {File("    server: ftp://x\n", "    token: SECRET\n"), "must be an http or https URL"},
      {File("    server: https://x\n    insecure-skip-tls-verify: true\n"
            "    certificate-authority: x\n",
            "    token: SECRET\n"),
       "contradicts certificate-authority"},
      {File(kServer, "    token: SECRET\n    username: u\n    password: SECRET\n"),
       "contradicts username and password"},
      {File(kServer, "    client-certificate: x\n"), "client-key is missing"},
      {File(kServer, "    client-key: x\n"), "client-certificate is missing"},
      {File(kServer, "    auth-provider: {name: gcp, config: {id-token: SECRET}}\n"),
       "auth-provider was removed from Kubernetes: use an exec plugin"},
      {File(kServer, "    as-groups: [a]\n"), "as is missing"},
      {File(kServer, exec + "k8s.io/v1\n"), "interactiveMode must be Never or IfAvailable"},
      {File(kServer, exec + "k8s.io/v1\n      interactiveMode: Always\n"),
       "interactiveMode is Always"},
      {File(kServer, exec + "k8s.io/v1alpha1\n"), "apiVersion must be"},
      {File(kServer, "    exec: {apiVersion: client.authentication.k8s.io/v1beta1}\n"),
       "users[0].user.exec.command is missing"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(Load(c.text), StatusIs(Code::kInvalidArgument,
                                       AllOf(HasSubstr(c.message), Not(HasSubstr("SECRET")))))
        << c.text;
  }
}

TEST(KubeconfigTest, WhatIsMissingIsNamedWithWhatThereIs) {
  const std::string one = "contexts: [{name: dev, context: {cluster: c, user: u}}]\n";
  const std::string cluster = "clusters: [{name: d, cluster: {server: https://x}}]\n";
  EXPECT_THAT(Load(""), StatusIs(Code::kNotFound, HasSubstr("there are: none")));
  EXPECT_THAT(Load(one), StatusIs(Code::kNotFound, AllOf(HasSubstr("no current-context"),
                                                         HasSubstr("there are: dev"))));
  EXPECT_THAT(
      Load(one, "prod"),
      StatusIs(Code::kNotFound, HasSubstr("context \"prod\" is not there; there are: dev")));
  EXPECT_THAT(Load(one + cluster, "dev"),
              StatusIs(Code::kNotFound, HasSubstr("names cluster \"c\", which is not there")));
  EXPECT_THAT(Load("contexts: [{name: dev, context: {cluster: d, user: u}}]\n" + cluster, "dev"),
              StatusIs(Code::kNotFound, HasSubstr("names user \"u\", which is not there")));
}

TEST(KubeconfigTest, AnEntryNobodySelectsMayBeWrong) {
  const std::string text =
      File(kServer, "    token: t\n") + "- name: old\n  user: {auth-provider: {name: gcp}}\n";
  EXPECT_OK(Load(text));
}

// 69.
TEST(KubeconfigTest, TheFirstFileWinsPerEntryAsAWhole) {
  absl::StatusOr<Kubeconfig> a = ParseKubeconfig(
      "users: [{name: u, user: {token: first}}]\n"
      "clusters: [{name: c, cluster: {server: https://a}}]\n",
      "/a/config");
  absl::StatusOr<Kubeconfig> b = ParseKubeconfig(
      "current-context: dev\n"
      "contexts: [{name: dev, context: {cluster: c, user: u}}]\n"
      "users: [{name: u, user: {token: second, as: bob}}, {name: v, user: {tokenFile: t}}]\n"
      "clusters: [{name: c, cluster: {server: https://b, tls-server-name: b}}]\n",
      "/b/config");
  ASSERT_OK(a);
  ASSERT_OK(b);
  Kubeconfig merged;
  MergeKubeconfig(*a, merged);
  MergeKubeconfig(*b, merged);
  const absl::StatusOr<Config> config = SelectContext(merged, "");
  ASSERT_OK(config);
  EXPECT_EQ(config->source, "/a/config:/b/config, context dev");
  EXPECT_EQ(config->cluster.server, "https://a");
  EXPECT_EQ(config->cluster.tls_server_name, "");
  EXPECT_EQ(config->user.token, "first");
  EXPECT_EQ(config->user.impersonate.user, "");
  EXPECT_EQ(merged.users.at("v").value.token_file, "/b/t");
}

}  // namespace
}  // namespace logbook::k8s
