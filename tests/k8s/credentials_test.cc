#include "logbook/k8s/credentials.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "absl/synchronization/notification.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/fake_clock.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"
#include "logbook/support/test_certificates.h"

namespace logbook::k8s {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = absl::StatusCode;

// The certificates of these tests are valid now, while FakeClock stands at the documents' date.
class TestClock : public FakeClock {
 public:
  absl::Time Now() const override { return start_ + Monotonic(); }

 private:
  const absl::Time start_ = SystemClock().Now();
};

class CredentialsTest : public ::testing::Test {
 protected:
  CredentialsTest() { config_.cluster.server = "https://api"; }

  std::string Write(const std::string& name, std::string_view text) {
    std::ofstream(dir_ / name) << text;
    return dir_ / name;
  }

  void Create(Credentials::ExecRunner exec = &RunExecPlugin) {
    absl::StatusOr<std::unique_ptr<Credentials>> created =
        Credentials::Create(config_, clock_, Logger(&sink_), std::move(exec));
    ASSERT_OK(created);
    credentials_ = *std::move(created);
  }

  absl::Status CreateError() {
    return Credentials::Create(config_, clock_, Logger(&sink_)).status();
  }

  std::vector<std::string> Headers() { return credentials_->Get({})->headers; }

  TempDir dir_;
  TestClock clock_;
  std::ostringstream log_;
  LogSink sink_{log_, LogLevel::kInfo, clock_};
  const TestCertificateAuthority authority_;
  Config config_{.source = "kubeconfig", .user_name = "ann"};
  std::unique_ptr<Credentials> credentials_;
};

TEST_F(CredentialsTest, HeadersOfEachKind) {
  struct Case {
    UserConfig user;
    std::vector<std::string> headers;
  };

  const Case cases[] = {
      {{}, {}},
      {{.token = "t"}, {"Authorization: Bearer t"}},
      {{.token = "t", .token_file = Write("token", " f\n")}, {"Authorization: Bearer f"}},
      {{.username = "ann", .password = "pw"}, {"Authorization: Basic YW5uOnB3"}},
      {{.token = "t",
        .impersonate = {.user = "bob", .uid = "7", .groups = {"a", "b"}, .extra = {{"x/y", "z"}}}},
       {"Authorization: Bearer t", "Impersonate-User: bob", "Impersonate-Uid: 7",
        "Impersonate-Group: a", "Impersonate-Group: b", "Impersonate-Extra-x%2Fy: z"}},
  };
  for (const Case& c : cases) {
    config_.user = c.user;
    Create();
    EXPECT_EQ(Headers(), c.headers);
  }
}

TEST_F(CredentialsTest, NothingSecretGoesOverPlainHttp) {
  config_.cluster.server = "http://api";
  config_.user.token = "t";
  Create();
  EXPECT_THAT(Headers(), IsEmpty());
}

TEST_F(CredentialsTest, LineBreaksCannotSmuggleHeaders) {
  config_.user.token = "t\r\nImpersonate-User: root";
  EXPECT_THAT(CreateError(), StatusIs(Code::kInvalidArgument, HasSubstr("line break")));
}

// 66: the projected volume swaps a symlink.
TEST_F(CredentialsTest, TokenFileIsReadAgainEveryMinute) {
  Write("one", "first");
  Write("two", "second");
  std::filesystem::create_symlink(dir_ / "one", dir_ / "token");
  config_.user.token_file = dir_ / "token";
  Create();
  std::filesystem::create_symlink(dir_ / "two", dir_ / "new");
  std::filesystem::rename(dir_ / "new", dir_ / "token");
  clock_.Advance(absl::Seconds(49));
  EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer first"));
  clock_.Advance(absl::Seconds(1));
  EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer second"));
}

// 66.
TEST_F(CredentialsTest, RefusedTokenIsReadAgainAtOnce) {
  config_.user.token_file = Write("token", "first");
  Create();
  const Credential credential = *credentials_->Get({});
  Write("token", "second");
  EXPECT_TRUE(credentials_->Refused(credential));
  EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer second"));
  EXPECT_TRUE(credentials_->Refused(credential)) << "an older one says nothing about the new";
  Write("token", "third");
  EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer second"));
}

TEST_F(CredentialsTest, UnreadableTokenFileLeavesTheOldToken) {
  config_.user.token_file = Write("token", "first");
  Create();
  Write("token", " \n");
  clock_.Advance(absl::Minutes(1));
  EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer first"));
  EXPECT_THAT(log_.str(), HasSubstr("Token not reloaded"));
  std::filesystem::remove(dir_ / "token");
  clock_.Advance(absl::Minutes(1));
  EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer first"));
}

TEST_F(CredentialsTest, MissingTokenFileAtTheStartIsAnError) {
  config_.user.token_file = dir_ / "missing";
  EXPECT_THAT(CreateError(), StatusIs(Code::kNotFound, HasSubstr("missing")));
  config_.user.token_file = Write("empty", "");
  EXPECT_THAT(CreateError(), StatusIs(Code::kInvalidArgument, HasSubstr("no token in it")));
}

TEST_F(CredentialsTest, RefusedStaticTokenIsNotWorthAnotherTry) {
  config_.user.token = "t";
  Create();
  EXPECT_FALSE(credentials_->Refused(*credentials_->Get({})));
}

TEST_F(CredentialsTest, RotatedClientCertificateIsUsedFromThenOn) {
  const TestCertificate first = authority_.Issue("first", "");
  const TestCertificate second = authority_.Issue("second", "");
  config_.user.client_certificate.file = Write("crt", first.certificate_pem);
  config_.user.client_key.file = Write("key", first.key_pem);
  Create();
  const auto before = credentials_->Get({})->tls;
  EXPECT_EQ(before->certificate_pem, first.certificate_pem);
  clock_.Advance(absl::Minutes(5));
  EXPECT_EQ(credentials_->Get({})->tls, before) << "the same settings keep their connections";
  Write("crt", second.certificate_pem);
  Write("key", second.key_pem);
  clock_.Advance(absl::Minutes(5));
  EXPECT_EQ(credentials_->Get({})->tls->certificate_pem, second.certificate_pem);
  Write("crt", "half a certif");
  clock_.Advance(absl::Minutes(5));
  EXPECT_EQ(credentials_->Get({})->tls->certificate_pem, second.certificate_pem);
}

TEST_F(CredentialsTest, ExpiredCertificatesAreNamedAtTheStart) {
  const TestCertificate expired = authority_.Issue("ann", "", -absl::Hours(1));
  config_.user.client_certificate.data = expired.certificate_pem;
  config_.user.client_key.data = expired.key_pem;
  EXPECT_THAT(
      CreateError(),
      StatusIs(Code::kUnauthenticated,
               HasSubstr("client certificate of user \"ann\" in kubeconfig expired on 20")));
  config_.user = {};
  config_.cluster.certificate_authority.data = expired.certificate_pem;
  EXPECT_THAT(CreateError(),
              StatusIs(Code::kUnauthenticated,
                       HasSubstr("certificate authority in kubeconfig expired on 20")));
}

class ExecTest : public CredentialsTest {
 protected:
  ExecTest() { config_.user.exec = ExecPlugin{.command = "plugin"}; }

  // Each run gives the next token, good for ten minutes.
  absl::StatusOr<ExecCredential> Run() {
    return ExecCredential{.token = std::to_string(++runs_),
                          .expires = clock_.Now() + absl::Minutes(10)};
  }

  void CreateCounting() {
    Create([this](const auto&, const auto&, auto, const auto&) { return Run(); });
  }

  int runs_ = 0;
};

// 67.
TEST_F(ExecTest, TokenIsKeptUntilItExpires) {
  CreateCounting();
  EXPECT_EQ(runs_, 0) << "not before it is needed";
  for (int day = 0; day < 3; ++day) {
    EXPECT_THAT(Headers(), ElementsAre(Concat("Authorization: Bearer ", day + 1)));
    clock_.Advance(absl::Minutes(9));
    EXPECT_THAT(Headers(), ElementsAre(Concat("Authorization: Bearer ", day + 1)));
    clock_.Advance(absl::Hours(24));
  }
}

TEST_F(ExecTest, RefusedTokenIsReplacedOnce) {
  CreateCounting();
  const Credential credential = *credentials_->Get({});
  EXPECT_TRUE(credentials_->Refused(credential));
  EXPECT_TRUE(credentials_->Refused(credential));
  EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer 2"));
  EXPECT_TRUE(credentials_->Refused(credential));
  EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer 2"));
}

// 67: once for concurrent requests.
TEST_F(ExecTest, ConcurrentRequestsRunItOnce) {
  absl::Notification running, go_on;
  Create([&](const auto&, const auto&, auto, const auto&) {
    running.Notify();
    go_on.WaitForNotification();
    return Run();
  });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer 1")); });
  }
  running.WaitForNotification();
  go_on.Notify();
  threads.clear();
  EXPECT_EQ(runs_, 1);
}

TEST_F(ExecTest, WhoIsStoppedDoesNotWaitForThePlugin) {
  absl::Notification running, go_on;
  Create([&](const auto&, const auto&, auto, const auto&) {
    running.Notify();
    go_on.WaitForNotification();
    return Run();
  });
  std::jthread first([&] { EXPECT_OK(credentials_->Get({})); });
  running.WaitForNotification();
  std::stop_source stop;
  std::jthread second(
      [&] { EXPECT_THAT(credentials_->Get(stop.get_token()), StatusIs(Code::kCancelled)); });
  stop.request_stop();
  second.join();
  go_on.Notify();
}

TEST_F(ExecTest, FailureIsNotKept) {
  bool fail = true;
  Create([&](const auto&, const auto&, auto, const auto&) {
    return fail ? absl::StatusOr<ExecCredential>(Unauthenticated("no")) : Run();
  });
  EXPECT_THAT(credentials_->Get({}), StatusIs(Code::kUnauthenticated));
  fail = false;
  EXPECT_OK(credentials_->Get({}));
}

TEST_F(ExecTest, CertificateOfAPluginIsOurs) {
  Create([](const auto&, const auto&, auto, const auto&) {
    return ExecCredential{.certificate_pem = "c", .key_pem = "k"};
  });
  const Credential credential = *credentials_->Get({});
  EXPECT_EQ(credential.tls->certificate_pem, "c");
  EXPECT_THAT(credential.headers, IsEmpty());
}

// 68.
TEST_F(ExecTest, TokenShadowsThePluginAndThatIsSaid) {
  config_.user.token = "old";
  CreateCounting();
  EXPECT_THAT(Headers(), ElementsAre("Authorization: Bearer old"));
  EXPECT_EQ(runs_, 0);
  EXPECT_THAT(log_.str(), HasSubstr("Exec plugin not used"));
}

}  // namespace
}  // namespace logbook::k8s
