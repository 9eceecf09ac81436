#include "logbook/reconcile/streams.h"

#include <set>

#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::vector<ObjectKey> NoKeys(const Object&) {
  return {};
}

OperatorSpec Spec(std::string_view name, const std::function<void(Operator&)>& declare) {
  Operator builder(name);
  builder.For("apps.bootcamp.local/v1/simpleapps", "SimpleApp")
      .Reconciles([](const View&, const ObjectKey&) { return Plan(); });
  declare(builder);
  absl::StatusOr<OperatorSpec> spec = builder.Build();
  LOGBOOK_CHECK(spec.ok());
  return *std::move(spec);
}

std::string TextOf(const StreamIdentity& stream) {
  return Concat(stream.resource.ToString(), " ns=", stream.ns, " labels=", stream.label_selector);
}

std::vector<std::string> Texts(const std::vector<StreamIdentity>& streams) {
  std::vector<std::string> texts;
  for (const StreamIdentity& stream : streams) {
    EXPECT_EQ(stream.cluster, "cluster");
    texts.push_back(TextOf(stream));
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

TEST(NeededStreamsTest, KindOfOneSelectorIsAStreamOfItsOwn) {
  const std::vector<OperatorSpec> specs = {Spec("a", [](Operator& o) {
    o.Owns("apps/v1/deployments")
        .Watches("v1/pods", {.label_selector = "app=a", .mapper = NoKeys})
        .Watches("v1/pods", {.label_selector = "app=a", .mapper = NoKeys})
        .Watches("apps/v1/deployments", {.label_selector = "app=a", .mapper = NoKeys});
  })};
  EXPECT_THAT(Texts(NeededStreams(specs, {}, "cluster")),
              UnorderedElementsAre("apps.bootcamp.local/v1/simpleapps ns= labels=",
                                   "apps/v1/deployments ns= labels=", "v1/pods ns= labels=app=a"));
}

// Two streams would take an object that both of them show away from each other.
TEST(NeededStreamsTest, KindOfTwoSelectorsIsWatchedWhole) {
  const std::vector<OperatorSpec> specs = {Spec("a", [](Operator& o) {
    o.Watches("v1/pods", {.label_selector = "app=a", .mapper = NoKeys})
        .Watches("v1/pods", {.label_selector = "app=b", .mapper = NoKeys});
  })};
  EXPECT_THAT(
      Texts(NeededStreams(specs, {}, "cluster")),
      UnorderedElementsAre("apps.bootcamp.local/v1/simpleapps ns= labels=", "v1/pods ns= labels="));
}

TEST(NeededStreamsTest, EveryNamespaceIsAStream) {
  const std::vector<OperatorSpec> specs = {Spec("a", [](Operator& o) {
    o.Watches("v1/pods", {.label_selector = "app=a", .mapper = NoKeys});
  })};
  EXPECT_THAT(
      Texts(NeededStreams(specs, {"shop", "office"}, "cluster")),
      UnorderedElementsAre("apps.bootcamp.local/v1/simpleapps ns=shop labels=",
                           "apps.bootcamp.local/v1/simpleapps ns=office labels=",
                           "v1/pods ns=shop labels=app=a", "v1/pods ns=office labels=app=a"));
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

  // Opens only this one; its id.
  StreamId OpenOne(const StreamIdentity& needed) {
    const auto open = Open({needed});
    EXPECT_THAT(open, SizeIs(1));
    return open.begin()->first;
  }

  // Brings "web" into the view by `stream`, with a complete list and a bookmark.
  void Fill(StreamId stream) {
    Add(StreamEvent(StreamChange::kListStarted, stream, AppResource()));
    Event event = ObservedEvent(ChangeType::kAdded, App("web", "u1", 10), {}, /*listed=*/true);
    event.stream = stream;
    Add(std::move(event));
    Add(StreamEvent(StreamChange::kListed, stream, AppResource()));
    EXPECT_OK(writer_->SubmitAndWait([&](Draft& draft) { draft.SetBookmark(stream, "10"); }));
  }

  const StreamIdentity apps_ = Identity(AppResource());
  const StreamIdentity deployments_ = Identity(DeploymentResource());
};

TEST_F(OpenStreamsTest, NewStreamsGetIdsAndAreOnTheDisk) {
  const auto open = Open({apps_, deployments_});
  ASSERT_THAT(open, SizeIs(2));
  EXPECT_THAT((std::vector{TextOf(open.at(StreamId(1))), TextOf(open.at(StreamId(2)))}),
              UnorderedElementsAre(TextOf(apps_), TextOf(deployments_)));
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
  const StreamId id = OpenOne(apps_);
  Fill(id);
  EXPECT_NE(OpenOne(deployments_), id);
  EXPECT_THAT(FindIn(kApps, "web"), IsNull());
  EXPECT_THAT(view()->tombstones.Find("u1"), IsNull());
  EXPECT_THAT(Bodies<Observed>(), SizeIs(1));
  EXPECT_THAT(*journal_->Bookmarks(), IsEmpty());
}

TEST_F(OpenStreamsTest, StreamThatIsNeededAgainHasItsIdAndMustListAnew) {
  const StreamId id = OpenOne(apps_);
  Fill(id);
  EXPECT_TRUE(view()->streams.Find(id)->listed);
  OpenOne(deployments_);
  EXPECT_EQ(OpenOne(apps_), id);
  EXPECT_FALSE(view()->streams.Find(id)->closed);
  EXPECT_FALSE(view()->streams.Find(id)->listed);
}

TEST_F(OpenStreamsTest, AnotherVersionNamespaceSelectorOrClusterIsAnotherStream) {
  StreamIdentity version = apps_;
  version.resource.version = "v2";
  StreamIdentity selector = apps_;
  selector.label_selector = "app=web";
  StreamIdentity cluster = apps_;
  cluster.cluster = "other";
  std::set<StreamId> ids = {OpenOne(apps_)};
  for (const StreamIdentity& other :
       {version, Identity(AppResource(), "shop"), selector, cluster}) {
    EXPECT_TRUE(ids.insert(OpenOne(other)).second);  // nor the id of one that is closed
  }
}

TEST_F(OpenStreamsTest, KindAndScopeAreTheServersToTell) {
  StreamIdentity discovered = apps_;
  discovered.resource.namespaced = false;
  discovered.resource.kind = "App";
  const StreamId id = OpenOne(apps_);
  EXPECT_EQ(OpenOne(discovered), id);
}

}  // namespace
}  // namespace logbook::reconcile
