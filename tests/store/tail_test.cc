// Damage at the end of a journal: what is forgiven, what is cut off and told, what is refused.
#include "logbook/store/tail.h"

#include <filesystem>

#include "store_fixture.h"

#include "logbook/store/checkpoint.h"
#include "logbook/store/history.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/tail_recovery.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TailTest : public StoreTest {
 protected:
  static constexpr int kSynced = 20;
  static constexpr int kUnsynced = 100;

  // A store killed with kSynced events synced and noted, and kUnsynced behind them.
  void MakeCrashedStore() {
    auto journal = MustOpen();
    AppendObserved(*journal, kSynced, Fsync::kYes);
    ASSERT_OK(journal->RecordSynced());
    AppendObserved(*journal, kUnsynced, Fsync::kNo);
    Crash(journal);
  }

  // Overwrites a page of the log at `part` of its length, as a page that never reached the disk.
  void ZeroPage(double part) {
    std::string log = ReadBytes(LogFile());
    const size_t page = static_cast<size_t>(static_cast<double>(log.size()) * part) / 4096 * 4096;
    log.replace(page, 4096, std::string(4096, '\0'));
    WriteBytes(LogFile(), log);
  }

  void FlipBit(size_t offset) {
    std::string log = ReadBytes(LogFile());
    log[offset] = static_cast<char>(log[offset] ^ 4);
    WriteBytes(LogFile(), log);
  }

  static const Gap& LastGap(const Event& event) { return std::get<Gap>(event.body); }

  // Deletes the row of event `seq`, which RocksDB then knows nothing about.
  void DeleteEvent(uint64_t seq) {
    Tamper([&](const Database&, RowBatch& batch) {
      batch.Delete(ColumnFamily::kEvents, EventRowKey(EventSeq(seq)));
    });
  }
};

TEST_F(TailTest, TornLastWriteIsForgiven) {
  MakeCrashedStore();
  std::filesystem::resize_file(LogFile(), std::filesystem::file_size(LogFile()) - 37);
  EXPECT_EQ(MustOpen()->last(), EventSeq(kSynced + kUnsynced - 1));
  ExpectSound();
}

TEST_F(TailTest, ZeroedPageInTheUnsyncedTailIsCutOffAndTold) {
  MakeCrashedStore();
  ZeroPage(0.6);
  auto journal = MustOpen();
  EXPECT_GT(journal->last(), EventSeq(kSynced));
  EXPECT_LT(journal->last(), EventSeq(kSynced + kUnsynced));
  const absl::StatusOr<Event> last = journal->Get(journal->last());
  ASSERT_OK(last);
  ASSERT_EQ(last->kind(), EventKind::kGap);
  EXPECT_EQ(LastGap(*last).first_missing, last->seq);
  EXPECT_THAT(LastGap(*last).reason, AllOf(HasSubstr(".log: dropping"), HasSubstr("unsynced")));
  EXPECT_THAT(*journal->Bookmarks(), IsEmpty());
  EXPECT_EQ(journal->last_synced(), journal->last());
  EXPECT_FALSE(std::filesystem::exists(directory() + "/db.copy"));
  AppendObserved(*journal, 5, Fsync::kYes);
  const EventSeq end = journal->last();
  journal.reset();
  EXPECT_EQ(MustOpen()->last(), end);
  ExpectSound();
}

TEST_F(TailTest, GarbageAtTheEndIsCutOffToo) {
  MakeCrashedStore();
  std::string log = ReadBytes(LogFile());
  log.replace(log.size() - 100, 100, std::string(100, '\xa5'));
  WriteBytes(LogFile(), log);
  EXPECT_EQ(MustOpen()->last(), EventSeq(kSynced + kUnsynced));  // one lost, one Gap
  ExpectSound();
}

TEST_F(TailTest, FlippedBitInTheSyncedPartIsRefusedNamingFileAndEvent) {
  MakeCrashedStore();
  FlipBit(3000);
  const std::string log = ReadBytes(LogFile());
  for (int i = 0; i < 2; ++i) {  // and nothing is changed by refusing
    EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                    AllOf(HasSubstr(".log: dropping"), HasSubstr("ends at event"),
                                          HasSubstr(Concat("event ", kSynced, " had been synced")),
                                          HasSubstr("restore it from a copy"))));
  }
  EXPECT_EQ(ReadBytes(LogFile()), log);
  EXPECT_FALSE(std::filesystem::exists(directory() + "/db.copy"));
}

TEST_F(TailTest, LostLogIsRefused) {
  MakeCrashedStore();
  std::filesystem::remove(LogFile());
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                  HasSubstr("ends at event 0, but event 20 had been synced")));
}

TEST_F(TailTest, OlderCopyOfTheDatabaseIsRefused) {
  auto journal = MustOpen();
  AppendObserved(*journal, 5, Fsync::kYes);
  ASSERT_OK(journal->Close());
  journal.reset();
  const std::string older = temp_ / "older";
  std::filesystem::copy(directory() + "/db", older, std::filesystem::copy_options::recursive);
  journal = MustOpen();
  AppendObserved(*journal, 5, Fsync::kYes);
  ASSERT_OK(journal->Close());
  journal.reset();
  std::filesystem::remove_all(directory() + "/db");
  std::filesystem::rename(older, directory() + "/db");
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("event 10")));
}

TEST_F(TailTest, MissingSyncedEventIsRefusedByNumber) {
  MakeCrashedStore();
  DeleteEvent(7);
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("event 7 is missing")));
}

TEST_F(TailTest, AlteredSyncedEventIsRefusedByNumber) {
  MakeCrashedStore();
  Tamper([](const Database& database, RowBatch& batch) {
    std::string record = *database.Get(ColumnFamily::kEvents, EventRowKey(EventSeq(9)));
    record.back() = ' ';
    batch.Put(ColumnFamily::kEvents, EventRowKey(EventSeq(9)), record);
  });
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                  HasSubstr("event 9 does not follow the one before it")));
}

TEST_F(TailTest, ExchangedSyncedEventIsRefused) {
  MakeCrashedStore();
  Tamper([](const Database& database, RowBatch& batch) {
    batch.Put(ColumnFamily::kEvents, EventRowKey(EventSeq(kSynced)),
              *database.Get(ColumnFamily::kEvents, EventRowKey(EventSeq(kSynced - 1))));
  });
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                  HasSubstr("event 20 is not the one that was synced")));
}

TEST_F(TailTest, HoleInTheUnsyncedTailIsCutOffWithWhatWasDerivedFromIt) {
  constexpr uint64_t kMissing = 50;
  MakeCrashedStore();
  {
    const auto journal = MustOpen();
    auto view = std::make_shared<ViewState>();
    view->seq = journal->last();
    view->PutObject(kApps, {.object = MakeObject({}), .seq = view->seq, .stream = StreamId(1)});
    ASSERT_OK(WriteCheckpoint(*journal, {.state = view, .everything = true}));
  }
  // As if the last opening had not been: opening syncs.
  ASSERT_OK(WriteSynced(directory(), Position{.seq = {}, .run = RunId(2)}));
  DeleteEvent(kMissing);
  const auto journal = MustOpen();
  EXPECT_EQ(journal->last(), EventSeq(kMissing));
  EXPECT_EQ(journal->Get(EventSeq(kMissing))->kind(), EventKind::kGap);
  const absl::StatusOr<ViewState> state = LoadState(*journal);
  ASSERT_OK(state);
  EXPECT_EQ(state->seq, EventSeq(0));
  EXPECT_TRUE(state->objects.empty());
  EXPECT_THAT(*journal->Bookmarks(), IsEmpty());
  int rows = 0;
  EXPECT_OK(journal->database().Scan(ColumnFamily::kHistory, "", "",
                                     [&](std::string_view key, std::string_view) {
                                       EXPECT_LT(ParseNamedSeqRowKey(key)->seq, EventSeq(kMissing));
                                       return ++rows > 0;
                                     }));
  EXPECT_EQ(rows, kMissing - 1);
}

TEST_F(TailTest, RecordOfANewerBuildIsNoDamage) {
  MakeCrashedStore();
  Tamper([](const Database& database, RowBatch& batch) {
    const std::string key = EventRowKey(EventSeq(kSynced + kUnsynced));
    std::string record = *database.Get(ColumnFamily::kEvents, key);
    record[0] = 2;
    batch.Put(ColumnFamily::kEvents, key, record);
  });
  EXPECT_THAT(TryOpen(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("record format 2")));
}

TEST_F(TailTest, WithoutSyncedASoundJournalOpensAndABrokenOneDoesNot) {
  MakeCrashedStore();
  std::filesystem::remove(directory() + "/SYNCED");
  EXPECT_EQ(MustOpen()->last(), EventSeq(kSynced + kUnsynced));
  std::filesystem::remove(directory() + "/SYNCED");
  DeleteEvent(kSynced + 50);
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(TailTest, DamagedSyncedIsRefused) {
  MakeCrashedStore();
  WriteBytes(directory() + "/SYNCED", std::string(80, '\0'));
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("SYNCED is damaged")));
}

TEST_F(TailTest, ReadOnlyOpeningCutsNothing) {
  MakeCrashedStore();
  ZeroPage(0.6);
  const auto before = Files();
  JournalOptions options = Options();
  options.create_if_missing = false;
  options.read_only = true;
  EXPECT_THAT(Journal::Open(options), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(Files(), before);
}

TEST_F(TailTest, RunsAreNotNumberedTwiceAlthoughTheirRowIsLost) {
  auto journal = MustOpen();
  AppendObserved(*journal, 1, Fsync::kYes);
  ASSERT_OK(journal->Close());
  journal = nullptr;
  journal = MustOpen();
  ASSERT_EQ(journal->run(), RunId(2));
  AppendObserved(*journal, 5, Fsync::kNo);
  Crash(journal);
  FlipBit(20);  // the row of run 2, first in the log
  EXPECT_EQ(MustOpen()->run(), RunId(3));
}

TEST_F(TailTest, CopyLeftByACrashIsRemoved) {
  MakeCrashedStore();
  std::filesystem::copy(directory() + "/db", directory() + "/db.copy",
                        std::filesystem::copy_options::recursive);
  MustOpen().reset();
  EXPECT_FALSE(std::filesystem::exists(directory() + "/db.copy"));
}

TEST_F(TailTest, LongJournalsAreCheckedFromNearTheirEnd) {
  const auto journal = MustOpen();
  std::vector<Event> events;
  for (uint64_t seq = 1; seq <= kTailRecords + 50; ++seq) {
    events.push_back(ObservedEvent(EventSeq(seq), journal->run()));
  }
  ASSERT_OK(journal->Append(events, {}, Fsync::kYes));
  const absl::StatusOr<Tail> tail =
      CheckTail(journal->database(), journal->synced_position(), Position());
  ASSERT_OK(tail);
  EXPECT_OK(tail->broken);
  EXPECT_EQ(tail->good.chain, journal->chain());
}

}  // namespace
}  // namespace logbook::store
