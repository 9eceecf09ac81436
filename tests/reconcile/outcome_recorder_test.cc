// How our own writes enter the view, and what a watch may say about them afterwards.
#include "logbook/reconcile/outcome_recorder.h"

#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/reconcile/observation.h"

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;

Effect ApplyOf(const Json& body) {
  return {.kind = EffectKind::kApply,
          .resource = DeploymentResource(),
          .target = {.ns = "shop", .name = "web"},
          .body = DumpJson(body)};
}

Effect DeleteOf(std::string_view uid) {
  return {.kind = EffectKind::kDelete,
          .resource = DeploymentResource(),
          .target = {.ns = "shop", .name = "web"},
          .uid = std::string(uid)};
}

Performed Answered(const Json& response, ObjectPtr prior = nullptr, bool created = false) {
  Performed performed{.prior = std::move(prior)};
  performed.outcome.kind = OutcomeKind::kSucceeded;
  performed.outcome.response = DumpJson(response);
  performed.outcome.uid = JsonString(response, {"metadata", "uid"});
  performed.outcome.resource_version = JsonString(response, {"metadata", "resourceVersion"});
  performed.outcome.created = created;
  performed.outcome.last = true;
  return performed;
}

Json Deployment(std::string_view uid, int version) {
  return DeploymentOf("web", "u1", uid, version);
}

// "web" is there, decided on and clean.
class OutcomeRecorderTest : public WatchedJournalTest {
 protected:
  void SetUp() override {
    WatchedJournalTest::SetUp();
    Observe(ChangeType::kAdded, App("web", "u1", 10));
    Decide("web", {});
  }

  EventSeq Observe(ChangeType change, const Json& object) {
    const ObjectPtr made = MakeObject(object);
    const bool app = object["kind"] == "SimpleApp";
    EventSeq seq;
    EXPECT_OK(writer_->SubmitAndWait([&](Draft& draft) {
      seq = AddObservation(draft, marks_,
                           {.change = change,
                            .stream = app ? kAppStream : kDeploymentStream,
                            .resource = app ? AppResource() : DeploymentResource(),
                            .object = made});
    }));
    return seq;
  }

  // The Deployment as it is before the write; the key is clean again.
  ObjectPtr Existing(const Json& deployment) {
    Observe(ChangeType::kModified, deployment);
    Decide("web", {});
    return FindIn(kDeployments, "web");
  }

  // Carries out one apply of `body` that is answered by `performed`.
  void Apply(const Json& body, const Performed& performed) {
    Record(Decide("web", {ApplyOf(body)}), performed);
  }

  void Record(const PlanRun& plan, Performed performed) {
    performed.outcome.decided = plan.decided;
    performed.outcome.at = clock_.Now();
    EXPECT_OK(OutcomeRecorder(*writer_, marks_).Record(plan, performed, {}));
  }

  std::string VersionInView() const { return VersionOf(kDeployments, "web"); }
};

TEST_F(OutcomeRecorderTest, OwnWriteIsInTheViewWhenItIsRecorded) {
  Apply(Deployment("d1", 12), Answered(Deployment("d1", 12), nullptr, /*created=*/true));
  EXPECT_EQ(UidOf(kDeployments, "web"), "d1");
  EXPECT_EQ(VersionInView(), "12");
  EXPECT_FALSE(KeyOf("web").open);
}

TEST_F(OutcomeRecorderTest, ObjectThatWeMadeDoesNotDirtyOurKey) {
  Apply(Deployment("d1", 12), Answered(Deployment("d1", 12), nullptr, /*created=*/true));
  EXPECT_THAT(CausesOf("web"), IsEmpty());
}

TEST_F(OutcomeRecorderTest, PureEchoDoesNotDirtyTheKey) {
  const ObjectPtr prior = Existing(Deployment("d1", 12));
  Json body = {{"spec", {{"replicas", 13}}}};
  Apply(body, Answered(Deployment("d1", 13), prior));
  EXPECT_EQ(VersionInView(), "13");
  EXPECT_THAT(CausesOf("web"), IsEmpty());
}

TEST_F(OutcomeRecorderTest, ForeignChangeInTheResponseDirtiesTheKey) {
  const ObjectPtr prior = Existing(Deployment("d1", 12));
  Json response = Deployment("d1", 14);
  response["spec"]["paused"] = true;
  Apply({{"spec", {{"replicas", 14}}}}, Answered(response, prior));
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kForeign));
  EXPECT_EQ(VersionInView(), "14");
}

TEST_F(OutcomeRecorderTest, AnswerOfAnObjectThatSomebodyElseMadeIsForeign) {
  Apply(Deployment("d1", 12), Answered(Deployment("d1", 12), nullptr, /*created=*/false));
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kForeign));
}

TEST_F(OutcomeRecorderTest, WatchEchoOfOurOwnWriteIsAbsorbed) {
  Apply(Deployment("d1", 12), Answered(Deployment("d1", 12), nullptr, /*created=*/true));
  const EventSeq echo = Observe(ChangeType::kAdded, Deployment("d1", 12));
  EXPECT_THAT(CausesOf("web"), IsEmpty());
  EXPECT_FALSE(Bodies<Observed>(EventSeq(echo.value - 1)).front().content_changed);
}

TEST_F(OutcomeRecorderTest, WatchThatIsFasterThanTheAnswerIsAbsorbed) {
  const ObjectPtr prior = Existing(Deployment("d1", 12));
  const PlanRun plan = Decide("web", {ApplyOf({{"spec", {{"replicas", 13}}}})});
  Observe(ChangeType::kModified, Deployment("d1", 13));
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kOwned));
  Record(plan, Answered(Deployment("d1", 13), prior));
  EXPECT_THAT(CausesOf("web"), IsEmpty());
}

TEST_F(OutcomeRecorderTest, WriteThatChangedNothingVoidsNoCause) {
  Existing(Deployment("d1", 12));
  const PlanRun plan = Decide("web", {ApplyOf({{"spec", {{"replicas", 13}}}})});
  Observe(ChangeType::kModified, Deployment("d1", 13));  // somebody else's, after the decision
  Record(plan, Answered(Deployment("d1", 13), FindIn(kDeployments, "web")));
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kOwned));
}

TEST_F(OutcomeRecorderTest, LaggingWatchDoesNotTakeTheViewBack) {
  const ObjectPtr prior = Existing(Deployment("d1", 12));
  Apply({{"spec", {{"replicas", 20}}}}, Answered(Deployment("d1", 20), prior));
  Observe(ChangeType::kModified, Deployment("d1", 19));
  EXPECT_EQ(VersionInView(), "20");
  EXPECT_THAT(CausesOf("web"), IsEmpty());
}

TEST_F(OutcomeRecorderTest, WatchThatStillSpeaksOfTheLastIncarnationDoesNotTakeTheViewBack) {
  const ObjectPtr prior = Existing(Deployment("d1", 12));
  Apply(Deployment("d2", 20), Answered(Deployment("d2", 20), prior, /*created=*/true));
  Observe(ChangeType::kModified, Deployment("d1", 15));
  EXPECT_EQ(UidOf(kDeployments, "web"), "d2");
  Observe(ChangeType::kDeleted, Deployment("d1", 16));
  EXPECT_EQ(UidOf(kDeployments, "web"), "d2");
  EXPECT_THAT(CausesOf("web"), IsEmpty());
}

TEST_F(OutcomeRecorderTest, AnswerThatIsOlderThanTheViewIsForItsHistoryOnly) {
  const ObjectPtr prior = Existing(Deployment("d1", 12));
  const PlanRun plan = Decide("web", {ApplyOf({{"spec", {{"replicas", 13}}}})});
  Observe(ChangeType::kModified, Deployment("d1", 14));
  Record(plan, Answered(Deployment("d1", 13), prior));
  EXPECT_EQ(VersionInView(), "14");
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kOwned));
}

TEST_F(OutcomeRecorderTest, DeadUidDoesNotReturnThroughAnAnswer) {
  const ObjectPtr prior = Existing(Deployment("d1", 12));
  const PlanRun plan = Decide("web", {ApplyOf({{"spec", {{"replicas", 13}}}})});
  Observe(ChangeType::kDeleted, Deployment("d1", 14));
  Record(plan, Answered(Deployment("d1", 13), prior));
  EXPECT_THAT(FindIn(kDeployments, "web"), IsNull());
}

TEST_F(OutcomeRecorderTest, DeletionTimestampWithoutFinalizersMeansDeleted) {
  const ObjectPtr prior = Existing(Deployment("d1", 12));
  Json response = Deployment("d1", 13);
  response["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:00Z";
  Record(Decide("web", {DeleteOf("d1")}), Answered(response, prior));
  EXPECT_THAT(FindIn(kDeployments, "web"), IsNull());
  Observe(ChangeType::kModified, Deployment("d1", 14));
  EXPECT_THAT(FindIn(kDeployments, "web"), IsNull());
}

TEST_F(OutcomeRecorderTest, DeletionTimestampWithFinalizersMeansLeaving) {
  const ObjectPtr prior = Existing(Deployment("d1", 12));
  Json response = Deployment("d1", 13);
  response["metadata"]["deletionTimestamp"] = "2026-05-26T03:14:00Z";
  response["metadata"]["finalizers"] = {"foregroundDeletion"};
  Record(Decide("web", {DeleteOf("d1")}), Answered(response, prior));
  ASSERT_THAT(FindIn(kDeployments, "web"), NotNull());
  EXPECT_TRUE(FindIn(kDeployments, "web")->deleting());
}

TEST_F(OutcomeRecorderTest, AnswerOfAnUnwatchedKindIsForItsHistoryOnly) {
  Effect audit{.kind = EffectKind::kCreate,
               .resource = {.version = "v1", .plural = "configmaps", .kind = "ConfigMap"},
               .target = {.ns = "shop", .name = "audit"},
               .body = "{}"};
  const Json response = {
      {"kind", "ConfigMap"},
      {"metadata",
       {{"name", "audit"}, {"namespace", "shop"}, {"uid", "c1"}, {"resourceVersion", "30"}}}};
  Record(Decide("web", {audit}), Answered(response, nullptr, /*created=*/true));
  EXPECT_THAT(FindIn("configmaps", "audit"), IsNull());
  EXPECT_EQ(Events().back().subjects.front().uid, "c1");
}

TEST_F(OutcomeRecorderTest, ObjectThatWasReadEntersTheView) {
  EXPECT_OK(OutcomeRecorder(*writer_, marks_)
                .Observe(DeploymentResource(), MakeObject(Deployment("d1", 12))));
  EXPECT_EQ(VersionInView(), "12");
  EXPECT_THAT(CausesOf("web"), ElementsAre(MarkReason::kOwned));
  EXPECT_EQ(Bodies<Observed>().back().origin, Origin::kGet);
}

}  // namespace
}  // namespace logbook::reconcile
