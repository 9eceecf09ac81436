#include "logbook/store/verify.h"

#include <filesystem>
#include <functional>

#include "store_fixture.h"

#include "logbook/store/checkpoint.h"
#include "logbook/store/key_codec.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class VerifyTest : public StoreTest {
 protected:
  // Observations, a decision with two effects and their outcomes, and a checkpoint of it all.
  void SetUp() override {
    const auto journal = MustOpen();
    AppendObserved(*journal, 10, Fsync::kNo);
    const std::vector<Event> events = {
        DecidedEvent(EventSeq(11), journal->run(), {}, 2),
        OutcomeEvent(EventSeq(12), journal->run(), {}, EventSeq(11), 0),
        OutcomeEvent(EventSeq(13), journal->run(), {}, EventSeq(11), 1)};
    ASSERT_OK(journal->Append(events, {}, Fsync::kNo));
    auto view = std::make_shared<ViewState>();
    view->seq = EventSeq(12);
    view->PutObject(kApps, {.object = MakeObject({}), .seq = EventSeq(10), .stream = {}});
    view->keys.Set(KeyPath(AppKey()), std::make_shared<const KeyState>());
    view->streams.Set(StreamId(1), {});
    ASSERT_OK(WriteCheckpoint(*journal, {.state = view, .everything = true}));
    ASSERT_OK(journal->Close());
  }

  // Puts other content into an event's record, with a chain value that fits its neighbours or not.
  static void Replace(const Database& database, RowBatch& batch, uint64_t seq, Event event) {
    RecordCodec codec;
    Chain chain = *ChainOf(*database.Get(ColumnFamily::kEvents, EventRowKey(EventSeq(seq - 1))));
    batch.Put(ColumnFamily::kEvents, EventRowKey(EventSeq(seq)), codec.Encode(event, chain));
  }

  // Verification finds exactly something of `check`, saying `text`.
  void ExpectFinding(const std::string& check, const std::string& text) const {
    const VerifyReport report = Verify();
    EXPECT_THAT(report.findings, Contains(AllOf(Field(&Finding::check, check),
                                                Field(&Finding::text, HasSubstr(text)))))
        << ::testing::PrintToString(report.findings.size()) << " findings, first: "
        << (report.ok() ? "none" : report.findings[0].check + ": " + report.findings[0].text);
  }
};

TEST_F(VerifyTest, SoundStoreHasNoFindings) {
  const VerifyReport report = Verify();
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.events, 13u);
  EXPECT_EQ(report.position.seq, EventSeq(13));
  EXPECT_GT(report.rows, 12u);
}

TEST_F(VerifyTest, EachSeededDamageIsFound) {
  const EventSeq beyond(99);
  v1::BookmarkRow bookmark;
  bookmark.set_seq(beyond.value);

  const struct {
    std::function<void(const Database&, RowBatch&)> damage;
    std::string check;
    std::string text;
  } cases[] = {
      {[](const Database&, RowBatch& batch) {
         batch.Delete(ColumnFamily::kEvents, EventRowKey(EventSeq(4)));
       },
       "contiguous", "events 4 to 4 are missing"},
      {[](const Database& database, RowBatch& batch) {
         batch.Put(ColumnFamily::kEvents, EventRowKey(EventSeq(14)),
                   *database.Get(ColumnFamily::kEvents, EventRowKey(EventSeq(13))));
       },
       "contiguous", "event 14 calls itself 13"},
      {[](const Database& database, RowBatch& batch) {
         Replace(database, batch, 5, ObservedEvent(EventSeq(5), RunId(1), {.name = "app-4"}));
       },
       "chain", "event 6 does not follow event 5"},
      {[](const Database&, RowBatch& batch) {
         batch.Put(ColumnFamily::kEvents, EventRowKey(EventSeq(14)), "short");
       },
       "readable", "event after 13"},
      {[](const Database& database, RowBatch& batch) {
         Event event = MakeEvent(EventSeq(14), RunId(1), Marked{});
         event.causes = {EventSeq(14)};
         Replace(database, batch, 14, event);
       },
       "causes", "event 14 names cause 14"},
      {[](const Database& database, RowBatch& batch) {
         Replace(database, batch, 14, MakeEvent(EventSeq(14), RunId(0), Marked{}));
       },
       "run", "event 14 is of run 0"},
      {[](const Database& database, RowBatch& batch) {
         Replace(database, batch, 14, OutcomeEvent(EventSeq(14), RunId(1), {}, EventSeq(11), 2));
       },
       "outcomes", "outcome of effect 2 of event 11"},
      {[](const Database& database, RowBatch& batch) {
         Replace(database, batch, 14, OutcomeEvent(EventSeq(14), RunId(1), {}, EventSeq(10), 0));
       },
       "outcomes", "of event 10"},
      {[&](const Database&, RowBatch& batch) {
         batch.Put(ColumnFamily::kMeta, StreamRowKey(kMetaBookmarkPrefix, StreamId(2)),
                   bookmark.SerializeAsString());
       },
       "bookmarks", "is of event 99"},
      {[](const Database&, RowBatch& batch) {
         batch.Put(ColumnFamily::kMeta, kMetaStateSeq, EncodeNumber(99));
       },
       "meta", "state_seq is 99"},
      {[](const Database&, RowBatch& batch) {
         batch.Put(ColumnFamily::kMeta, kMetaRun, EncodeNumber(0));
       },
       "meta", "run is 0"},
      {[](const Database&, RowBatch& batch) {
         batch.Put(ColumnFamily::kMeta, kMetaStore, "another");
       },
       "meta", "the database is of store another"},
      {[](const Database&, RowBatch& batch) {
         batch.Put(ColumnFamily::kState, KeyRowKey(AppKey()), "\xff\xff");
       },
       "state", "unreadable row"},
      {[](const Database& database, RowBatch& batch) {
         batch.Put(ColumnFamily::kState, ObjectRowKey(kApps, {"default", "other"}),
                   *database.Get(ColumnFamily::kState, ObjectRowKey(kApps, {"default", "web"})));
       },
       "state", "holds object default/web"},
      {[](const Database&, RowBatch& batch) {
         batch.Delete(ColumnFamily::kHistory,
                      NamedSeqRowKey(kApps, {"default", "app-2"}, EventSeq(3)));
       },
       "history", "event 3 has no row for simpleapps.apps.bootcamp.local default/app-2"},
      {[](const Database& database, RowBatch& batch) {
         batch.Put(ColumnFamily::kHistory, NamedSeqRowKey(kApps, {"default", "app-2"}, EventSeq(4)),
                   *database.Get(ColumnFamily::kHistory,
                                 NamedSeqRowKey(kApps, {"default", "app-2"}, EventSeq(3))));
       },
       "history", "event 4 is not that about it"},
      {[](const Database& database, RowBatch& batch) {
         batch.Put(ColumnFamily::kHistory,
                   NamedSeqRowKey(kApps, {"default", "app-2"}, EventSeq(99)),
                   *database.Get(ColumnFamily::kHistory,
                                 NamedSeqRowKey(kApps, {"default", "app-2"}, EventSeq(3))));
       },
       "history", "there is no event 99"},
      {[](const Database&, RowBatch& batch) {
         v1::NameRow row;
         row.set_uid("stranger");
         batch.Put(ColumnFamily::kNames, NamedSeqRowKey(kApps, {"default", "app-2"}, EventSeq(3)),
                   row.SerializeAsString());
       },
       "names", "names stranger, history names uid-2"},
  };

  const std::string sound = temp_ / "sound";
  std::filesystem::copy(directory(), sound, std::filesystem::copy_options::recursive);
  for (const auto& c : cases) {
    std::filesystem::remove_all(directory());
    std::filesystem::copy(sound, directory(), std::filesystem::copy_options::recursive);
    ASSERT_TRUE(Verify().ok());
    Tamper(c.damage);
    ExpectFinding(c.check, c.text);
  }
}

TEST_F(VerifyTest, SyncedAheadOrAsideIsFound) {
  Position synced = **ReadSynced(directory());
  synced.chain[0] ^= 1;
  ASSERT_OK(WriteSynced(directory(), synced));
  ExpectFinding("synced", "event 13 is not the one that was synced");
  synced.seq = EventSeq(50);
  ASSERT_OK(WriteSynced(directory(), synced));
  ExpectFinding("synced", "event 50 had been synced");
  std::filesystem::remove(directory() + "/SYNCED");
  ExpectFinding("synced", "SYNCED is missing");
}

TEST_F(VerifyTest, LostFilesAreFound) {
  std::filesystem::remove_all(directory() + "/db");
  ExpectFinding("files", "lost its database");
}

TEST_F(VerifyTest, MissingCurrentIsAFinding) {
  std::filesystem::remove(directory() + "/db/CURRENT");
  ExpectFinding("database", "CURRENT");
}

TEST_F(VerifyTest, MissingManifestIsAFinding) {
  for (const auto& [file, unused] : Files()) {
    if (file.find("MANIFEST") != std::string::npos) {
      std::filesystem::remove(file);
    }
  }
  ExpectFinding("database", "MANIFEST");
}

TEST_F(VerifyTest, DamagedTextFilesDoNotEndIt) {
  Tamper([](const Database&, RowBatch& batch) {
    batch.Delete(ColumnFamily::kEvents, EventRowKey(EventSeq(4)));
  });
  WriteBytes(directory() + "/SYNCED", "sequel: 7\n");
  ExpectFinding("synced", "SYNCED is damaged");
  ExpectFinding("contiguous", "events 4 to 4 are missing");
  WriteBytes(directory() + "/FORMAT", "format: 1.0\nsture: x\n");
  ExpectFinding("files", "FORMAT is damaged");
  ExpectFinding("synced", "SYNCED is damaged");
  ExpectFinding("contiguous", "events 4 to 4 are missing");
  std::filesystem::remove(directory() + "/FORMAT");
  ExpectFinding("files", "no FORMAT");
  ExpectFinding("contiguous", "events 4 to 4 are missing");
}

TEST_F(VerifyTest, InterruptedCreationIsNoStoreYet) {
  std::filesystem::remove_all(directory() + "/db");
  std::filesystem::remove(directory() + "/SYNCED");
  EXPECT_THAT(VerifyStore({.directory = directory()}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("logbook log init")));
}

TEST_F(VerifyTest, DatabaseThatDoesNotOpenIsAFinding) {
  {
    auto journal = MustOpen();
    AppendObserved(*journal, 30, Fsync::kYes);
    Crash(journal);
  }
  std::string log = ReadBytes(LogFile());
  log[log.size() / 2] = static_cast<char>(log[log.size() / 2] ^ 1);
  WriteBytes(LogFile(), log);
  ExpectFinding("database", ".log: dropping");
}

// With table files and their MANIFEST, and with the log that is written to.
TEST_F(VerifyTest, AnyLostFileOfTheDatabaseIsAFinding) {
  const auto journal = MustOpen();
  AppendObserved(*journal, 3, Fsync::kYes);
  ASSERT_OK(journal->RecordSynced());
  int lost = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory() + "/db")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("OPTIONS") || name == "IDENTITY" || entry.file_size() == 0) {
      continue;  // says nothing that would be missed
    }
    const std::string copy = temp_ / Concat("without-", name);
    std::filesystem::copy(directory(), copy, std::filesystem::copy_options::recursive);
    std::filesystem::remove(copy + "/db/" + name);
    const absl::StatusOr<VerifyReport> report = VerifyStore({.directory = copy});
    ASSERT_OK(report) << name;
    EXPECT_FALSE(report->ok()) << name;
    ++lost;
  }
  EXPECT_GT(lost, 3);
}

TEST_F(VerifyTest, DamagedSyncedDoesNotEndTheLooking) {
  WriteBytes(directory() + "/SYNCED", "seq: 12\nrun: 1\nchain: zz\n");
  Tamper([](const Database&, RowBatch& batch) {
    batch.Delete(ColumnFamily::kEvents, EventRowKey(EventSeq(5)));
  });
  ExpectFinding("synced", directory() + "/SYNCED");
  ExpectFinding("contiguous", "events 5 to 5 are missing");
}

TEST_F(VerifyTest, FlippedBitInATableIsFound) {
  std::string table;
  for (const auto& entry : std::filesystem::directory_iterator(directory() + "/db")) {
    if (entry.path().extension() == ".sst" &&
        (table.empty() || entry.file_size() > std::filesystem::file_size(table))) {
      table = entry.path().string();
    }
  }
  std::string bytes = ReadBytes(table);
  bytes[100] = static_cast<char>(bytes[100] ^ 1);  // in its first block of rows
  WriteBytes(table, bytes);
  ExpectFinding("tables", table);
}

TEST_F(VerifyTest, ManyFindingsOfOneKindAreCounted) {
  Tamper([](const Database&, RowBatch& batch) {
    for (uint64_t seq = 14; seq < 60; ++seq) {
      batch.Put(ColumnFamily::kEvents, EventRowKey(EventSeq(seq)), "short");
    }
  });
  const VerifyReport report = Verify();
  EXPECT_THAT(report.findings, SizeIs(VerifyReport::kFindingsMax));
  EXPECT_EQ(report.findings_dropped, 46u - VerifyReport::kFindingsMax);
}

TEST_F(VerifyTest, NoStoreAndStoreInUseAreErrors) {
  EXPECT_THAT(VerifyStore({.directory = temp_ / "none"}), StatusIs(absl::StatusCode::kNotFound));
  const auto journal = MustOpen();
  EXPECT_THAT(VerifyStore({.directory = directory()}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("in use")));
}

}  // namespace
}  // namespace logbook::store
