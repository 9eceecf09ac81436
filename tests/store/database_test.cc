#include "logbook/store/database.h"

#include <fstream>
#include <sstream>
#include <vector>

#include "store_fixture.h"

namespace logbook::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DatabaseTest : public ::testing::Test {
 protected:
  std::unique_ptr<Database> MustOpen() {
    auto database = Database::Open(
        {.directory = temp_ / "db", .create_if_missing = true, .logger = Logger(&sink_)});
    LOGBOOK_CHECK(database.ok());
    return *std::move(database);
  }

  static void Put(Database& database, std::initializer_list<std::string_view> keys) {
    RowBatch batch(database);
    for (std::string_view key : keys) {
      batch.Put(ColumnFamily::kMeta, key, "v");
    }
    ASSERT_OK(database.Write(batch, Fsync::kNo));
  }

  static std::vector<std::string> Keys(const Database& database, std::string_view lower,
                                       std::string_view upper) {
    std::vector<std::string> keys;
    EXPECT_OK(database.Scan(ColumnFamily::kMeta, lower, upper,
                            [&](std::string_view key, std::string_view) {
                              keys.emplace_back(key);
                              return true;
                            }));
    return keys;
  }

  TempDir temp_;
  std::ostringstream log_;
  LogSink sink_{log_, LogLevel::kDebug, SystemClock()};
};

TEST_F(DatabaseTest, ScanKeepsToItsBounds) {
  const auto database = MustOpen();
  Put(*database, {"a", "b", "c", "d"});
  EXPECT_THAT(Keys(*database, "b", "d"), ElementsAre("b", "c"));
  EXPECT_THAT(Keys(*database, "c", ""), ElementsAre("c", "d"));
  EXPECT_EQ(*database->LastKey(ColumnFamily::kMeta), "d");
  EXPECT_EQ(*database->LastKey(ColumnFamily::kEvents), "");
}

TEST_F(DatabaseTest, VisitorsErrorEndsTheScan) {
  const auto database = MustOpen();
  Put(*database, {"a", "b"});
  EXPECT_THAT(database->Scan(ColumnFamily::kMeta, "", "",
                             [](std::string_view, std::string_view) -> absl::StatusOr<bool> {
                               return Internal("enough");
                             }),
              StatusIs(absl::StatusCode::kInternal, "enough"));
}

TEST_F(DatabaseTest, DamagedTableIsAnErrorAndNotTheEnd) {
  {
    const auto database = MustOpen();
    RowBatch batch(*database);
    for (int i = 0; i < 2000; ++i) {
      batch.Put(ColumnFamily::kMeta, Concat("key-", i), Concat("value-", i * 7919));
    }
    ASSERT_OK(database->Write(batch, Fsync::kYes));
    ASSERT_OK(database->Flush());
  }
  for (const auto& entry : std::filesystem::directory_iterator(temp_ / "db")) {
    if (entry.path().extension() == ".sst") {
      std::string bytes = ReadBytes(entry.path().string());
      bytes[bytes.size() / 3] ^= 1;
      WriteBytes(entry.path().string(), bytes);
    }
  }
  const auto database = MustOpen();
  int rows = 0;
  EXPECT_THAT(database->Scan(ColumnFamily::kMeta, "", "",
                             [&](std::string_view, std::string_view) { return ++rows > 0; }),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(".sst")));
  EXPECT_LT(rows, 2000);
  EXPECT_THAT(database->VerifyChecksums(), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(DatabaseTest, RocksDbSpeaksThroughOurLogAndWritesNone) {
  MustOpen().reset();
  EXPECT_THAT(log_.str(), HasSubstr("\"logger\":\"rocksdb\",\"msg\":\"RocksDB says\""));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "db/LOG"));
}

TEST_F(DatabaseTest, ReadOnlyWritesNothing) {
  {
    const auto database = MustOpen();
    Put(*database, {"a"});
  }
  const auto count = [&] {
    return std::distance(std::filesystem::directory_iterator(temp_ / "db"), {});
  };
  const auto files = count();
  const auto database =
      Database::Open({.directory = temp_ / "db", .read_only = true, .logger = {}});
  ASSERT_OK(database);
  EXPECT_THAT(Keys(**database, "", ""), ElementsAre("a"));
  EXPECT_EQ(count(), files);
}

}  // namespace
}  // namespace logbook::store
