// Which request each kind of effect becomes, and what is kept of the answer.
#include "logbook/reconcile/effect_performer.h"

#include <stdexcept>

#include "answers.h"
#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/mock_api_client.h"

namespace logbook::reconcile {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::Return;
using ::testing::StrictMock;

constexpr std::string_view kId = "3.17.0";

class EffectPerformerTest : public ::testing::Test {
 protected:
  Performed Perform(const Effect& effect) {
    return performer_.Perform({.spec = &spec_,
                               .effect = &effect,
                               .key = Key("web"),
                               .operation_id = std::string(kId),
                               .timeout = absl::Seconds(9),
                               .stop = stop_.get_token()});
  }

  static Effect MakeEffect(EffectKind kind, std::string_view body = "{}") {
    return {.kind = kind,
            .resource = DeploymentResource(),
            .target = {.ns = "shop", .name = "web"},
            .uid = "d1",
            .body = std::string(body)};
  }

  // The request is for the Deployment shop/web.
  static auto ToTarget(std::string_view subresource = "") {
    return AllOf(Field(&k8s::Target::resource, DeploymentResource()),
                 Field(&k8s::Target::key, ObjectKey{"shop", "web"}),
                 Field(&k8s::Target::subresource, std::string(subresource)));
  }

  static auto AsManager(bool force = false) {
    return AllOf(Field(&k8s::WriteOptions::field_manager, std::string(kManager)),
                 Field(&k8s::WriteOptions::force, force));
  }

  // The call carries the operation's id, its deadline and the token it is stopped by.
  auto AsCall() const {
    return AllOf(Field(&k8s::CallOptions::audit_id, std::string(kId)),
                 Field(&k8s::CallOptions::timeout, absl::Seconds(9)),
                 Field(&k8s::CallOptions::stop, stop_.get_token()));
  }

  OperatorSpec spec_ = TestOperator();
  FakeClock clock_;
  std::stop_source stop_;
  StrictMock<k8s::MockApiClient> api_;
  EffectPerformer performer_{api_, clock_};
};

TEST_F(EffectPerformerTest, ApplyIsAServerSideApplyUnderTheFieldManager) {
  for (const bool force : {false, true}) {
    Effect effect = MakeEffect(EffectKind::kApply, R"({"spec":1})");
    effect.force = force;
    EXPECT_CALL(api_, Apply(ToTarget(), R"({"spec":1})", AsManager(force), AsCall()))
        .WillOnce(Return(Answer(DeploymentOf("web", "u1", "d1", 12))));
    EXPECT_EQ(Perform(effect).outcome.kind, OutcomeKind::kSucceeded);
  }
}

TEST_F(EffectPerformerTest, CreateAndEventArePosts) {
  for (const EffectKind kind : {EffectKind::kCreate, EffectKind::kEmitEvent}) {
    EXPECT_CALL(api_, Create(ToTarget(), "{}", AsManager(), AsCall()))
        .WillOnce(Return(Answer(DeploymentOf("web", "u1", "d1", 12), kHttpCreated)));
    EXPECT_EQ(Perform(MakeEffect(kind)).outcome.kind, OutcomeKind::kSucceeded);
  }
}

TEST_F(EffectPerformerTest, DeleteCarriesItsPreconditionsAndPropagation) {
  Effect effect = MakeEffect(EffectKind::kDelete, "");
  effect.resource_version = "12";
  effect.propagation = "Background";
  EXPECT_CALL(api_, Delete(ToTarget(),
                           AllOf(Field(&k8s::DeleteOptions::uid, "d1"),
                                 Field(&k8s::DeleteOptions::resource_version, "12"),
                                 Field(&k8s::DeleteOptions::propagation, "Background")),
                           AsCall()))
      .WillOnce(Return(AnswerDone()));
  const Outcome outcome = Perform(effect).outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::kSucceeded);
  EXPECT_THAT(outcome.response, IsEmpty());
}

TEST_F(EffectPerformerTest, StatusPatchGoesToTheSubresource) {
  EXPECT_CALL(api_, JsonPatch(ToTarget("status"), "[]", AsManager(), AsCall()))
      .WillOnce(Return(Answer(DeploymentOf("web", "u1", "d1", 12))));
  EXPECT_EQ(Perform(MakeEffect(EffectKind::kPatchStatus, "[]")).outcome.kind,
            OutcomeKind::kSucceeded);
}

TEST_F(EffectPerformerTest, FinalizersAndRepairsAreJsonPatchesOfTheObject) {
  for (const EffectKind kind :
       {EffectKind::kAddFinalizer, EffectKind::kRemoveFinalizer, EffectKind::kPatch}) {
    EXPECT_CALL(api_, JsonPatch(ToTarget(), "[]", AsManager(), AsCall()))
        .WillOnce(Return(Answer(DeploymentOf("web", "u1", "d1", 12))));
    EXPECT_EQ(Perform(MakeEffect(kind, "[]")).outcome.kind, OutcomeKind::kSucceeded);
  }
}

TEST_F(EffectPerformerTest, AnswerIsKeptWithItsUidVersionAndWhetherItWasMade) {
  const Json made = DeploymentOf("web", "u1", "d7", 12);
  EXPECT_CALL(api_, Apply).WillOnce([&](auto&&...) {
    clock_.Advance(absl::Milliseconds(40));
    return Answer(made, kHttpCreated);
  });
  const Performed performed = Perform(MakeEffect(EffectKind::kApply));
  EXPECT_EQ(performed.outcome.uid, "d7");
  EXPECT_EQ(performed.outcome.resource_version, "12");
  EXPECT_EQ(performed.outcome.response, DumpJson(made));
  EXPECT_EQ(performed.outcome.http_status, kHttpCreated);
  EXPECT_EQ(performed.outcome.took, absl::Milliseconds(40));
  EXPECT_TRUE(performed.outcome.created);
  EXPECT_THAT(performed.observed, IsNull());
}

TEST_F(EffectPerformerTest, ObjectThatAWriteOnlyChangedWasNotMade) {
  EXPECT_CALL(api_, Apply).WillOnce(Return(Answer(DeploymentOf("web", "u1", "d1", 12))));
  EXPECT_FALSE(Perform(MakeEffect(EffectKind::kApply)).outcome.created);
}

TEST_F(EffectPerformerTest, ReadTellsAnObjectFromNoneAndFromAnError) {
  const ObjectKey key{"shop", "web"};
  EXPECT_CALL(api_, Get(ToTarget(), _))
      .WillOnce(Return(Answer(DeploymentOf("web", "u1", "d1", 12))))
      .WillOnce(Return(NoSuchObject()))
      .WillOnce(Return(ConnectionBroke()));
  absl::StatusOr<ObjectPtr> read = performer_.Read(DeploymentResource(), key, {});
  ASSERT_OK(read);
  EXPECT_EQ((*read)->uid(), "d1");
  read = performer_.Read(DeploymentResource(), key, {});
  ASSERT_OK(read);
  EXPECT_THAT(*read, IsNull());
  EXPECT_THAT(performer_.Read(DeploymentResource(), key, {}),
              StatusIs(absl::StatusCode::kUnavailable));
}

// External effects are calls of the registered handler.
class ExternalEffectTest : public EffectPerformerTest {
 protected:
  Performed Perform(ExternalHandler handler, std::string_view step = "release") {
    spec_ = TestOperator(std::move(handler));
    return EffectPerformerTest::Perform({.kind = EffectKind::kExternal,
                                         .target = {.ns = "shop", .name = "web"},
                                         .uid = "u1",
                                         .body = R"({"zone":"a"})",
                                         .step = std::string(step)});
  }
};

TEST_F(ExternalEffectTest, HandlerGetsEverythingItNeeds) {
  ExternalCall got;
  const Performed performed = Perform([&](const ExternalCall& call) {
    got = call;
    clock_.Advance(absl::Seconds(2));
    return absl::OkStatus();
  });
  EXPECT_EQ(performed.outcome.kind, OutcomeKind::kSucceeded);
  EXPECT_EQ(performed.outcome.took, absl::Seconds(2));
  EXPECT_EQ(got.operation_id, kId);
  EXPECT_EQ(got.key, (ObjectKey{"shop", "web"}));
  EXPECT_EQ(got.uid, "u1");
  EXPECT_EQ(got.arguments, R"({"zone":"a"})");
  EXPECT_EQ(got.timeout, absl::Seconds(9));
  EXPECT_EQ(got.stop, stop_.get_token());
}

TEST_F(ExternalEffectTest, ErrorOfAHandlerIsAFailureWithItsMessage) {
  const Outcome outcome = Perform([](const ExternalCall&) {
                            return DeadlineExceeded("load balancer is slow");
                          }).outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::kFailed);
  EXPECT_EQ(outcome.failure_class, "External");
  EXPECT_EQ(outcome.message, "load balancer is slow");
}

TEST_F(ExternalEffectTest, HandlerThatThrowsFailsItsEffectOnly) {
  const Outcome outcome = Perform([](const ExternalCall&) -> absl::Status {
                            throw std::runtime_error("no route");
                          }).outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::kFailed);
  EXPECT_THAT(outcome.message, ::testing::HasSubstr("no route"));
}

TEST_F(ExternalEffectTest, OfAHandlerThatWasStoppedNothingIsKnown) {
  EXPECT_EQ(Perform([](const ExternalCall&) { return Cancelled("stopped"); }).outcome.kind,
            OutcomeKind::kUnknown);
}

TEST_F(ExternalEffectTest, StepWithoutAHandlerFailsNamingIt) {
  const Outcome outcome =
      Perform([](const ExternalCall&) { return absl::OkStatus(); }, "reserve").outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::kFailed);
  EXPECT_THAT(outcome.message, ::testing::HasSubstr("reserve"));
}

}  // namespace
}  // namespace logbook::reconcile
