#include "logbook/reconcile/observation.h"

#include "journal_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

class ObservationTest : public WatchedJournalTest {
 protected:
  // What the journal says about the observation.
  Event Observe(ChangeType change, const Json& object, bool low_priority = false) {
    const bool app = object["kind"] == "SimpleApp";
    EXPECT_OK(writer_->SubmitAndWait([&](Draft& draft) {
      AddObservation(draft, marks_,
                     {.change = change,
                      .stream = app ? kAppStream : kDeploymentStream,
                      .resource = app ? AppResource() : DeploymentResource(),
                      .object = MakeObject(object),
                      .low_priority = low_priority});
    }));
    return Events().back();
  }

  static bool Changed(const Event& event) { return std::get<Observed>(event.body).content_changed; }
};

TEST_F(ObservationTest, NewObjectIsAChangeThatMarksItsKey) {
  const Event event = Observe(ChangeType::kAdded, App("web", "u1", 10));
  EXPECT_TRUE(Changed(event));
  EXPECT_THAT(event.marks, ElementsAre(MarkOf("web")));
  EXPECT_EQ(event.subjects.front().uid, "u1");
  EXPECT_EQ(event.resource_version, "10");
}

TEST_F(ObservationTest, FrameThatChangesNothingIsRecordedAndMarksNobody) {
  Observe(ChangeType::kAdded, App("web", "u1", 10));
  Json touched = App("web", "u1", 10);
  touched["metadata"]["resourceVersion"] = "11";
  touched["metadata"]["managedFields"] = Json::array({{{"manager", "somebody"}}});
  const Event event = Observe(ChangeType::kModified, touched);
  EXPECT_FALSE(Changed(event));
  EXPECT_THAT(event.marks, IsEmpty());
  EXPECT_EQ(VersionOf(kApps, "web"), "11");
}

TEST_F(ObservationTest, StatusOfAChildIsAChange) {
  Observe(ChangeType::kAdded, App("web", "u1", 10));
  Observe(ChangeType::kAdded, DeploymentOf("web", "u1", "d1", 11));
  Json ready = DeploymentOf("web", "u1", "d1", 11);
  ready["metadata"]["resourceVersion"] = "12";
  ready["status"]["readyReplicas"] = 1;
  EXPECT_THAT(Observe(ChangeType::kModified, ready).marks,
              ElementsAre(MarkOf("web", MarkReason::kOwned)));
}

TEST_F(ObservationTest, ChildThatChangesItsOwnerMarksBoth) {
  Observe(ChangeType::kAdded, App("a", "u1", 10));
  Observe(ChangeType::kAdded, App("b", "u2", 11));
  Observe(ChangeType::kAdded, DeploymentOf("a", "u1", "d1", 12));
  Json moved = DeploymentOf("b", "u2", "d1", 13);
  moved["metadata"]["name"] = "a";
  EXPECT_THAT(Observe(ChangeType::kModified, moved).marks,
              ElementsAre(MarkOf("a", MarkReason::kOwned), MarkOf("b", MarkReason::kOwned)));
}

TEST_F(ObservationTest, RemovalMarksAndDeletionOfAnUnknownIncarnationDoesNot) {
  Observe(ChangeType::kAdded, App("web", "u1", 10));
  EXPECT_FALSE(Changed(Observe(ChangeType::kDeleted, App("web", "u0", 9))));
  const Event event = Observe(ChangeType::kDeleted, App("web", "u1", 11));
  EXPECT_TRUE(Changed(event));
  EXPECT_THAT(event.marks, ElementsAre(MarkOf("web")));
}

TEST_F(ObservationTest, DeadUidIsRecordedAndNoChange) {
  Observe(ChangeType::kAdded, App("web", "u1", 10));
  Observe(ChangeType::kDeleted, App("web", "u1", 11));
  const Event event = Observe(ChangeType::kModified, App("web", "u1", 12));
  EXPECT_FALSE(Changed(event));
  EXPECT_THAT(event.marks, IsEmpty());
}

TEST_F(ObservationTest, PriorityIsThatOfTheObservation) {
  EXPECT_THAT(Observe(ChangeType::kAdded, App("web", "u1", 10), /*low_priority=*/true).marks,
              ElementsAre(Field(&Mark::low_priority, true)));
}

TEST_F(ObservationTest, OlderVersionIsNoNewsOfWhicheverIncarnation) {
  Observe(ChangeType::kAdded, App("web", "u2", 100));
  const ViewStatePtr now = view();
  const auto is_news = [&](std::string_view uid, int version) {
    return IsNews(*now, kAppStream, std::string(kApps), *MakeObject(App("web", uid, version)));
  };
  EXPECT_TRUE(is_news("u2", 101));
  EXPECT_TRUE(is_news("u2", 100));
  EXPECT_FALSE(is_news("u2", 99));
  EXPECT_TRUE(is_news("u3", 101));
  EXPECT_FALSE(is_news("u1", 99));
}

TEST_F(ObservationTest, AfterARewindEverythingIsNews) {
  Observe(ChangeType::kAdded, App("web", "u1", 100));
  Observe(ChangeType::kDeleted, App("dead", "u2", 101));
  Add(StreamEvent(StreamChange::kRewound, kAppStream, AppResource()));
  for (const Json& object : {App("web", "u1", 40), App("dead", "u2", 41)}) {
    EXPECT_TRUE(IsNews(*view(), kAppStream, std::string(kApps), *MakeObject(object)));
  }
}

// A view with streams of Deployments only, 1, 2, … in this order.
ViewState WithStreams(std::vector<StreamState> streams) {
  ViewState view;
  StreamId id;
  for (StreamState& stream : streams) {
    stream.identity.resource = DeploymentResource();
    view.streams.Set(++id, std::move(stream));
  }
  return view;
}

TEST(StreamOfTest, StreamWithoutASelectorThatCoversTheNamespaceIsFound) {
  const StreamState all{};
  const StreamState shop{.identity = {.ns = "shop"}};
  const StreamState selected{.identity = {.label_selector = "app=web"}};
  const StreamState by_field{.identity = {.field_selector = "metadata.name=web"}};
  const StreamState closed{.closed = true};

  const struct {
    std::vector<StreamState> streams;
    std::string ns;
    StreamId expected;
  } cases[] = {
      {{}, "shop", StreamId(0)},
      {{all}, "shop", StreamId(1)},
      {{shop}, "shop", StreamId(1)},
      {{shop}, "office", StreamId(0)},
      {{selected, by_field, all}, "shop", StreamId(3)},
      {{selected}, "shop", StreamId(0)},
      {{closed, shop}, "shop", StreamId(2)},
      {{closed}, "shop", StreamId(0)},
  };

  for (const auto& c : cases) {
    EXPECT_EQ(StreamOf(WithStreams(c.streams), DeploymentResource(), c.ns), c.expected);
  }
}

TEST(StreamOfTest, VersionDoesNotMatterButGroupDoes) {
  const ViewState view = WithStreams({{}});
  Resource resource = DeploymentResource();
  resource.version = "v2";
  EXPECT_EQ(StreamOf(view, resource, "shop"), StreamId(1));
  resource.group = "extensions";
  EXPECT_EQ(StreamOf(view, resource, "shop"), StreamId(0));
}

}  // namespace
}  // namespace logbook::reconcile
