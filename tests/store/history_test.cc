#include "logbook/store/history.h"

#include <random>

#include "store_fixture.h"

#include "logbook/store/checkpoint.h"
#include "logbook/support/seed.h"

namespace logbook::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HistoryTest : public StoreTest {
 protected:
  static void Append(Journal& journal, const Event& event) {
    ASSERT_OK(journal.Append({&event, 1}, {}, Fsync::kNo));
  }

  // A checkpoint of nothing but history.
  static void Checkpoint(Journal& journal) {
    auto view = std::make_shared<ViewState>();
    view->seq = journal.last();
    ASSERT_OK(WriteCheckpoint(journal, {.state = view}));
  }

  static ObjectRef Ref(std::string name, std::string uid = "") {
    return {.resource = std::string(kApps),
            .key = {.ns = "default", .name = std::move(name)},
            .uid = std::move(uid)};
  }

  static std::vector<HistoryEntry> History(const Journal& journal, const ObjectRef& object,
                                           uint64_t from = 1, size_t entries_max = 1000) {
    auto entries = ReadHistory(journal, object, EventSeq(from), entries_max);
    EXPECT_OK(entries);
    return entries.ok() ? *std::move(entries) : std::vector<HistoryEntry>();
  }
};

// Whenever checkpoints were taken, the answer is what reading every event gives.
TEST_F(HistoryTest, RowsAndTailTogetherAreComplete) {
  std::mt19937_64 random(TestSeed());
  auto journal = MustOpen();
  std::map<std::string, std::vector<HistoryEntry>> expected;
  std::map<std::string, std::vector<Incarnation>> incarnations;
  for (int i = 0; i < 400; ++i) {
    const std::string name = Concat("app-", random() % 5);
    const std::string uid = random() % 5 == 0 ? "" : Concat(name, "-uid-", random() % 3);
    const EventSeq seq = Next(*journal);
    const Event event = random() % 3 == 0
                            ? DecidedEvent(seq, journal->run(), {.name = name, .uid = uid}, 0)
                            : ObservedEvent(seq, journal->run(), {.name = name, .uid = uid});
    Append(*journal, event);
    expected[name].push_back({.seq = seq, .kind = event.kind(), .uid = uid});
    auto& known = incarnations[name];
    if (!uid.empty() && std::none_of(known.begin(), known.end(),
                                     [&](const Incarnation& other) { return other.uid == uid; })) {
      known.push_back({.first = seq, .uid = uid});
    }
    if (random() % 40 == 0) {
      Checkpoint(*journal);
    }
  }
  for (const auto& [name, entries] : expected) {
    EXPECT_EQ(History(*journal, Ref(name)), entries);
    EXPECT_EQ(*ReadIncarnations(*journal, kApps, Ref(name).key), incarnations[name]);
  }
  ASSERT_OK(journal->Close());
  journal.reset();
  ExpectSound();
}

TEST_F(HistoryTest, KeepsToTheIncarnationTheStartAndTheLimit) {
  const auto journal = MustOpen();
  for (uint64_t seq = 1; seq <= 6; ++seq) {
    Append(*journal, ObservedEvent(EventSeq(seq), journal->run(),
                                   {.name = "web", .uid = seq <= 3 ? "old" : "new"}));
    if (seq == 4) {
      Checkpoint(*journal);
    }
  }
  const HistoryEntry fifth{.seq = EventSeq(5), .kind = EventKind::kObserved, .uid = "new"};
  EXPECT_THAT(History(*journal, Ref("web", "old")), SizeIs(3));
  EXPECT_THAT(History(*journal, Ref("web", "new")), SizeIs(3));
  EXPECT_THAT(History(*journal, Ref("web"), 5, 1), ElementsAre(fifth));
  EXPECT_THAT(History(*journal, Ref("web"), 2, 4), SizeIs(4));
  EXPECT_THAT(History(*journal, Ref("web"), 1, 0), IsEmpty());
  EXPECT_THAT(History(*journal, Ref("we")), IsEmpty());
}

TEST_F(HistoryTest, RowsOfAnUnfinishedCheckpointAreNotCountedTwice) {
  const auto journal = MustOpen();
  for (uint64_t seq = 1; seq <= 4; ++seq) {
    Append(*journal, ObservedEvent(EventSeq(seq), journal->run(), {.name = "web"}));
  }
  RowSeries rows(*journal);
  ASSERT_OK(PutHistory(*journal, EventSeq(1), EventSeq(3), rows));
  ASSERT_OK(rows.WriteOut());  // and no state_seq
  EXPECT_THAT(History(*journal, Ref("web")), SizeIs(4));
  EXPECT_THAT(*ReadIncarnations(*journal, kApps, Ref("web").key), SizeIs(1));
}

}  // namespace
}  // namespace logbook::store
