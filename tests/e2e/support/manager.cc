#include "manager.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "logbook/base/check.h"
#include "logbook/store/inspect.h"
#include "logbook/support/eventually.h"

namespace logbook::e2e {
namespace {

// A port that was free a moment ago; nobody else on this machine is given it soon.
int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  LOGBOOK_CHECK(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  socklen_t size = sizeof(address);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

// "GET path" of the health endpoint; empty if nobody answers.
std::string HttpGet(int port, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    const std::string request = "GET " + path + " HTTP/1.0\r\nHost: localhost\r\n\r\n";
    if (write(fd, request.data(), request.size()) == static_cast<ssize_t>(request.size())) {
      char buffer[4096];
      for (ssize_t got; (got = read(fd, buffer, sizeof(buffer))) > 0;) {
        answer.append(buffer, static_cast<size_t>(got));
      }
    }
  }
  close(fd);
  return answer;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The roles of deploy/rbac, with the anchor's in `anchor_ns`.
std::string Roles(const std::string& anchor_ns) {
  std::string roles;
  for (const char* file : {"role.yaml", "cluster_reader_role.yaml", "anchor_role.yaml"}) {
    roles += ReadText(std::string(LOGBOOK_SOURCE_DIR "/deploy/rbac/") + file) + "\n---\n";
  }
  const std::string placeholder = "namespace: system";
  roles.replace(roles.find(placeholder), placeholder.size(), "namespace: " + anchor_ns);
  return roles;
}

// What is shipped in deploy/rbac must suffice.
void GrantOperatorRights(const Cluster& cluster, const std::string& user,
                         const std::string& anchor_ns) {
  cluster.Kubectl({"apply", "--server-side", "-f", "-"}, Roles(anchor_ns));
  for (const char* role : {"manager-role", "cluster-reader-role"}) {
    cluster.Apply(
        "rbac.authorization.k8s.io/v1/clusterrolebindings",
        {{"apiVersion", "rbac.authorization.k8s.io/v1"},
         {"kind", "ClusterRoleBinding"},
         {"metadata", {{"name", user + "-" + role}}},
         {"roleRef",
          {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", role}}},
         {"subjects", Json::array({{{"kind", "User"}, {"name", user}}})}});
  }
  cluster.Apply(
      "rbac.authorization.k8s.io/v1/rolebindings",
      {{"apiVersion", "rbac.authorization.k8s.io/v1"},
       {"kind", "RoleBinding"},
       {"metadata", {{"name", user + "-anchor"}, {"namespace", anchor_ns}}},
       {"roleRef",
        {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", "anchor-role"}}},
       {"subjects", Json::array({{{"kind", "User"}, {"name", user}}})}});
}

}  // namespace

Manager::Manager(const Cluster& cluster, ManagerOptions options)
    : cluster_(cluster), options_(std::move(options)) {
  std::string pattern = std::filesystem::temp_directory_path() / "logbook-manager-XXXXXX";
  LOGBOOK_CHECK(mkdtemp(pattern.data()) != nullptr);
  home_ = pattern;
  data_dir_ = home_ + "/data";
  if (options_.program.empty()) {
    options_.program = LOGBOOK_PROGRAM;
  }
  anchor_ns_ = options_.ns.empty() ? "default" : options_.ns;
  if (options_.kubeconfig.empty()) {
    user_ = "operator-" + std::filesystem::path(home_).filename().string();
    std::transform(user_.begin(), user_.end(), user_.begin(), ::tolower);
    options_.kubeconfig = cluster.KubeconfigFor(user_);
    GrantOperatorRights(cluster, user_, anchor_ns_);
  }
}

Manager::~Manager() {
  process_.reset();
  if (::testing::Test::HasFailure()) {
    std::cerr << "the manager's log and journal are kept in " << home_ << "\n";
  } else {
    std::filesystem::remove_all(home_);
  }
}

void Manager::Start() {
  port_ = FreePort();
  ProcessOptions process{.argv = options_.wrapper, .env = options_.env, .log = home_ + "/log"};
  process.argv.insert(process.argv.end(),
                      {options_.program, "manager", "--data-dir", data_dir_, "--kubeconfig",
                       options_.kubeconfig, "--anchor-namespace", anchor_ns_,
                       "--health-probe-bind-address", "127.0.0.1:" + std::to_string(port_)});
  process.argv.insert(process.argv.end(), options_.flags.begin(), options_.flags.end());
  process.env["WATCH_NAMESPACE"] = options_.ns;
  process_ = std::make_unique<BackgroundProcess>(process);
}

void Manager::StartReady() {
  Start();
  ASSERT_TRUE(Eventually([&] { return Ready() || !Running(); })) << ReadyText() << Log();
  ASSERT_TRUE(Running()) << Log();
}

int Manager::Stop() {
  process_->Signal(SIGTERM);
  return process_->Wait();
}

void Manager::Kill() {
  process_->Signal(SIGKILL);
  process_->Wait();
}

int Manager::Wait() {
  return process_->Wait();
}

bool Manager::Running() {
  return process_ != nullptr && process_->Running();
}

bool Manager::Ready() const {
  return HttpGet(port_, "/readyz").find(" 200 ") != std::string::npos;
}

std::string Manager::ReadyText() const {
  return HttpGet(port_, "/readyz?verbose");
}

std::string Manager::Log() const {
  return ReadText(home_ + "/log");
}

std::vector<Event> Manager::Journal() const {
  std::vector<Event> events;
  const auto journal = store::OpenOffline(data_dir_, Logger());
  EXPECT_TRUE(journal.ok()) << journal.status().ToString();
  if (journal.ok()) {
    const absl::Status read = (*journal)->Read(EventSeq(1), (*journal)->last(),
                                               [&](const Event& event) -> absl::StatusOr<bool> {
                                                 events.push_back(event);
                                                 return true;
                                               });
    EXPECT_TRUE(read.ok()) << read.ToString();
  }
  return events;
}

void Manager::VerifyJournal() const {
  const ProcessResult result = RunProcess({.argv = {LOGBOOK_PROGRAM, "log", "verify", data_dir_}});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

std::vector<Event> After(const std::vector<Event>& events, EventSeq seq) {
  std::vector<Event> after;
  std::copy_if(events.begin(), events.end(), std::back_inserter(after),
               [&](const Event& event) { return event.seq > seq; });
  return after;
}

}  // namespace logbook::e2e
