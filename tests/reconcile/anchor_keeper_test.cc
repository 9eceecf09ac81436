#include "logbook/reconcile/anchor_keeper.h"

#include <filesystem>

#include "answers.h"
#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/store/anchor.h"
#include "logbook/store/backup.h"
#include "logbook/store/restore.h"
#include "logbook/support/mock_api_client.h"

namespace logbook::reconcile {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Return;
using ::testing::StrictMock;

constexpr std::string_view kOther = "11111111-1111-4111-8111-111111111111";
constexpr std::string_view kThird = "22222222-2222-4222-8222-222222222222";

class JudgeAnchorsTest : public JournalTest {
 protected:
  void SetUp() override { OpenJournal(); }

  // The store has a history.
  void AddEvent() { Add({.body = Marked{.reason = "event"}}); }

  void SyncedEvent() {
    AddEvent();
    EXPECT_OK(journal_->Sync());
  }

  static store::Anchor Of(std::string_view uuid, uint64_t seq = 7) {
    return {.uuid = std::string(uuid), .position = {.seq = EventSeq(seq), .run = RunId(1)}};
  }

  AnchorVerdict Judge(const std::vector<store::Anchor>& anchors, bool require_history = false) {
    std::vector<KnownAnchor> known;
    for (const store::Anchor& anchor : anchors) {
      known.push_back({.anchor = anchor});
    }
    return JudgeAnchors(*journal_, known, require_history);
  }
};

TEST_F(JudgeAnchorsTest, FirstStoreOfAnOperatorIsNew) {
  for (const bool require_history : {false, true}) {
    const AnchorVerdict verdict = Judge({}, require_history);
    EXPECT_OK(verdict.status);
    EXPECT_THAT(verdict.lost, IsEmpty());
  }
}

TEST_F(JudgeAnchorsTest, NewStoreTakesThePlaceOfThoseThatAreLost) {
  const AnchorVerdict verdict = Judge({Of(kOther), Of(kThird)});
  EXPECT_OK(verdict.status);
  EXPECT_THAT(verdict.lost, ElementsAre(Of(kOther), Of(kThird)));
}

TEST_F(JudgeAnchorsTest, NewStoreIsRefusedWhereHistoryIsRequired) {
  const AnchorVerdict verdict = Judge({Of(kOther)}, /*require_history=*/true);
  EXPECT_THAT(verdict.status, StatusIs(absl::StatusCode::kFailedPrecondition,
                                       AllOf(HasSubstr(std::string(kOther)), HasSubstr("event 7"),
                                             HasSubstr("--require-history"))));
  EXPECT_THAT(verdict.lost, IsEmpty());
}

TEST_F(JudgeAnchorsTest, StartThatEndedAfterSavingItsAnchorStillFindsWhatIsLost) {
  const std::vector<store::Anchor> anchors = {Of(kOther), journal_->anchor()};
  const AnchorVerdict verdict = Judge(anchors);
  EXPECT_OK(verdict.status);
  EXPECT_THAT(verdict.lost, ElementsAre(Of(kOther)));
  EXPECT_THAT(Judge(anchors, /*require_history=*/true).status,
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(JudgeAnchorsTest, KnownStoreThatHasWhatItsAnchorSaysIsAccepted) {
  SyncedEvent();
  const store::Anchor anchor = journal_->anchor();
  AddEvent();
  for (const bool require_history : {false, true}) {
    const AnchorVerdict verdict = Judge({Of(kOther), anchor}, require_history);
    EXPECT_OK(verdict.status);
    EXPECT_THAT(verdict.lost, IsEmpty());
  }
}

TEST_F(JudgeAnchorsTest, StoreWhosePlaceAnotherTookIsRefused) {
  SyncedEvent();
  const KnownAnchor own{.anchor = journal_->anchor(), .superseded_by = std::string(kOther)};
  EXPECT_THAT(JudgeAnchors(*journal_, {own, {.anchor = Of(kOther)}}, false).status,
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("superseded"), HasSubstr(std::string(kOther)))));
}

TEST_F(JudgeAnchorsTest, StoreWhoseAnchorWasRemovedIsNotTakenForOneThatItSupersededItself) {
  SyncedEvent();
  const KnownAnchor old{.anchor = Of(kOther), .superseded_by = journal_->format().uuid};
  EXPECT_OK(JudgeAnchors(*journal_, {old}, true).status);
}

TEST_F(JudgeAnchorsTest, AnchorsOfLongSupersededStoresAreObsolete) {
  const KnownAnchor oldest{.anchor = Of(kOther), .superseded_by = std::string(kThird)};
  const AnchorVerdict verdict = JudgeAnchors(*journal_, {oldest, {.anchor = Of(kThird)}}, false);
  EXPECT_THAT(verdict.lost, ElementsAre(Of(kThird)));
  EXPECT_THAT(verdict.obsolete, ElementsAre(std::string(kOther)));
}

TEST_F(JudgeAnchorsTest, LostStoreIsLostOnceForTheStoreThatTakesItsPlace) {
  const KnownAnchor by_another{.anchor = Of(kOther), .superseded_by = std::string(kThird)};
  const KnownAnchor by_us{.anchor = Of(kOther), .superseded_by = journal_->format().uuid};
  EXPECT_THAT(JudgeAnchors(*journal_, {by_another}, false).lost, IsEmpty());
  EXPECT_THAT(JudgeAnchors(*journal_, {by_us}, false).lost, ElementsAre(Of(kOther)));
  SyncedEvent();
  EXPECT_THAT(JudgeAnchors(*journal_, {by_us, {.anchor = journal_->anchor()}}, false).lost,
              IsEmpty());
}

TEST_F(JudgeAnchorsTest, OlderCopyIsRefused) {
  SyncedEvent();
  store::Anchor anchor = journal_->anchor();
  anchor.position.seq = EventSeq(2);
  EXPECT_THAT(Judge({anchor}).status,
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("older copy")));
}

TEST_F(JudgeAnchorsTest, StoreWithAHistoryThatTheClusterForgotForAnotherIsRefused) {
  SyncedEvent();
  const AnchorVerdict verdict = Judge({Of(kOther)});
  EXPECT_THAT(verdict.status,
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("superseded"), HasSubstr(std::string(kOther)))));
  EXPECT_THAT(verdict.lost, IsEmpty());
}

TEST_F(JudgeAnchorsTest, StoreWithAHistoryIsAcceptedWhereTheClusterRemembersNone) {
  SyncedEvent();
  EXPECT_OK(Judge({}, /*require_history=*/true).status);
}

// A store that was restored from a backup of `kOther`, and that nothing ran on yet.
class JudgeRestoredTest : public JudgeAnchorsTest {
 protected:
  void SetUp() override {
    JudgeAnchorsTest::SetUp();
    SyncedEvent();
    old_ = journal_->anchor();
    ASSERT_OK(store::Backup(*journal_, temp_ / "backup", Logger()));
    CloseJournal();
    std::filesystem::remove_all(temp_ / "store");
    ASSERT_OK(store::Restore(temp_ / "backup", temp_ / "store", clock_, Logger()));
    OpenJournal();
  }

  store::Anchor old_;  // of the store that the backup is of
};

TEST_F(JudgeRestoredTest, RestoredStoreTakesThePlaceOfTheStoreItCameFrom) {
  for (const bool require_history : {false, true}) {
    const AnchorVerdict verdict = Judge({old_}, require_history);
    EXPECT_OK(verdict.status);
    EXPECT_THAT(verdict.lost, ElementsAre(old_));
  }
}

TEST_F(JudgeRestoredTest, AlsoOfAStoreThatTookTheOnesPlaceMeanwhile) {
  const KnownAnchor old{.anchor = old_, .superseded_by = std::string(kThird)};
  const AnchorVerdict verdict = JudgeAnchors(*journal_, {old, {.anchor = Of(kThird)}}, true);
  EXPECT_OK(verdict.status);
  EXPECT_THAT(verdict.lost, ElementsAre(Of(kThird)));
  EXPECT_THAT(verdict.obsolete, ElementsAre(old_.uuid));
}

TEST_F(JudgeRestoredTest, StartThatEndedAfterSavingItsAnchorStillFindsWhatIsLost) {
  const AnchorVerdict verdict = Judge({old_, journal_->anchor()}, /*require_history=*/true);
  EXPECT_OK(verdict.status);
  EXPECT_THAT(verdict.lost, ElementsAre(old_));
}

TEST_F(JudgeRestoredTest, OnceItRanItsOwnAnchorCounts) {
  SyncedEvent();
  const AnchorVerdict verdict = Judge({old_, journal_->anchor()});
  EXPECT_OK(verdict.status);
  EXPECT_THAT(verdict.lost, IsEmpty());
  // Another store took its place, and its own anchor was removed as obsolete since.
  EXPECT_THAT(Judge({Of(kThird)}).status,
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("superseded")));
}

TEST_F(JudgeRestoredTest, StoreWhosePlaceAnotherTookIsRefusedThoughItWasRestored) {
  const KnownAnchor own{.anchor = journal_->anchor(), .superseded_by = std::string(kThird)};
  EXPECT_THAT(JudgeAnchors(*journal_, {own, {.anchor = Of(kThird)}}, false).status,
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("superseded")));
}

class AnchorKeeperTest : public ::testing::Test {
 protected:
  static auto ToConfigMap(std::string_view name) {
    return AllOf(Field(&k8s::Target::resource,
                       Resource{.version = "v1", .plural = "configmaps", .kind = "ConfigMap"}),
                 Field(&k8s::Target::key, ObjectKey{"ops", std::string(name)}));
  }

  static store::Anchor AnchorOf(std::string_view uuid) {
    return {.uuid = std::string(uuid),
            .position = {.seq = EventSeq(7), .run = RunId(2), .chain = {1, 2, 3}}};
  }

  const std::string name_ = Concat("logbook-anchor-", kOther);
  StrictMock<k8s::MockApiClient> api_;
  AnchorKeeper keeper_{api_, "ops", "simpleapp-operator"};
  const std::stop_token stop_;
};

TEST_F(AnchorKeeperTest, SavedAnchorsAreLoadedAgain) {
  Json items = Json::array();
  EXPECT_CALL(api_, Apply(ToConfigMap(name_), _,
                          AllOf(Field(&k8s::WriteOptions::field_manager, "logbook-anchor"),
                                Field(&k8s::WriteOptions::force, true)),
                          _))
      .WillOnce([&](auto&&, std::string_view body, auto&&, auto&&) {
        items.push_back(*ParseJson(body));
        return Answer(items.back());
      });
  EXPECT_OK(keeper_.Save(AnchorOf(kOther), stop_));
  const Json& saved = items.front();
  EXPECT_EQ(JsonString(saved, {"metadata", "name"}), name_);
  EXPECT_EQ(JsonString(saved, {"metadata", "namespace"}), "ops");
  EXPECT_EQ(JsonString(saved, {"metadata", "labels", "logbook.dev/operator"}),
            "simpleapp-operator");
  EXPECT_CALL(
      api_,
      List(ToConfigMap(""),
           Field(&k8s::ListOptions::label_selector, "logbook.dev/operator=simpleapp-operator"), _))
      .WillOnce(Return(Answer({{"items", items}})));
  const auto loaded = keeper_.Load(stop_);
  ASSERT_OK(loaded);
  EXPECT_THAT(*loaded, ElementsAre(Field(&KnownAnchor::anchor, AnchorOf(kOther))));
  EXPECT_EQ(loaded->front().superseded_by, "");
}

TEST_F(AnchorKeeperTest, DroppedAnchorIsDeletedAndMayBeGoneAlready) {
  EXPECT_CALL(api_, Delete(ToConfigMap(name_), _, _))
      .WillOnce(Return(AnswerDone()))
      .WillOnce(Return(NoSuchObject(k8s::Verb::kDelete)));
  EXPECT_OK(keeper_.Drop(std::string(kOther), stop_));
  EXPECT_OK(keeper_.Drop(std::string(kOther), stop_));
}

TEST_F(AnchorKeeperTest, SupersededAnchorSaysByWhom) {
  Json saved;
  EXPECT_CALL(api_, Apply(ToConfigMap(name_), _, _, _))
      .WillOnce([&](auto&&, std::string_view body, auto&&, auto&&) {
        saved = *ParseJson(body);
        return Answer(saved);
      });
  EXPECT_OK(keeper_.Supersede(AnchorOf(kOther), std::string(kThird), stop_));
  EXPECT_CALL(api_, List).WillOnce(Return(Answer({{"items", Json::array({saved})}})));
  const auto loaded = keeper_.Load(stop_);
  ASSERT_OK(loaded);
  EXPECT_THAT(*loaded, ElementsAre(AllOf(Field(&KnownAnchor::anchor, AnchorOf(kOther)),
                                         Field(&KnownAnchor::superseded_by, std::string(kThird)))));
}

TEST_F(AnchorKeeperTest, WhatIsNoAnchorIsPassedOver) {
  const Json good = {{"data", {{"anchor", store::ToString(AnchorOf(kThird))}}}};
  EXPECT_CALL(api_, List)
      .WillOnce(Return(Answer({{"items", Json::array({Json{{"data", {{"anchor", "scribble"}}}},
                                                      Json::object(), good})}})))
      .WillOnce(Return(Answer(Json::object())));
  auto loaded = keeper_.Load(stop_);
  ASSERT_OK(loaded);
  EXPECT_THAT(*loaded, ElementsAre(Field(&KnownAnchor::anchor, AnchorOf(kThird))));
  loaded = keeper_.Load(stop_);
  ASSERT_OK(loaded);
  EXPECT_THAT(*loaded, IsEmpty());
}

TEST_F(AnchorKeeperTest, ErrorsAreThoseOfTheServer) {
  EXPECT_CALL(api_, List).WillOnce(Return(Refuse(k8s::Verb::kList, 403, "Forbidden")));
  EXPECT_CALL(api_, Apply).WillOnce(Return(ConnectionBroke()));
  EXPECT_THAT(keeper_.Load(stop_), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_THAT(keeper_.Save(AnchorOf(kOther), stop_), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace logbook::reconcile
