#include "logbook/reconcile/streams.h"

#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::vector<ObjectKey> NoKeys(const Object&) { return {}; }

OperatorSpec Spec(std::string_view name, const std::function<void(Operator&)>& declare) {
  Operator builder(name);
  builder.For("apps.bootcamp.local/v1/simpleapps", "SimpleApp")
      .Reconciles([](const View&, const ObjectKey&) { return Plan(); });
  declare(builder);
  absl::StatusOr<OperatorSpec> spec = builder.Build();
  LOGBOOK_CHECK(spec.ok());
  return *std::move(spec);
}

std::vector<std::string> Texts(const std::vector<StreamIdentity>& streams) {
  std::vector<std::string> texts;
  for (const StreamIdentity& stream : streams) {
    EXPECT_EQ(stream.cluster, "cluster");
    texts.push_back(Concat(stream.resource.ToString(), " ns=", stream.ns,
                           " labels=", stream.label_selector));
  }
  return texts;
}

TEST(NeededStreamsTest, KindsThatSeveralControllersNeedAreOneStream) {
  const std::vector<OperatorSpec> specs = {
      Spec("a", [](Operator& o) { o.Owns("apps/v1/deployments"); }),
      Spec("b", [](Operator& o) { o.Owns("apps/v1/deployments").Owns("v1/services"); })};
  EXPECT_THAT(Texts(NeededStreams(specs, {}, "cluster")),
              UnorderedElementsAre("apps.bootcamp.local/v1/simpleapps ns= labels=",
                                   "apps/v1/deployments ns= labels=", "v1/services ns= labels="));
}

TEST(NeededStreamsTest, EverySelectorIsAStreamUnlessTheKindIsWatchedWhole) {
  const std::vector<OperatorSpec> specs = {Spec("a", [](Operator& o) {
    o.Owns("apps/v1/deployments")
        .Watches("v1/pods", {.label_selector = "app=a", .mapper = NoKeys})
        .Watches("v1/pods", {.label_selector = "app=b", .mapper = NoKeys})
        .Watches("apps/v1/deployments", {.label_selector = "app=a", .mapper = NoKeys});
  })};
  EXPECT_THAT(Texts(NeededStreams(specs, {}, "cluster")),
              UnorderedElementsAre("apps.bootcamp.local/v1/simpleapps ns= labels=",
                                   "apps/v1/deployments ns= labels=", "v1/pods ns= labels=app=a",
                                   "v1/pods ns= labels=app=b"));
}

TEST(NeededStreamsTest, EveryNamespaceIsAStream) {
  const std::vector<OperatorSpec> specs = {Spec("a", [](Operator& o) {
    o.Watches("v1/pods", {.label_selector = "app=a", .mapper = NoKeys});
  })};
  EXPECT_THAT(Texts(NeededStreams(specs, {"shop", "office"}, "cluster")),
              UnorderedElementsAre("apps.bootcamp.local/v1/simpleapps ns=shop labels=",
                                   "apps.bootcamp.local/v1/simpleapps ns=office labels=",
                                   "v1/pods ns=shop labels=app=a",
                                   "v1/pods ns=office labels=app=a"));
}

StreamIdentity Identity(const Resource& resource, std::string_view ns = "") {
  return {.cluster = "cluster", .resource = resource, .ns = std::string(ns)};
}

class OpenStreamsTest : public JournalTest {
 protected:
  void SetUp() override { OpenJournal(); }

  std::map<StreamId, StreamIdentity> Open(const std::vector<StreamIdentity>& needed) {
    auto streams = reconcile::OpenStreams(*writer_, needed);
    EXPECT_OK(streams);
    return *std::move(streams);
  }

  const StreamIdentity apps_ = Identity(AppResource());
  const StreamIdentity deployments_ = Identity(DeploymentResource());
};

TEST_F(OpenStreamsTest, NewStreamsGetIdsAndAreOnTheDisk) {
  EXPECT_THAT(Open({apps_, deployments_}),
              UnorderedElementsAre(Pair(StreamId(1), apps_), Pair(StreamId(2), deployments_)));
  EXPECT_EQ(journal_->last_synced(), EventSeq(2));
}

TEST_F(OpenStreamsTest, KnownStreamsKeepTheirIdsAcrossARestart) {
  const auto before = Open({apps_, deployments_});
  CloseJournal();
  OpenJournal();
  const EventSeq seq = view()->seq;
  EXPECT_EQ(Open({deployments_, apps_}), before);
  EXPECT_THAT(Events(seq), IsEmpty());
}

TEST_F(OpenStreamsTest, StreamThatIsNotNeededIsClosedAndItsObjectsLeaveWithoutBeingDead) {
  Open({apps_, deployments_});
  Add(ObservedEvent(ChangeType::kAdded, App("web", "u1", 10)));
  EXPECT_OK(writer_->SubmitAndWait([](Draft& draft) { draft.SetBookmark(kAppStream, "10"); }));
  EXPECT_THAT(Open({deployments_}), ElementsAre(Pair(StreamId(2), deployments_)));
  EXPECT_THAT(FindIn(kApps, "web"), IsNull());
  EXPECT_THAT(view()->tombstones.Find("u1"), IsNull());
  EXPECT_THAT(Bodies<Observed>(), ::testing::SizeIs(1));
  EXPECT_THAT(*journal_->Bookmarks(), IsEmpty());
}

TEST_F(OpenStreamsTest, StreamThatIsNeededAgainHasItsIdAndMustListAnew) {
  Open({apps_, deployments_});
  Add(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
  Add(StreamEvent(StreamChange::kListed, kAppStream, AppResource()));
  Open({deployments_});
  EXPECT_THAT(Open({apps_, deployments_}),
              UnorderedElementsAre(Pair(StreamId(1), apps_), Pair(StreamId(2), deployments_)));
  const StreamState* stream = view()->streams.Find(StreamId(1));
  ASSERT_THAT(stream, NotNull());
  EXPECT_FALSE(stream->closed);
  EXPECT_FALSE(stream->listed);
}

TEST_F(OpenStreamsTest, IdOfAClosedStreamIsNotGivenToAnother) {
  Open({apps_});
  const StreamIdentity shop = Identity(AppResource(), "shop");
  EXPECT_THAT(Open({shop}), ElementsAre(Pair(StreamId(2), shop)));
}

TEST_F(OpenStreamsTest, AnotherVersionNamespaceSelectorOrClusterIsAnotherStream) {
  StreamIdentity version = apps_;
  version.resource.version = "v2";
  StreamIdentity selector = apps_;
  selector.label_selector = "app=web";
  StreamIdentity cluster = apps_;
  cluster.cluster = "other";
  Open({apps_});
  EXPECT_EQ(Open({apps_, version, Identity(AppResource(), "shop"), selector, cluster}).size(), 5u);
}

TEST_F(OpenStreamsTest, KindAndScopeAreTheServersToTell) {
  StreamIdentity discovered = apps_;
  discovered.resource.namespaced = false;
  discovered.resource.kind = "App";
  Open({apps_});
  EXPECT_THAT(Open({discovered}), ElementsAre(Pair(StreamId(1), apps_)));
}

}  // namespace
}  // namespace logbook::reconcile
