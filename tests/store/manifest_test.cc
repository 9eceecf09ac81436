#include "logbook/store/manifest.h"

#include <filesystem>

#include "store_fixture.h"

namespace logbook::store {
namespace {

using ::testing::HasSubstr;

class ManifestTest : public StoreTest {
 protected:
  std::string Manifest() const {
    std::string current = ReadBytes(directory() + "/db/CURRENT");
    current.pop_back();
    return directory() + "/db/" + current;
  }

  // Changes the byte that is so far before the end.
  void Spoil(size_t before_end) const {
    std::string bytes = ReadBytes(Manifest());
    ASSERT_GT(bytes.size(), before_end);
    bytes[bytes.size() - before_end] ^= 0x5a;
    WriteBytes(Manifest(), bytes);
  }
};

TEST_F(ManifestTest, RecordsOfRocksDbAreWhole) {
  auto journal = MustOpen();
  AppendObserved(*journal, 20, Fsync::kNo);
  ASSERT_OK(journal->Close());
  const std::string bytes = ReadBytes(Manifest());
  ASSERT_GT(bytes.size(), 100u);
  EXPECT_EQ(WholeRecordBytes(bytes), bytes.size());
  EXPECT_LT(WholeRecordBytes(bytes.substr(0, bytes.size() - 1)), bytes.size() - 1);
  EXPECT_EQ(WholeRecordBytes(bytes + std::string(100, '\0')), bytes.size());
  EXPECT_EQ(WholeRecordBytes(bytes + "noise that is longer than a header"), bytes.size());
  EXPECT_EQ(WholeRecordBytes(""), 0u);
}

TEST_F(ManifestTest, RecordsThatSpanBlocksAreWholeAtTheirEnd) {
  constexpr size_t kBlocks = 2 * 32768;
  MustOpen().reset();
  auto database = Database::Open({.directory = directory() + "/db", .logger = {}});
  ASSERT_OK(database);
  while (std::filesystem::file_size(Manifest()) < kBlocks) {  // one record for each flush
    RowBatch batch(**database);
    batch.Put(ColumnFamily::kState, std::string(2000, 'k'), "row");
    ASSERT_OK((*database)->Write(batch, Fsync::kNo));
    ASSERT_OK((*database)->Flush());
  }
  const std::string bytes = ReadBytes(Manifest());
  EXPECT_EQ(WholeRecordBytes(bytes), bytes.size());
}

// A power cut while tables were being noted: the log still has what is in them.
TEST_F(ManifestTest, SpoiledLastRecordIsCutOffAndToldOfByAGap) {
  auto journal = MustOpen();
  AppendObserved(*journal, 20, Fsync::kYes);
  ASSERT_OK(journal->RecordSynced());
  const Chain chain = journal->chain();
  Crash(journal);
  WriteBytes(Manifest(), ReadBytes(Manifest()) + "\1\2\3\4\5" + std::string(1, '\0') +
                             "\1 a record with another checksum");
  journal = MustOpen();
  EXPECT_EQ(journal->last(), EventSeq(21));
  EXPECT_EQ(*ChainOf(*journal->GetRecord(EventSeq(20))), chain);
  EXPECT_EQ(journal->Get(EventSeq(21))->kind(), EventKind::kGap);
  EXPECT_TRUE(journal->Bookmarks()->empty());
  ASSERT_OK(journal->Close());
  journal.reset();
  ExpectSound();
}

// Its tables hold what was synced, and the log does not have it any more.
TEST_F(ManifestTest, SpoiledRecordThatIsNeededIsRefused) {
  auto journal = MustOpen();
  AppendObserved(*journal, 20, Fsync::kYes);
  ASSERT_OK(journal->Close());
  journal.reset();
  Spoil(20);
  const auto before = Files();
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("MANIFEST")));
  EXPECT_EQ(Files(), before);
}

TEST_F(ManifestTest, CurrentThatNamesNoManifestIsRefusedAsDamage) {
  auto journal = MustOpen();
  AppendObserved(*journal, 20, Fsync::kYes);
  ASSERT_OK(journal->Close());
  journal.reset();
  for (std::string_view text : {"# This is a file\n", "MANIFEST-\n", "MANIFEST-12x\n", "\n", ""}) {
    WriteBytes(directory() + "/db/CURRENT", text);
    EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss)) << text;
  }
}

}  // namespace
}  // namespace logbook::store
