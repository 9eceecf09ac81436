#include "logbook/store/journal.h"

#include <filesystem>
#include <random>
#include <vector>

#include "faulty_file_system.h"
#include "store_fixture.h"

#include "logbook/support/seed.h"

namespace logbook::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class JournalTest : public StoreTest {
 protected:
  static std::vector<uint64_t> Seqs(const Journal& journal, uint64_t from, uint64_t to) {
    std::vector<uint64_t> seqs;
    EXPECT_OK(journal.Read(EventSeq(from), EventSeq(to), [&](const Event& event) {
      seqs.push_back(event.seq.value);
      return true;
    }));
    return seqs;
  }
};

TEST_F(JournalTest, NewStoreIsEmptyAndInItsFirstRun) {
  const auto journal = MustOpen();
  EXPECT_EQ(journal->last(), EventSeq(0));
  EXPECT_EQ(journal->run(), RunId(1));
  EXPECT_EQ(journal->chain(), Chain());
  EXPECT_THAT(*journal->Bookmarks(), IsEmpty());
}

TEST_F(JournalTest, EventsReadBackAsTheyWereAppended) {
  const auto journal = MustOpen();
  const std::vector<Event> events = {ObservedEvent(EventSeq(1), journal->run()),
                                     DecidedEvent(EventSeq(2), journal->run(), {}, 2),
                                     OutcomeEvent(EventSeq(3), journal->run(), {}, EventSeq(2), 0)};
  ASSERT_OK(journal->Append(events, {}, Fsync::kNo));
  RecordCodec codec;
  for (const Event& event : events) {
    const absl::StatusOr<Event> read = journal->Get(event.seq);
    ASSERT_OK(read);
    Chain of_event = {};
    Chain of_read = {};
    EXPECT_EQ(codec.Encode(*read, of_read), codec.Encode(event, of_event));
  }
}

TEST_F(JournalTest, RunsAndChainGoOnOverReopening) {
  for (uint64_t run = 1; run <= 4; ++run) {
    const auto journal = MustOpen();
    EXPECT_EQ(journal->run(), RunId(run));
    EXPECT_EQ(journal->last(), EventSeq((run - 1) * 5));
    AppendObserved(*journal, 5, run % 2 == 0 ? Fsync::kYes : Fsync::kNo);
  }
  ExpectSound();
}

TEST_F(JournalTest, AcknowledgedEventsSurviveAKill) {
  auto journal = MustOpen();
  AppendObserved(*journal, 50, Fsync::kNo);
  const Position before = journal->position();
  Crash(journal);
  journal = MustOpen();
  EXPECT_EQ(journal->last(), before.seq);
  EXPECT_EQ(journal->chain(), before.chain);
  EXPECT_EQ(journal->Bookmarks()->at(StreamId(1)),
            (Bookmark{.resource_version = "rv-50", .seq = EventSeq(50)}));
}

// Wherever the log is cut, a bookmark is there with the event it came with, or neither is.
TEST_F(JournalTest, BookmarksAreNeverApartFromTheirEvents) {
  std::mt19937_64 random(TestSeed());
  auto journal = MustOpen();
  AppendObserved(*journal, 200, Fsync::kNo);
  Crash(journal);
  const std::string log = LogFile();
  const std::string whole = ReadBytes(log);
  const std::string image = temp_ / "image";
  std::filesystem::copy(directory(), image, std::filesystem::copy_options::recursive);
  for (int i = 0; i < 20; ++i) {
    std::filesystem::remove_all(directory());
    std::filesystem::copy(image, directory(), std::filesystem::copy_options::recursive);
    std::filesystem::resize_file(log, whole.size() / 8 + random() % (whole.size() * 7 / 8));
    journal = MustOpen();
    const auto bookmarks = *journal->Bookmarks();
    ASSERT_EQ(bookmarks.at(StreamId(1)).seq, journal->last());
    ASSERT_EQ(bookmarks.at(StreamId(1)).resource_version, Concat("rv-", journal->last().value));
    journal.reset();
  }
}

TEST_F(JournalTest, BookmarkMovesWithoutEventsAndGoesWhenEmpty) {
  const auto journal = MustOpen();
  AppendObserved(*journal, 2, Fsync::kNo);
  BookmarkUpdate update{.stream = StreamId(1), .resource_version = "900"};
  ASSERT_OK(journal->Append({}, {&update, 1}, Fsync::kNo));
  EXPECT_EQ(journal->Bookmarks()->at(StreamId(1)),
            (Bookmark{.resource_version = "900", .seq = EventSeq(2)}));
  update.resource_version.clear();
  ASSERT_OK(journal->Append({}, {&update, 1}, Fsync::kNo));
  EXPECT_THAT(*journal->Bookmarks(), IsEmpty());
}

TEST_F(JournalTest, DroppedBookmarksStayDropped) {
  auto journal = MustOpen();
  AppendObserved(*journal, 2, Fsync::kNo);
  ASSERT_OK(journal->DropBookmarks());
  EXPECT_EQ(journal->last_synced(), EventSeq(2));
  journal.reset();
  EXPECT_THAT(*MustOpen()->Bookmarks(), IsEmpty());
}

TEST_F(JournalTest, ReadingKeepsToItsRangeAndStopsWhenTold) {
  const auto journal = MustOpen();
  AppendObserved(*journal, 9, Fsync::kNo);
  EXPECT_THAT(Seqs(*journal, 3, 5), ElementsAre(3, 4, 5));
  EXPECT_THAT(Seqs(*journal, 8, 100), ElementsAre(8, 9));
  EXPECT_THAT(Seqs(*journal, 0, 1), ElementsAre(1));
  EXPECT_THAT(Seqs(*journal, 10, 20), IsEmpty());
  EXPECT_THAT(Seqs(*journal, 5, 4), IsEmpty());
  int visited = 0;
  EXPECT_OK(journal->Read(EventSeq(1), EventSeq(9), [&](const Event&) { return ++visited < 4; }));
  EXPECT_EQ(visited, 4);
}

TEST_F(JournalTest, EventsThatAreNotThereAreNotFound) {
  const auto journal = MustOpen();
  AppendObserved(*journal, 1, Fsync::kNo);
  for (uint64_t seq : {0, 2}) {
    EXPECT_THAT(journal->Get(EventSeq(seq)),
                StatusIs(absl::StatusCode::kNotFound, HasSubstr("the last is 1")));
  }
}

TEST_F(JournalTest, SyncsOnlyWhenAskedAndOnlyWhatIsNew) {
  FaultyEnv env;
  JournalOptions options = Options();
  options.env = env.env();
  const auto journal = MustOpen(options);
  int before = env.faults().log_syncs;
  const auto syncs = [&] {
    const int now = env.faults().log_syncs;
    return now - std::exchange(before, now);
  };
  AppendObserved(*journal, 3, Fsync::kNo);
  EXPECT_EQ(syncs(), 0);
  EXPECT_EQ(journal->last_synced(), EventSeq(0));
  AppendObserved(*journal, 1, Fsync::kYes);
  EXPECT_EQ(syncs(), 1);
  EXPECT_EQ(journal->last_synced(), EventSeq(4));
  ASSERT_OK(journal->Sync());
  EXPECT_EQ(syncs(), 0);
  AppendObserved(*journal, 2, Fsync::kNo);
  ASSERT_OK(journal->Sync());
  ASSERT_OK(journal->Sync());
  EXPECT_EQ(syncs(), 1);
  EXPECT_EQ(journal->last_synced(), EventSeq(6));
}

TEST_F(JournalTest, StrictDurabilitySyncsEveryAppend) {
  JournalOptions options = Options();
  options.durability = Durability::kStrict;
  const auto journal = MustOpen(options);
  AppendObserved(*journal, 3, Fsync::kNo);
  EXPECT_EQ(journal->last_synced(), EventSeq(3));
}

TEST_F(JournalTest, SyncedPositionIsNotedWhenAsked) {
  const auto journal = MustOpen();
  EXPECT_EQ((*ReadSynced(directory()))->run, journal->run());
  AppendObserved(*journal, 3, Fsync::kYes);
  AppendObserved(*journal, 3, Fsync::kNo);
  ASSERT_OK(journal->RecordSynced());
  EXPECT_EQ((*ReadSynced(directory()))->seq, EventSeq(3));
  EXPECT_EQ(*ReadSynced(directory()), journal->synced_position());
}

TEST_F(JournalTest, ClosedStoreHasNothingToReplayAndAllOfItNoted) {
  auto journal = MustOpen();
  AppendObserved(*journal, 30, Fsync::kNo);
  ASSERT_OK(journal->Close());
  const Position end = journal->position();
  journal.reset();
  EXPECT_EQ(*ReadSynced(directory()), end);
  EXPECT_EQ(std::filesystem::file_size(LogFile()), 0u);
  EXPECT_EQ(MustOpen()->last(), EventSeq(30));
}

TEST_F(JournalTest, NothingIsWrittenAfterClose) {
  const auto journal = MustOpen();
  ASSERT_OK(journal->Close());
  const Event event = ObservedEvent(EventSeq(1), journal->run());
  EXPECT_THAT(journal->Append({&event, 1}, {}, Fsync::kNo),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is closed")));
  EXPECT_THAT(journal->Sync(), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(JournalTest, ReadOnlyReadsAndChangesNothing) {
  auto journal = MustOpen();
  AppendObserved(*journal, 5, Fsync::kNo);
  Crash(journal);
  const auto before = Files();
  JournalOptions options = Options();
  options.create_if_missing = false;
  options.read_only = true;
  const auto reader = MustOpen(options);
  EXPECT_EQ(reader->run(), RunId(1));
  EXPECT_THAT(Seqs(*reader, 1, 9), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(reader->Sync(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("read-only")));
  EXPECT_THAT(reader->DropBookmarks(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Files(), before);
}

TEST_F(JournalTest, OptionsAreChecked) {
  EXPECT_THAT(Journal::Open({}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("directory is empty")));
  JournalOptions options = Options();
  options.read_only = true;
  EXPECT_THAT(Journal::Open(options), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(JournalTest, WrongNumbersStopTheProcess) {
  const auto journal = MustOpen();
  const Event gap = ObservedEvent(EventSeq(2), journal->run());
  EXPECT_DEATH((void)journal->Append({&gap, 1}, {}, Fsync::kNo), "check failed");
  const Event old_run = ObservedEvent(EventSeq(1), RunId(0));
  EXPECT_DEATH((void)journal->Append({&old_run, 1}, {}, Fsync::kNo), "check failed");
}

}  // namespace
}  // namespace logbook::store
