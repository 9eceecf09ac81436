#include "logbook/k8s/exec_credential.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/base/json.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::k8s {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Code = absl::StatusCode;

constexpr char kV1[] = "client.authentication.k8s.io/v1";

std::string Printed(std::string_view status) {
  return Concat(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)",
                R"("status":)", status, "}");
}

TEST(ExecCredentialTest, TokenCertificateAndExpiryAreRead) {
  const absl::StatusOr<ExecCredential> credential =
      ParseExecCredential(Printed(R"({"token":"t","clientCertificateData":"c","clientKeyData":"k",)"
                                  R"("expirationTimestamp":"2026-05-26T03:14:00Z"})"),
                          kV1);
  ASSERT_OK(credential);
  EXPECT_EQ(credential->token, "t");
  EXPECT_EQ(credential->certificate_pem, "c");
  EXPECT_EQ(credential->key_pem, "k");
  EXPECT_EQ(credential->expires, absl::FromUnixSeconds(1779765240));
  EXPECT_EQ(ParseExecCredential(Printed(R"({"token":"t"})"), kV1)->expires, absl::InfiniteFuture());
}

TEST(ExecCredentialTest, WhatCannotBeUsedIsRefusedWithoutQuotingIt) {
  const std::string cases[] = {
      "SECRET",
      R"({"kind":"Other","token":"SECRET"})",
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
      Printed("{}"),
      Printed("null"),
      Printed(R"({"clientCertificateData":"SECRET"})"),
      Printed(R"({"token":"SECRET","clientKeyData":"SECRET"})"),
      Printed(R"({"token":"SECRET","expirationTimestamp":"SECRET"})"),
  };
  for (const std::string& printed : cases) {
    EXPECT_THAT(ParseExecCredential(printed, kV1),
                StatusIs(Code::kInvalidArgument, Not(HasSubstr("SECRET"))))
        << printed;
  }
}

TEST(ExecCredentialTest, EnvironmentIsOursAndThePluginsAndTheInfo) {
  ExecPlugin plugin{.api_version = kV1, .command = "x", .env = {{"A", "2"}, {"B", "3"}}};
  ClusterConfig cluster{.server = "https://api", .exec_config_json = R"({"audience":"a"})"};
  std::vector<std::string> env = ExecEnvironment(plugin, cluster, "CA", {"A=1", "PATH=/bin"});
  EXPECT_THAT(env, ElementsAre("PATH=/bin", "A=2", "B=3",
                               R"(KUBERNETES_EXEC_INFO={"apiVersion":)"
                               R"("client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                               R"("spec":{"interactive":false}})"));
  plugin.provide_cluster_info = true;
  env = ExecEnvironment(plugin, cluster, "CA", {});
  EXPECT_THAT(env, Contains(HasSubstr(R"("cluster":{"certificate-authority-data":"Q0E=",)"
                                      R"("config":{"audience":"a"},"server":"https://api"})")));
}

class ExecPluginTest : public ::testing::Test {
 protected:
  ExecPlugin Plugin(std::string_view script) {
    const std::string path = dir_ / "plugin";
    std::ofstream(path) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {.api_version = kV1, .command = path, .args = {"a b", "c"}, .env = {{"NAME", "ann"}}};
  }

  absl::StatusOr<ExecCredential> Run(const ExecPlugin& plugin) {
    return RunExecPlugin(plugin, {.server = "https://api"}, "", {});
  }

  TempDir dir_;
};

TEST_F(ExecPluginTest, RunsWithItsArgumentsAndEnvironment) {
  const ExecPlugin plugin = Plugin(
      "test -n \"$KUBERNETES_EXEC_INFO\" || exit 1\n"
      "printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
      "\"status\":{\"token\":\"%s/%s/%s\"}}' \"$1\" \"$2\" \"$NAME\"\n");
  EXPECT_EQ(Run(plugin)->token, "a b/c/ann");
}

// 71.
TEST_F(ExecPluginTest, OurEnvironmentStaysAsItWas) {
  ASSERT_OK(Run(Plugin("echo '" + Printed(R"({"token":"t"})") + "'")));
  EXPECT_EQ(std::getenv("KUBERNETES_EXEC_INFO"), nullptr);
  EXPECT_EQ(std::getenv("NAME"), nullptr);
}

TEST_F(ExecPluginTest, FailureComesWithTheHint) {
  ExecPlugin plugin = Plugin("echo SECRET; exit 7");
  plugin.install_hint = "install the plugin from example.com";
  EXPECT_THAT(Run(plugin), StatusIs(Code::kUnauthenticated,
                                    AllOf(HasSubstr("exit code 7"), HasSubstr("from example.com"),
                                          Not(HasSubstr("SECRET")))));
  plugin.command = "no-such-plugin";
  EXPECT_THAT(Run(plugin), StatusIs(Code::kUnauthenticated, AllOf(HasSubstr("no such program"),
                                                                  HasSubstr("from example.com"))));
}

}  // namespace
}  // namespace logbook::k8s
