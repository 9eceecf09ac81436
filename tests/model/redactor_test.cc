#include "logbook/model/redactor.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kKey = "0123456789abcdef";

Json Secret(std::string_view value) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata",
           {{"name", "db"},
            {"annotations",
             {{"kubectl.kubernetes.io/last-applied-configuration", Concat("{\"data\":", value)},
              {"note", "plain"}}}}},
          {"data", {{"password", value}, {"user", "dTE="}}},
          {"type", "Opaque"}};
}

Json Redacted(const Redactor& redactor, std::string_view resource, Json object) {
  redactor.Redact(resource, object);
  return object;
}

TEST(RedactorTest, ValuesOfASecretBecomeKeyedHashesAndTheirNamesStay) {
  const Redactor redactor{std::string(kKey)};
  const Json redacted = Redacted(redactor, "secrets", Secret("aHVudGVyMg=="));
  // HMAC-SHA256 of the value under the key, checked with openssl dgst -mac.
  EXPECT_EQ(redacted["data"]["password"], "redacted:e2f45c8e2aca74542baa79684a7c69fa:12");
  EXPECT_EQ(redacted["type"], "Opaque");
  EXPECT_EQ(redacted["metadata"]["annotations"]["note"], "plain");
  EXPECT_THAT(DumpJson(redacted), Not(HasSubstr("aHVudGVyMg")));
}

TEST(RedactorTest, EqualValuesStayEqualUnderOneKeyAndDifferUnderAnother) {
  const Redactor redactor{std::string(kKey)};
  EXPECT_EQ(redactor.Hash("a"), redactor.Hash("a"));
  EXPECT_NE(redactor.Hash("a"), redactor.Hash("b"));
  EXPECT_NE(redactor.Hash("a"), Redactor("another key of us").Hash("a"));
}

TEST(RedactorTest, RedactingTwiceIsRedactingOnce) {
  const Redactor redactor{std::string(kKey)};
  const Json once = Redacted(redactor, "secrets", Secret("aHVudGVyMg=="));
  EXPECT_EQ(Redacted(redactor, "secrets", once), once);
}

TEST(RedactorTest, OtherKindsAreLeftAlone) {
  const Redactor redactor{std::string(kKey)};
  EXPECT_FALSE(redactor.Covers("configmaps"));
  EXPECT_EQ(Redacted(redactor, "configmaps", Secret("x")), Secret("x"));
}

TEST(RedactorTest, FieldsAreFoundInListsAndOfAnyType) {
  const Redactor redactor(std::string(kKey),
                          {{"dbs.example.com", {"spec.users.*.token", "spec.pin"}}});
  Json object = {
      {"spec",
       {{"pin", 4711}, {"users", {{{"name", "ann"}, {"token", "t1"}}, {{"name", "bob"}}, "odd"}}}}};
  redactor.Redact("dbs.example.com", object);
  EXPECT_EQ(object["spec"]["pin"], redactor.Hash("4711"));
  EXPECT_EQ(object["spec"]["users"][0]["token"], redactor.Hash("t1"));
  EXPECT_EQ(object["spec"]["users"][0]["name"], "ann");
  EXPECT_EQ(object["spec"]["users"][1], (Json{{"name", "bob"}}));
}

TEST(RedactorTest, PatchesAreRedactedAboveAtAndBelowTheField) {
  const Redactor redactor{std::string(kKey)};
  const Resource secrets{.version = "v1", .plural = "secrets", .kind = "Secret"};
  const Json patch = {{{"op", "test"}, {"path", "/data/user"}, {"value", "u1"}},
                      {{"op", "add"}, {"path", "/data"}, {"value", {{"a", "hunter2"}}}},
                      {{"op", "add"}, {"path", "/data/x~1y/deep"}, {"value", "hunter3"}},
                      {{"op", "add"}, {"path", "/metadata/labels"}, {"value", {{"a", "b"}}}},
                      {{"op", "remove"}, {"path", "/data/user"}}};
  const std::string body =
      redactor.BodyOf({.kind = EffectKind::kPatch, .resource = secrets, .body = DumpJson(patch)});
  EXPECT_THAT(body, Not(HasSubstr("hunter")));
  const Json redacted = *ParseJson(body);
  EXPECT_EQ(redacted[0]["value"], redactor.Hash("u1"));
  EXPECT_EQ(redacted[1]["value"]["a"], redactor.Hash("hunter2"));
  EXPECT_EQ(redacted[3], patch[3]);
  EXPECT_EQ(redacted[4], patch[4]);
}

TEST(RedactorTest, BodyThatIsNoJsonIsHashedWhole) {
  const Redactor redactor{std::string(kKey)};
  const Resource secrets{.version = "v1", .plural = "secrets"};
  EXPECT_EQ(
      redactor.BodyOf({.kind = EffectKind::kApply, .resource = secrets, .body = "data: hunter2"}),
      redactor.Hash("data: hunter2"));
}

TEST(RedactorTest, AnswersAndWordsOfTheServerAreRedacted) {
  const Redactor redactor{std::string(kKey)};
  Outcome outcome{.message = "Invalid value: \"hunter2\"",
                  .response = DumpJson(Secret("hunter2")),
                  .status = "{\"message\":\"hunter2\"}"};
  redactor.Redact("secrets", outcome);
  EXPECT_THAT(outcome.message + outcome.response + outcome.status, Not(HasSubstr("hunter2")));
}

TEST(RedactorTest, PatchWithAPathThatIsNoneIsRedactedWhole) {
  const Redactor redactor{std::string(kKey)};
  const Resource secrets{.version = "v1", .plural = "secrets"};
  const Json patch = {{{"op", "add"}, {"path", "data/x"}, {"value", "hunter2"}}};
  EXPECT_THAT(
      redactor.BodyOf({.kind = EffectKind::kPatch, .resource = secrets, .body = DumpJson(patch)}),
      Not(HasSubstr("hunter2")));
}

TEST(RedactorTest, ManagedFieldsHideWhatTheyNameBelowASensitiveField) {
  const Redactor redactor(std::string(kKey),
                          {{"dbs.example.com", {"spec.tokens.*", "spec.users.*.token"}}});
  Json object = {{"metadata",
                  {{"managedFields",
                    {{{"manager", "ann"},
                      {"fieldsV1",
                       {{"f:spec",
                         {{"f:tokens", {{"v:\"hunter2\"", Json::object()}}},
                          {"f:users",
                           {{"k:{\"name\":\"ann\",\"token\":\"hunter3\"}",
                             {{".", Json::object()}, {"f:token", Json::object()}}}}}}}}}}}}}}};
  redactor.Redact("dbs.example.com", object);
  const std::string text = DumpJson(object);
  EXPECT_THAT(text, Not(HasSubstr("hunter")));
  EXPECT_THAT(text, HasSubstr("ann"));
  EXPECT_THAT(text, HasSubstr(redactor.Hash("hunter2")));
}

TEST(RedactorTest, WithoutAKeyNothingCanBeGuessed) {
  const Redactor redactor{"short"};
  EXPECT_EQ(redactor.Hash("hunter2"), redactor.Hash("hunter3"));
}

TEST(RedactorTest, WhatTellsObjectsApartCannotBeSensitive) {
  for (std::string_view path : {"", "*", "metadata", "metadata.name", "kind"}) {
    EXPECT_THAT(CheckSensitivePath(path), StatusIs(absl::StatusCode::kInvalidArgument)) << path;
  }
  EXPECT_OK(CheckSensitivePath("spec.password"));
}

}  // namespace
}  // namespace logbook
