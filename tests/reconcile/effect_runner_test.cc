// In which order a plan is carried out, and what a failure does to the rest of it.
#include "logbook/reconcile/effect_runner.h"

#include "runner_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/base/backoff.h"

namespace logbook::reconcile {
namespace {

using k8s::Verb;
using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::InSequence;
using ::testing::IsEmpty;
using ::testing::Return;

using EffectRunnerTest = RunnerTest;

auto Is(OutcomeKind kind, std::string_view failure_class = "") {
  return AllOf(Field(&Outcome::kind, kind),
               Field(&Outcome::failure_class, std::string(failure_class)));
}

Json AppAfter(int version) {
  return App("web", "u1", version);
}

TEST_F(EffectRunnerTest, EachOutcomeIsCommittedBeforeTheNextEffectIsSent) {
  const InSequence in_order;
  std::vector<size_t> known;
  const auto note = [&](auto&&...) {
    known.push_back(Outcomes().size());
    return Answer(AppAfter(11));
  };
  EXPECT_CALL(api_, Apply(Field(&k8s::Target::key, ObjectKey{"shop", "a"}), _, _, _))
      .WillOnce(note);
  EXPECT_CALL(api_, Apply(Field(&k8s::Target::key, ObjectKey{"shop", "b"}), _, _, _))
      .WillOnce(note);
  EXPECT_CALL(api_, JsonPatch).WillOnce(note);
  const std::vector<Outcome> outcomes =
      CarryOut({ApplyEffect("a"), ApplyEffect("b"), StatusEffect()});
  EXPECT_THAT(known, ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(outcomes,
              ElementsAre(AllOf(Field(&Outcome::ordinal, 0u), Field(&Outcome::last, false)),
                          AllOf(Field(&Outcome::ordinal, 1u), Field(&Outcome::last, false)),
                          AllOf(Field(&Outcome::ordinal, 2u), Field(&Outcome::last, true))));
  EXPECT_FALSE(KeyOf("web").open);
  EXPECT_THAT(Finished(), ElementsAre(Key("web")));
}

TEST_F(EffectRunnerTest, OperationIdsNameRunDecisionAndEffect) {
  std::vector<std::string> ids;
  std::string external_id;
  EXPECT_CALL(api_, Apply)
      .Times(2)
      .WillRepeatedly([&](auto&&, auto&&, auto&&, const k8s::CallOptions& call) {
        ids.push_back(call.audit_id);
        return Answer(DeploymentOf("web", "u1", "d1", 12));
      });
  release_ = [&](const ExternalCall& call) {
    external_id = call.operation_id;
    return absl::OkStatus();
  };
  CarryOut({ApplyEffect(), ReleaseEffect(), ApplyEffect()});
  const EventSeq decided = Outcomes().front().decided;
  EXPECT_THAT(ids, ElementsAre(OperationId(journal_->run(), decided, 0),
                               OperationId(journal_->run(), decided, 2)));
  EXPECT_EQ(external_id, "simpleapp shop/web/u1/release");  // the same again after a crash
}

TEST_F(EffectRunnerTest, AfterAFailureTheRestIsSkippedExceptStatusPatches) {
  EXPECT_CALL(api_, Apply)
      .WillOnce(Return(Refuse(Verb::kApply, 422, "Invalid", Because("FieldValueInvalid"))));
  EXPECT_CALL(api_, JsonPatch(Field(&k8s::Target::subresource, "status"), _, _, _))
      .WillOnce(Return(Answer(AppAfter(11))));
  EXPECT_THAT(CarryOut({ApplyEffect("a"), ApplyEffect("b"), StatusEffect(), ReleaseEffect()}),
              ElementsAre(Is(OutcomeKind::kFailed, "Invalid"), Is(OutcomeKind::kSkipped),
                          Is(OutcomeKind::kSucceeded), Is(OutcomeKind::kSkipped)));
  EXPECT_EQ(KeyOf("web").attempts, 1u);
  EXPECT_EQ(KeyOf("web").due, clock_.Now() + KeyBackoff(1));
  EXPECT_THAT(Finished(), ElementsAre(Key("web")));
}

TEST_F(EffectRunnerTest, UnknownOutcomeStopsThePlanLikeAFailure) {
  EXPECT_CALL(api_, Apply).WillOnce(Return(ConnectionBroke()));
  EXPECT_CALL(api_, Get).WillOnce(Return(NoSuchObject()));
  EXPECT_THAT(CarryOut({ApplyEffect("a"), ApplyEffect("b")}),
              ElementsAre(Is(OutcomeKind::kUnknown, kClassTransport), Is(OutcomeKind::kSkipped)));
  EXPECT_EQ(KeyOf("web").due, clock_.Now() + KeyBackoff(1));
}

TEST_F(EffectRunnerTest, ConflictIsTriedAgainAtOnceThoughThePlanWentOn) {
  EXPECT_CALL(api_, Apply).WillOnce(Return(Refuse(Verb::kApply, 409, "Conflict")));
  EXPECT_CALL(api_, Get).WillOnce(Return(Answer(DeploymentOf("a", "u1", "d1", 14))));
  EXPECT_CALL(api_, JsonPatch).WillOnce(Return(Answer(AppAfter(11))));
  EXPECT_THAT(CarryOut({ApplyEffect("a"), ApplyEffect("b"), StatusEffect()}),
              ElementsAre(Is(OutcomeKind::kFailed, kClassConflict), Is(OutcomeKind::kSkipped),
                          Is(OutcomeKind::kSucceeded)));
  EXPECT_EQ(KeyOf("web").due, clock_.Now());
  EXPECT_THAT(CausesOf("web"), ::testing::Contains(MarkReason::kConflicted));
  EXPECT_EQ(VersionOf(kDeployments, "a"), "14");
}

TEST_F(EffectRunnerTest, ConflictBehindAnotherFailureWaits) {
  EXPECT_CALL(api_, Apply).WillOnce(Return(Refuse(Verb::kApply, 403, "Forbidden")));
  EXPECT_CALL(api_, JsonPatch).WillOnce(Return(Refuse(Verb::kJsonPatch, 409, "Conflict")));
  EXPECT_CALL(api_, Get).WillOnce(Return(Answer(AppAfter(11))));
  CarryOut({ApplyEffect(), StatusEffect()});
  EXPECT_EQ(KeyOf("web").due, clock_.Now() + KeyBackoff(1));
}

TEST_F(EffectRunnerTest, FailedStatusPatchDoesNotStopACleanup) {
  EXPECT_CALL(api_, JsonPatch(Field(&k8s::Target::subresource, "status"), _, _, _))
      .WillOnce(Return(Refuse(Verb::kJsonPatch, 403, "Forbidden")));
  EXPECT_CALL(api_, Create).WillOnce(Return(Answer({{"kind", "ConfigMap"}}, kHttpCreated)));
  EXPECT_CALL(api_, JsonPatch(Field(&k8s::Target::subresource, ""), _, _, _))
      .WillOnce(Return(Answer(AppAfter(11))));
  EXPECT_THAT(CarryOut({StatusEffect(), AuditEffect(), RemoveFinalizerEffect()}, Finalize),
              ElementsAre(Is(OutcomeKind::kFailed, "Forbidden"), Is(OutcomeKind::kSucceeded),
                          Is(OutcomeKind::kSucceeded)));
}

TEST_F(EffectRunnerTest, AuditRefusedByATerminatingNamespaceDoesNotKeepTheFinalizer) {
  EXPECT_CALL(api_, Create)
      .WillOnce(Return(Refuse(Verb::kCreate, 403, "Forbidden", Because("NamespaceTerminating"))));
  EXPECT_CALL(api_, JsonPatch).WillOnce(Return(Answer(AppAfter(11))));
  EXPECT_THAT(CarryOut({AuditEffect(), ReleaseEffect(), RemoveFinalizerEffect()}, Finalize),
              ElementsAre(Is(OutcomeKind::kFailed, kClassNamespaceTerminating),
                          Is(OutcomeKind::kSucceeded), Is(OutcomeKind::kSucceeded)));
  EXPECT_EQ(KeyOf("web").attempts, 0u);
  EXPECT_EQ(KeyOf("web").due, absl::InfiniteFuture());
}

TEST_F(EffectRunnerTest, ChildRefusedByATerminatingNamespaceIsNoFailure) {
  EXPECT_CALL(api_, Apply)
      .WillOnce(Return(Refuse(Verb::kApply, 403, "Forbidden", Because("NamespaceTerminating"))));
  CarryOut({ApplyEffect()});
  EXPECT_EQ(KeyOf("web").attempts, 0u);
  EXPECT_EQ(KeyOf("web").due, absl::InfiniteFuture());
}

TEST_F(EffectRunnerTest, RefusedKubernetesEventFailsNothing) {
  EXPECT_CALL(api_, Create).WillOnce(Return(Refuse(Verb::kCreate, 403, "Forbidden")));
  EXPECT_CALL(api_, Apply).WillOnce(Return(Answer(DeploymentOf("web", "u1", "d1", 12))));
  CarryOut({AppEffect(EffectKind::kEmitEvent, "{}"), ApplyEffect()});
  EXPECT_EQ(KeyOf("web").attempts, 0u);
  EXPECT_EQ(KeyOf("web").due, absl::InfiniteFuture());
}

TEST_F(EffectRunnerTest, SecondWriteOfAPlanIsComparedWithTheFirst) {
  Json first = DeploymentOf("web", "u1", "d1", 12);
  Json second = DeploymentOf("web", "u1", "d1", 13);
  EXPECT_CALL(api_, Apply)
      .WillOnce(Return(Answer(first, kHttpCreated)))
      .WillOnce(Return(Answer(second)));
  Effect again = ApplyEffect();
  again.body = DumpJson({{"spec", {{"replicas", 13}}}});
  CarryOut({ApplyEffect(), again});
  EXPECT_THAT(CausesOf("web"), IsEmpty());
  EXPECT_EQ(VersionOf(kDeployments, "web"), "13");
}

TEST_F(EffectRunnerTest, ReleaseThatSucceededIsOnTheDiskBeforeTheFinalizerGoes) {
  EventSeq synced;
  EXPECT_CALL(api_, JsonPatch).WillOnce([&](auto&&...) {
    synced = journal_->last_synced();
    return Answer(AppAfter(11));
  });
  const EventSeq before = view()->seq;
  CarryOut({ReleaseEffect(), RemoveFinalizerEffect()}, Finalize);
  const std::vector<Event> events = Events(before);
  ASSERT_EQ(events[1].kind(), EventKind::kOutcome);
  EXPECT_GE(synced, events[1].seq);
  EXPECT_THAT(KeyOf("web").steps_done, ElementsAre("release"));
}

}  // namespace
}  // namespace logbook::reconcile
