#include "logbook/k8s/config.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::k8s {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = absl::StatusCode;

class ConfigTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, std::string_view text) {
    const std::string path = dir_ / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }

  std::string WriteConfig(const std::string& name, std::string_view server) {
    return Write(name,
                 Concat("current-context: x\n", "contexts: [{name: x, context: {cluster: x}}]\n",
                        "clusters: [{name: x, cluster: {server: \"", server, "\"}}]\n"));
  }

  void MakePod() {
    sources_.service_host = "10.0.0.1";
    sources_.service_port = "443";
    sources_.service_account_dir = dir_ / "sa";
    Write("sa/token", "token\n");
    Write("sa/ca.crt", "ca");
    Write("sa/namespace", "shop\n");
  }

  std::string Server() const {
    const absl::StatusOr<Config> config = LoadConfig(sources_);
    return config.ok() ? config->cluster.server : std::string(config.status().message());
  }

  TempDir dir_;
  ConfigSources sources_;
};

TEST_F(ConfigTest, FlagThenEnvironmentThenPodThenHome) {
  sources_.home = dir_ / "home";
  EXPECT_THAT(Server(), HasSubstr("no cluster to talk to: pass --kubeconfig"));
  WriteConfig("home/.kube/config", "https://home");
  EXPECT_EQ(Server(), "https://home");
  MakePod();
  EXPECT_EQ(Server(), "https://10.0.0.1:443");
  sources_.kubeconfig_env = WriteConfig("env", "https://env");
  EXPECT_EQ(Server(), "https://env");
  sources_.kubeconfig_flag = WriteConfig("flag", "https://flag");
  EXPECT_EQ(Server(), "https://flag");
}

// 69.
TEST_F(ConfigTest, ListIsMergedAndMissingFilesArePassedOver) {
  const std::string a = WriteConfig("a", "https://a");
  const std::string b = WriteConfig("b", "https://b");
  sources_.kubeconfig_env = Concat(dir_ / "missing", ":", a, "::", a, ":", b);
  EXPECT_EQ(Server(), "https://a");
  sources_.kubeconfig_env = Concat(a, ":", Write("bad", "a: ["));
  EXPECT_THAT(Server(), HasSubstr("/bad:1: malformed YAML"));
  sources_.kubeconfig_env = dir_ / "missing";
  EXPECT_THAT(Server(), HasSubstr("KUBECONFIG names no file that exists"));
}

TEST_F(ConfigTest, FileOfTheFlagMustExist) {
  sources_.kubeconfig_flag = dir_ / "missing";
  EXPECT_THAT(LoadConfig(sources_),
              StatusIs(Code::kNotFound,
                       AllOf(HasSubstr("--kubeconfig"), HasSubstr("missing: no such file"))));
}

TEST_F(ConfigTest, PodIsItsServiceAccount) {
  MakePod();
  const absl::StatusOr<Config> config = LoadConfig(sources_);
  ASSERT_OK(config);
  EXPECT_EQ(config->ns, "shop");
  EXPECT_EQ(config->user.token_file, dir_ / "sa/token");
  EXPECT_EQ(config->cluster.certificate_authority.file, dir_ / "sa/ca.crt");
}

// 65.
TEST_F(ConfigTest, Ipv6HostGetsBrackets) {
  MakePod();
  sources_.service_host = "fd00::1";
  EXPECT_EQ(Server(), "https://[fd00::1]:443");
}

TEST_F(ConfigTest, PodWithoutTokenSaysWhatToDo) {
  MakePod();
  std::filesystem::remove(dir_ / "sa/token");
  EXPECT_THAT(Server(), HasSubstr("set automountServiceAccountToken"));
}

}  // namespace
}  // namespace logbook::k8s
