// What cannot work is said in one line, with the next step, and nothing is lost.
#include <filesystem>
#include <fstream>
#include <string>

#include "app_test.h"
#include <sys/stat.h>
#include <unistd.h>

namespace logbook::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class RefusalTest : public AppTest {
 protected:
  // Starts the manager, which ends by itself with exit code 1; returns the last line of its log.
  std::string Refusal() {
    manager_.Start();
    EXPECT_EQ(manager_.Wait(), 1) << manager_.Log();
    std::string log = manager_.Log();
    log.erase(log.find_last_not_of('\n') + 1);
    return log.substr(log.rfind('\n') + 1);
  }

  std::string WriteFile(const std::string& name, const std::string& text) {
    const std::string path = std::filesystem::path(manager_.data_dir()).parent_path() / name;
    std::ofstream(path) << text;
    return path;
  }

  std::string Kubeconfig(const std::string& server, const std::string& user) {
    return WriteFile("kubeconfig", Concat("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                                          "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                                          "clusters: [{name: c, cluster: {server: \"",
                                          server,
                                          "\", insecure-skip-tls-verify: true}}]\n"
                                          "users: [{name: u, user: ",
                                          user, "}]\n"));
  }

  // A store of this operator and cluster, with something in it.
  void MakeStore() {
    manager_.StartReady();
    EXPECT_EQ(manager_.Stop(), 0);
  }

  void ReplaceInFormat(const std::string& from, const std::string& to) {
    const std::string path = manager_.data_dir() + "/FORMAT";
    std::ifstream in(path);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, from.size(), to);
    std::ofstream(path) << text;
  }
};

TEST_F(RefusalTest, MissingKubeconfig) {
  manager_.options().kubeconfig = "/nowhere/kubeconfig";
  EXPECT_THAT(Refusal(), HasSubstr("/nowhere/kubeconfig"));
}

TEST_F(RefusalTest, MalformedKubeconfig) {
  manager_.options().kubeconfig = WriteFile("kubeconfig", "clusters: [unclosed\n");
  EXPECT_THAT(Refusal(), HasSubstr(manager_.options().kubeconfig));
}

TEST_F(RefusalTest, KubeconfigThatPointsNowhere) {
  manager_.options().kubeconfig = Kubeconfig("https://127.0.0.1:1", "{token: t}");
  EXPECT_THAT(Refusal(), HasSubstr("127.0.0.1:1"));
}

TEST_F(RefusalTest, ExpiredClientCertificate) {
  const std::string home = std::filesystem::path(manager_.data_dir()).parent_path();
  const ProcessResult made = RunProcess(
      {.argv = {"bash", "-c",
                "cd '" + home +
                    "' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
                    "-nodes -keyout key.pem -out new.pem -subj /CN=old -days 1 2>&1 && "
                    "openssl x509 -in new.pem -signkey key.pem -days -1 -out old.pem 2>&1"}});
  ASSERT_TRUE(made.ok()) << made.out;
  manager_.options().kubeconfig =
      Kubeconfig("https://127.0.0.1:1",
                 "{client-certificate: " + home + "/old.pem, client-key: " + home + "/key.pem}");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("expired"), HasSubstr("old.pem")));
}

TEST_F(RefusalTest, ReadOnlyDataDirectory) {
  std::filesystem::create_directory(manager_.data_dir());
  chmod(manager_.data_dir().c_str(), 0555);
  if (geteuid() == 0) {  // who may write everywhere, unless that right is given up
    manager_.options().wrapper = {"setpriv", "--bounding-set=-all", "--inh-caps=-all"};
  }
  EXPECT_THAT(Refusal(), AllOf(HasSubstr(manager_.data_dir()), HasSubstr("make it accessible")));
}

TEST_F(RefusalTest, DataDirectoryThatIsAFile) {
  std::ofstream(manager_.data_dir()) << "";
  EXPECT_THAT(Refusal(), HasSubstr(manager_.data_dir()));
}

TEST_F(RefusalTest, DataDirectoryInUse) {
  manager_.StartReady();
  const ProcessResult second = RunProcess(
      {.argv = {LOGBOOK_PROGRAM, "manager", "--data-dir", manager_.data_dir(), "--kubeconfig",
                manager_.options().kubeconfig, "--health-probe-bind-address", "0"}});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("in use"));
  const ProcessResult tail =
      RunProcess({.argv = {LOGBOOK_PROGRAM, "log", "tail", manager_.data_dir()}});
  EXPECT_EQ(tail.exit_code, 1);
  EXPECT_THAT(tail.err, AllOf(HasSubstr("in use"), HasSubstr("copy")));
  StopAndVerify();
}

TEST_F(RefusalTest, StoreOfAnotherCluster) {
  const std::string cluster =
      JsonString(cluster_.Get("v1/namespaces", "", "kube-system"), {"metadata", "uid"});
  MakeStore();
  ReplaceInFormat(cluster, "00000000-0000-0000-0000-000000000000");
  EXPECT_THAT(Refusal(), HasSubstr("cluster"));
  ReplaceInFormat("00000000-0000-0000-0000-000000000000", cluster);
  manager_.VerifyJournal();
}

TEST_F(RefusalTest, StoreOfANewerFormat) {
  MakeStore();
  ReplaceInFormat("format: 1.", "format: 9.");
  EXPECT_THAT(Refusal(), HasSubstr("9."));
  ReplaceInFormat("format: 9.", "format: 1.");
  manager_.VerifyJournal();
}

TEST_F(RefusalTest, OlderCopyOfTheStore) {
  MakeStore();
  const std::string copy = manager_.data_dir() + ".copy";
  std::filesystem::copy(manager_.data_dir(), copy, std::filesystem::copy_options::recursive);
  manager_.StartReady();
  ApplyApp("web");
  WaitAvailable("web");
  EXPECT_EQ(manager_.Stop(), 0);
  std::filesystem::remove_all(manager_.data_dir());
  std::filesystem::rename(copy, manager_.data_dir());
  EXPECT_THAT(Refusal(), HasSubstr("older"));
}

TEST_F(RefusalTest, LostVolumeIsAGapOrRefused) {
  MakeStore();
  std::filesystem::remove_all(manager_.data_dir());
  manager_.options().flags = {"--require-history"};
  EXPECT_THAT(Refusal(), HasSubstr("--require-history"));
  std::filesystem::remove_all(manager_.data_dir());
  manager_.options().flags = {};
  manager_.StartReady();
  StopAndVerify();
  const std::vector<Event> events = manager_.Journal();
  ASSERT_EQ(BodiesOf<Gap>(events).size(), 1u);
  EXPECT_THAT(BodiesOf<Gap>(events).front()->reason, HasSubstr("history lost"));
}

TEST_F(RefusalTest, UnknownFlagIsAUsageError) {
  EXPECT_EQ(RunProcess({.argv = {LOGBOOK_PROGRAM, "manager", "--no-such-flag"}}).exit_code, 2);
}

}  // namespace
}  // namespace logbook::e2e
