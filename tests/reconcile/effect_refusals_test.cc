// What becomes of a write that failed: its outcome, and what is read because of it.
#include <optional>

#include "answers.h"
#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/reconcile/effect_performer.h"
#include "logbook/support/mock_api_client.h"

namespace logbook::reconcile {
namespace {

using k8s::Verb;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::Return;
using ::testing::StrictMock;

Verb VerbOf(EffectKind kind) {
  switch (kind) {
    case EffectKind::kApply:
      return Verb::kApply;
    case EffectKind::kCreate:
    case EffectKind::kEmitEvent:
      return Verb::kCreate;
    case EffectKind::kDelete:
      return Verb::kDelete;
    default:
      return Verb::kJsonPatch;
  }
}

class EffectRefusalTest : public ::testing::Test {
 protected:
  // Performs `effect`, to which the server answers `error`. If `there` is set, the target is read
  // and found so.
  Performed Perform(const Effect& effect, const absl::Status& error,
                    const std::optional<absl::StatusOr<k8s::ApiReply>>& there = std::nullopt) {
    StrictMock<k8s::MockApiClient> api;
    switch (VerbOf(effect.kind)) {
      case Verb::kApply:
        EXPECT_CALL(api, Apply).WillOnce(Return(error));
        break;
      case Verb::kCreate:
        EXPECT_CALL(api, Create).WillOnce(Return(error));
        break;
      case Verb::kDelete:
        EXPECT_CALL(api, Delete).WillOnce(Return(error));
        break;
      default:
        EXPECT_CALL(api, JsonPatch).WillOnce(Return(error));
        break;
    }
    if (there.has_value()) {
      EXPECT_CALL(api, Get).WillOnce(Return(*there));
    }
    return EffectPerformer(api, clock_)
        .Perform({.spec = &spec_, .effect = &effect, .key = Key("web"), .operation_id = "1.2.3"});
  }

  static Effect MakeEffect(EffectKind kind) {
    return {.kind = kind,
            .resource = DeploymentResource(),
            .target = {.ns = "shop", .name = "web"},
            .body = "{}"};
  }

  static Json Now() { return DeploymentOf("web", "u1", "d9", 99); }

  OperatorSpec spec_ = TestOperator();
  FakeClock clock_;
};

TEST_F(EffectRefusalTest, EveryErrorHasItsOutcomeAndItsClass) {
  struct Case {
    std::string name;
    EffectKind kind;
    absl::Status (*error)(Verb verb);
    OutcomeKind outcome;
    std::string_view failure_class;
    bool reads;  // the target, before anything is decided again
    bool force = false;
  };
  using enum EffectKind;
  using enum OutcomeKind;
  const auto conflict = [](Verb v) { return Refuse(v, 409, "Conflict"); };
  const auto taken = [](Verb v) {
    return Refuse(v, 409, "Conflict", Because("FieldManagerConflict"));
  };
  const auto failed_test = [](Verb v) { return Refuse(v, 422, "Invalid"); };
  const auto invalid = [](Verb v) {
    return Refuse(v, 422, "Invalid", Because("FieldValueInvalid"));
  };
  const auto missing = [](Verb v) { return NoSuchObject(v); };
  const auto terminating = [](Verb v) {
    return Refuse(v, 403, "Forbidden", Because("NamespaceTerminating"));
  };
  const Case cases[] = {
      {"apply conflict", kApply, conflict, kFailed, kClassConflict, true},
      {"status conflict", kPatchStatus, conflict, kFailed, kClassConflict, true},
      {"delete precondition", kDelete, conflict, kFailed, kClassConflict, true},
      {"failed test of a status patch", kPatchStatus, failed_test, kFailed, kClassConflict, true},
      {"failed test of a finalizer", kAddFinalizer, failed_test, kFailed, kClassConflict, true},
      {"invalid status patch", kPatchStatus, invalid, kFailed, "Invalid", false},
      {"invalid apply", kApply, invalid, kFailed, "Invalid", false},
      {"422 without causes of an apply", kApply, failed_test, kFailed, "Invalid", false},
      {"fields of others", kApply, taken, kFailed, kClassNameTaken, true},
      {"fields of others by force", kApply, taken, kFailed, kClassConflict, true, true},
      {"terminating namespace", kCreate, terminating, kFailed, kClassNamespaceTerminating, false},
      {"terminating namespace, apply", kApply, terminating, kFailed, kClassNamespaceTerminating,
       false},
      {"forbidden", kApply, [](Verb v) { return Refuse(v, 403, "Forbidden"); }, kFailed,
       "Forbidden", false},
      {"unauthorized", kApply, [](Verb v) { return Refuse(v, 401, "Unauthorized"); }, kFailed,
       "Unauthorized", false},
      {"too many requests", kApply, [](Verb v) { return Refuse(v, 429, "TooManyRequests"); },
       kFailed, "TooManyRequests", false},
      {"internal error", kApply, [](Verb v) { return Refuse(v, 500, "InternalError"); }, kUnknown,
       "InternalError", true},
      {"timeout of the server", kApply, [](Verb v) { return Refuse(v, 504, "Timeout"); }, kUnknown,
       "Timeout", true},
      {"page of a proxy", kApply,
       [](Verb v) {
         return k8s::StatusOfAnswer(
             {.verb = v, .http_status = 502, .body = "<html>Bad Gateway</html>"});
       },
       kUnknown, "HTTP502", true},
      {"turned away at the door", kApply,
       [](Verb v) {
         return k8s::StatusOfAnswer(
             {.verb = v, .http_status = 503, .body = "busy", .retry_after = "1"});
       },
       kFailed, "HTTP503", false},
      {"broken connection", kApply, [](Verb) { return ConnectionBroke(); }, kUnknown,
       kClassTransport, true},
      {"refused connection", kApply, [](Verb) { return ConnectionRefused(); }, kFailed,
       kClassTransport, false},
      {"deleted already", kDelete, missing, kSucceeded, kClassGone, false},
      {"finalizer went with its object", kRemoveFinalizer, missing, kSucceeded, kClassGone, false},
      {"no object to add a finalizer to", kAddFinalizer, missing, kFailed, kClassGone, false},
      {"no object to show a status on", kPatchStatus, missing, kFailed, kClassGone, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Effect effect = MakeEffect(c.kind);
    effect.force = c.force;
    const Performed performed = c.reads ? Perform(effect, c.error(VerbOf(c.kind)), Answer(Now()))
                                        : Perform(effect, c.error(VerbOf(c.kind)));
    EXPECT_EQ(performed.outcome.kind, c.outcome);
    EXPECT_EQ(performed.outcome.failure_class, c.failure_class);
    EXPECT_THAT(performed.outcome.response, IsEmpty());
    ASSERT_EQ(performed.observed != nullptr, c.reads);
    if (c.reads) {
      EXPECT_EQ(performed.observed->uid(), "d9");
      EXPECT_EQ(performed.observed_resource, DeploymentResource());
    }
  }
}

TEST_F(EffectRefusalTest, RefusalIsKeptWithItsMessageAndTheWholeStatus) {
  const Outcome outcome =
      Perform(MakeEffect(EffectKind::kApply),
              Refuse(Verb::kApply, 422, "Invalid", Because("FieldValueInvalid", "spec.port")))
          .outcome;
  EXPECT_EQ(outcome.http_status, 422);
  EXPECT_THAT(outcome.message, HasSubstr("refused with Invalid"));
  EXPECT_THAT(outcome.status, HasSubstr("spec.port"));
}

TEST_F(EffectRefusalTest, WhatCannotBeReadOrIsNotThereIsNotObserved) {
  for (const absl::Status& read : {NoSuchObject(), ConnectionBroke()}) {
    const Performed performed =
        Perform(MakeEffect(EffectKind::kApply), Refuse(Verb::kApply, 409, "Conflict"), read);
    EXPECT_EQ(performed.outcome.failure_class, kClassConflict);
    EXPECT_THAT(performed.observed, IsNull());
  }
}

// A create whose object is told from others by an annotation.
class CreateTest : public EffectRefusalTest {
 protected:
  static Json Audit(std::string_view uid) {
    return {{"kind", "ConfigMap"},
            {"metadata",
             {{"name", "audit"},
              {"namespace", "shop"},
              {"uid", "c1"},
              {"resourceVersion", "50"},
              {"annotations", {{"app-uid", uid}}}}}};
  }

  // The audit of "u1" meets `error`, and `there` has its name.
  Performed Create(const absl::Status& error, const Json& there,
                   std::string_view match_annotation = "app-uid") {
    Effect effect = MakeEffect(EffectKind::kCreate);
    effect.body = DumpJson(Audit("u1"));
    effect.match_annotation = match_annotation;
    return Perform(effect, error, Answer(there));
  }

  const absl::Status exists_ = Refuse(Verb::kCreate, 409, "AlreadyExists");
};

TEST_F(CreateTest, ObjectThatIsOursAlreadyIsSuccess) {
  for (const absl::Status& error : {exists_, ConnectionBroke()}) {
    const Outcome outcome = Create(error, Audit("u1")).outcome;
    EXPECT_EQ(outcome.kind, OutcomeKind::kSucceeded);
    EXPECT_EQ(outcome.uid, "c1");
    EXPECT_EQ(outcome.resource_version, "50");
    EXPECT_THAT(outcome.failure_class, IsEmpty());
    EXPECT_FALSE(outcome.created);
  }
}

TEST_F(CreateTest, ObjectOfAnotherHasTakenTheName) {
  Json bare = Audit("u1");
  bare["metadata"].erase("annotations");
  for (const Json& there : {Audit("u2"), Audit(""), bare}) {
    const Performed performed = Create(exists_, there);
    EXPECT_EQ(performed.outcome.kind, OutcomeKind::kFailed);
    EXPECT_EQ(performed.outcome.failure_class, kClassNameTaken);
    EXPECT_THAT(performed.observed, NotNull());
  }
}

TEST_F(CreateTest, WithoutAnAnnotationToMatchTheNameIsTaken) {
  EXPECT_EQ(Create(exists_, Audit("u1"), "").outcome.failure_class, kClassNameTaken);
}

TEST_F(CreateTest, OfABrokenConnectionAnotherObjectSaysNothing) {
  EXPECT_EQ(Create(ConnectionBroke(), Audit("u2")).outcome.kind, OutcomeKind::kUnknown);
}

}  // namespace
}  // namespace logbook::reconcile
