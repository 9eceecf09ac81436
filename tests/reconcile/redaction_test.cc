// What must not reach the disk: planted values are looked for in every file of the store.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runner_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/reconcile/children.h"
#include "logbook/reconcile/ingester.h"

namespace logbook::reconcile {
namespace {

using ::testing::_;
using ::testing::IsEmpty;
using ::testing::Return;

constexpr std::string_view kPlanted = "pla1nted-va1ue";
constexpr StreamId kSecretStream{3};

Resource Secrets() {
  return {.version = "v1", .plural = "secrets", .kind = "Secret", .namespaced = true};
}

Json SecretOf(std::string_view name, std::string_view value, int version) {
  Json secret = {{"apiVersion", "v1"},
                 {"kind", "Secret"},
                 {"metadata",
                  {{"name", name},
                   {"namespace", "shop"},
                   {"annotations",
                    {{"kubectl.kubernetes.io/last-applied-configuration",
                      Concat("{\"data\":{\"password\":\"", value, "\"}}")}}}}},
                 {"data", {{"password", value}}}};
  if (version > 0) {
    secret["metadata"]["uid"] = Concat("s-", name);
    secret["metadata"]["resourceVersion"] = std::to_string(version);
  }
  return secret;
}

class RedactionTest : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    Add(StreamEvent(StreamChange::kOpened, kSecretStream, Secrets()));
    sources_.Add(kSecretStream, "secrets");
    ingester_ =
        std::make_unique<Ingester>(kSecretStream, StreamIdentity{.resource = Secrets()},
                                   k8s::StreamPosition{}, *writer_, marks_, sources_, Logger());
  }

  void Watch(const Json& object) {
    ASSERT_OK(ingester_->OnEvents({{.change = ChangeType::kModified, .object = MakeObject(object)}},
                                  JsonString(object, {"metadata", "resourceVersion"})));
    ASSERT_OK(writer_->SubmitAndWait([](Draft&) {}));
  }

  Effect ApplySecret() const {
    return {.kind = EffectKind::kApply,
            .resource = Secrets(),
            .target = {.ns = "shop", .name = "db"},
            .body = DumpJson(SecretOf("db", kPlanted, 0))};
  }

  // Files of the store that contain `text`, once it is closed and everything is in tables; and
  // events, which may be compressed there.
  std::vector<std::string> FilesWith(std::string_view text) {
    std::vector<std::string> found;
    for (const Event& event : Events()) {
      Chain chain = {};
      if (RecordCodec().Encode(event, chain).find(text) != std::string::npos) {
        found.push_back(Concat("event ", event.seq.value));
      }
    }
    ingester_.reset();
    recorder_.reset();
    writer_.reset();
    EXPECT_OK(journal_->Close());
    journal_.reset();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(temp_ / "store")) {
      if (!entry.is_regular_file()) {
        continue;
      }
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(in), {});
      if (bytes.find(text) != std::string::npos) {
        found.push_back(entry.path().string());
      }
    }
    return found;
  }

  Sources sources_{[] {}};
  std::unique_ptr<Ingester> ingester_;
};

TEST_F(RedactionTest, ObservedSecretsLeaveOnlyHashes) {
  Watch(SecretOf("db", kPlanted, 20));
  const EventSeq before = view()->seq;
  Watch(SecretOf("db", kPlanted, 21));
  EXPECT_FALSE(Bodies<Observed>(before).front().content_changed) << "equal values stay equal";
  Watch(SecretOf("db", "another-value", 22));
  EXPECT_TRUE(Bodies<Observed>(before).back().content_changed);
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
}

TEST_F(RedactionTest, ListedSecretsAreComparedByTheirHashes) {
  Watch(SecretOf("db", kPlanted, 20));
  const EventSeq before = view()->seq;
  ASSERT_OK(ingester_->OnListStarted(
      {.served = {.resource = Secrets()}, .reason = "test", .compare_content = true}));
  ASSERT_OK(ingester_->OnListPage({MakeObject(SecretOf("db", kPlanted, 20))}));
  ASSERT_OK(ingester_->OnListed("25"));
  ASSERT_OK(writer_->SubmitAndWait([](Draft&) {}));
  EXPECT_THAT(Bodies<Observed>(before), IsEmpty());
}

TEST_F(RedactionTest, PlanIsCarriedOutAsItIsAndRecordedWithoutItsValues) {
  std::string sent;
  EXPECT_CALL(api_, Apply).WillOnce([&](const auto&, const auto& body, const auto&, const auto&) {
    sent = body;
    return Answer(SecretOf("db", kPlanted, 20), kHttpCreated);
  });
  CarryOut({ApplySecret()});
  EXPECT_THAT(sent, ::testing::HasSubstr(std::string(kPlanted)));
  EXPECT_NE(FindIn("secrets", "db"), nullptr);
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
}

TEST_F(RedactionTest, WhatTheServerSaysOfARefusedSecretIsNotRecorded) {
  EXPECT_CALL(api_, Apply)
      .WillOnce(Return(Refuse(k8s::Verb::kApply, 422, "Invalid",
                              Json::array({{{"reason", "FieldValueInvalid"},
                                            {"message", Concat("Invalid value ", kPlanted)},
                                            {"field", "data"}}}))));
  const std::vector<Outcome> outcomes = CarryOut({ApplySecret()});
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes.front().kind, OutcomeKind::kFailed);
  EXPECT_EQ(outcomes.front().message.find("pla1nted"), std::string::npos);
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
}

TEST_F(RedactionTest, QuarantinedBytesOfASensitiveStreamAreHashed) {
  const std::string bytes = Concat("{\"data\":{\"p\":\"", kPlanted, "\"");
  ASSERT_OK(ingester_->OnQuarantined({.bytes = bytes,
                                      .error = InvalidArgument("odd ", kPlanted),
                                      .key = {.ns = "shop", .name = "db"},
                                      .uid = "s"}));
  ASSERT_OK(writer_->SubmitAndWait([](Draft&) {}));
  EXPECT_EQ(Bodies<Quarantined>().size(), 1U);
  EXPECT_THAT(FilesWith(kPlanted), IsEmpty());
}

TEST_F(RedactionTest, ChildWithTheSameValuesIsNotWrittenAgain) {
  Json live = SecretOf("db", kPlanted, 20);
  live["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "apps.bootcamp.local/v1"},
                                                      {"kind", "SimpleApp"},
                                                      {"name", "web"},
                                                      {"uid", "u1"},
                                                      {"controller", true}}});
  Watch(live);
  const Redactor& redactor = writer_->redactor();
  const ViewScope scope{.controller = "simpleapp", .resources = {"secrets"}, .redactor = &redactor};
  const View now(view(), scope, clock_.Now());
  const Owner owner{.resource = AppResource(), .key = {"shop", "web"}, .uid = "u1"};
  Json desired = SecretOf("db", kPlanted, 0);
  EXPECT_EQ(PlanChild(now, owner, Secrets(), kManager, desired).state, ChildState::kCurrent);
  desired["data"]["password"] = "another-value";
  const Child changed = PlanChild(now, owner, Secrets(), kManager, desired);
  EXPECT_EQ(changed.state, ChildState::kDifferent);
  EXPECT_EQ(changed.difference.find("another-value"), std::string::npos);
}

}  // namespace
}  // namespace logbook::reconcile
