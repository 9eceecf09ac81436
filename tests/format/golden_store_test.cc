// What an earlier build wrote is read, and what a later one wrote is read as far as it may be.
#include "golden_store.h"

#include <filesystem>
#include <map>

#include "corruption/contents.h"
#include "store/store_fixture.h"

#include "logbook/reconcile/fold.h"
#include "logbook/store/inspect.h"
#include "logbook/store/key_codec.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Each event as the codec of this build writes it, so that events can be compared.
std::vector<std::string> Encoded(const std::vector<Event>& events) {
  RecordCodec codec;
  std::vector<std::string> records;
  for (const Event& event : events) {
    Chain chain = {};
    records.push_back(codec.Encode(event, chain));
  }
  return records;
}

class GoldenStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    fs::copy(LOGBOOK_SOURCE_DIR "/tests/golden/store-1.0", directory(),
             fs::copy_options::recursive);
  }

  // Names, contents and times of everything.
  std::map<std::string, std::pair<std::string, fs::file_time_type>> Everything() const {
    std::map<std::string, std::pair<std::string, fs::file_time_type>> all;
    for (const auto& entry : fs::recursive_directory_iterator(directory())) {
      all[entry.path().string()] = {entry.is_regular_file() ? ReadBytes(entry.path().string()) : "",
                                    entry.last_write_time()};
    }
    all[directory()].second = fs::last_write_time(directory());
    return all;
  }

  void AppendLine(const std::string& file, const std::string& line) const {
    const std::string path = directory() + "/" + file;
    WriteBytes(path, ReadBytes(path) + line);
  }

  void SetVersion(const std::string& version) const {
    std::string text = ReadBytes(directory() + "/FORMAT");
    text.replace(0, text.find('\n'), "format: " + version);
    WriteBytes(directory() + "/FORMAT", text);
  }
};

std::vector<Event> ReadAll(const Journal& journal) {
  std::vector<Event> events;
  EXPECT_OK(journal.Read(EventSeq(1), journal.last(), [&](const Event& event) {
    events.push_back(event);
    return true;
  }));
  return events;
}

TEST_F(GoldenStoreTest, IsVerified) {
  ExpectSound();
  EXPECT_EQ(Verify().events, GoldenEvents().size());
}

TEST_F(GoldenStoreTest, HoldsTheStoryItWasMadeOf) {
  const auto journal = OpenOffline(directory(), {});
  ASSERT_OK(journal);
  EXPECT_EQ((*journal)->format().uuid, kGoldenUuid);
  EXPECT_EQ((*journal)->run(), RunId(2));
  EXPECT_EQ((*journal)->last_synced(), EventSeq(GoldenEvents().size()));
  EXPECT_EQ(Encoded(ReadAll(**journal)), Encoded(GoldenEvents()));
  const Bookmarks expected = {{kGoldenStream, GoldenBookmark()}};
  EXPECT_EQ(*(*journal)->Bookmarks(), expected);
}

TEST_F(GoldenStoreTest, IsReplayedToTheSameViewAndHistories) {
  const auto journal = OpenOffline(directory(), {});
  ASSERT_OK(journal);
  reconcile::Fold fold{ViewState()};
  for (const Event& event : GoldenEvents()) {
    fold.Apply(event);
  }
  const Histories histories = HistoriesOf(Encoded(GoldenEvents()), (*journal)->last());
  const absl::StatusOr<Contents> contents = ReadContents(**journal, histories);
  ASSERT_OK(contents);
  EXPECT_OK(contents->rows_refused);
  EXPECT_EQ(contents->view, RowsOf(fold.state()));
  EXPECT_EQ(contents->histories, histories);
}

TEST_F(GoldenStoreTest, GoesOnInThisBuild) {
  {
    const auto journal = MustOpen();
    EXPECT_EQ(journal->run(), RunId(3));
    AppendObserved(*journal, 3, Fsync::kYes);
    ASSERT_OK(journal->Close());
  }
  ExpectSound();
  EXPECT_EQ(Verify().events, GoldenEvents().size() + 3);
}

TEST_F(GoldenStoreTest, NewerMajorVersionIsRefusedAndNotTouched) {
  SetVersion("2.0");
  const auto before = Everything();
  const auto newer = StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("has format 2.0"));
  EXPECT_THAT(TryOpen(), newer);
  EXPECT_THAT(OpenOffline(directory(), {}).status(), newer);
  EXPECT_THAT(VerifyStore({.directory = directory()}).status(), newer);
  EXPECT_EQ(Everything(), before);
}

// The record of `event` as a newer minor version may write it: with flags and header fields that
// this build does not know.
std::string RecordOfNewerMinor(const Event& event, const Chain& previous) {
  RecordCodec codec;
  Chain unused = previous;
  std::string record = codec.Encode(event, unused);
  const size_t body = ParseRecordFixed(record)->body_offset;
  const std::string_view field("\xf8\x7f\x2a", 3);  // number 2047, the varint 42
  record.insert(body, field);
  record[2] = '\x40';
  record[3] = '\x80';
  record[4] = static_cast<char>(body + field.size());
  record[5] = static_cast<char>((body + field.size()) >> 8);
  const std::string_view bytes(record);
  const Sha256Digest digest =
      Sha256().Digest({{reinterpret_cast<const char*>(previous.data()), previous.size()},
                       bytes.substr(0, kRecordChainOffset),
                       bytes.substr(kRecordFixedBytes)});
  std::copy_n(digest.begin(), previous.size(), record.begin() + kRecordChainOffset);
  return record;
}

TEST_F(GoldenStoreTest, NewerMinorVersionIsOpenedAndItsAdditionsAreSkipped) {
  SetVersion("1.7");
  AppendLine("FORMAT", "colour: blue\n");
  AppendLine("SYNCED", "mood: good\n");
  const EventSeq seq(GoldenEvents().size() + 1);
  const Event event = ObservedEvent(seq, RunId(2), {.name = "newer"});
  Tamper([&](const Database& database, RowBatch& batch) {
    const Chain chain =
        *ChainOf(*database.Get(ColumnFamily::kEvents, EventRowKey(EventSeq(seq.value - 1))));
    batch.Put(ColumnFamily::kEvents, EventRowKey(seq), RecordOfNewerMinor(event, chain));
    batch.Put(ColumnFamily::kMeta, "weather", "rain");
  });
  ExpectSound();
  const auto journal = MustOpen();
  EXPECT_EQ(journal->format().version, (FormatVersion{.major_number = 1, .minor_number = 7}));
  std::vector<Event> expected = GoldenEvents();
  expected.push_back(event);
  EXPECT_EQ(Encoded(ReadAll(*journal)), Encoded(expected));
  AppendObserved(*journal, 1, Fsync::kYes);
  EXPECT_THAT(ReadBytes(directory() + "/FORMAT"), HasSubstr("colour: blue"));
}

// Else the store in tests/golden is not what the format's version says, and must be made anew or
// the version be raised.
TEST_F(GoldenStoreTest, ThisBuildWritesItTheSame) {
  const std::string again = temp_ / "again";
  ASSERT_OK(WriteGoldenStore(again));
  const auto old_journal = OpenOffline(directory(), {});
  const auto new_journal = OpenOffline(again, {});
  ASSERT_OK(old_journal);
  ASSERT_OK(new_journal);
  EXPECT_EQ((*old_journal)->chain(), (*new_journal)->chain());
}

}  // namespace
}  // namespace logbook::store
