#include "logbook/store/log_order.h"

#include <filesystem>

#include "store_fixture.h"
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "logbook/store/log_fragments.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The bytes of a log that RocksDB wrote: `writes` of one row each.
std::string LogOf(const std::string& directory, int writes) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  EXPECT_TRUE(rocksdb::DB::Open(options, directory, &db).ok());
  for (int i = 0; i < writes; ++i) {
    EXPECT_TRUE(db->Put({}, "key", std::string(3000, 'x')).ok());
  }
  std::string log;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    log = entry.path().extension() == ".log" ? ReadBytes(entry.path().string()) : log;
  }
  delete db;
  return log;
}

TEST(LogOrderTest, ChecksumIsRocksDbs) {
  // "123456789" has CRC-32C e3069283 by its definition.
  constexpr uint32_t kCrc = 0xe3069283;
  EXPECT_EQ(MaskedCrc32c("123456789"), (kCrc >> 15 | kCrc << 17) + 0xa282ead8);
}

TEST(LogOrderTest, RangeOfALogIsThatOfItsWrites) {
  const TempDir dir;
  EXPECT_EQ(RangeOfLog(LogOf(dir / "db", 50)), (LogRange{.first = 1, .end = 51}));
  EXPECT_EQ(RangeOfLog(""), std::nullopt);
  EXPECT_EQ(RangeOfLog(std::string(100, '\0')), std::nullopt);
}

TEST(LogOrderTest, DamagedWritesDoNotCount) {
  const TempDir dir;
  std::string log = LogOf(dir / "db", 5);
  log[7] = '\x7f';  // the sequence number of the first
  EXPECT_EQ(RangeOfLog(log), (LogRange{.first = 2, .end = 6}));
  log.resize(log.size() - 1);  // the last one is torn
  EXPECT_EQ(RangeOfLog(log), (LogRange{.first = 2, .end = 5}));
}

TEST(LogOrderTest, LogsOutOfOrderAreNamed) {
  const TempDir dir;
  const std::string log = LogOf(dir / "db", 5);
  WriteBytes(dir / "000004.log", log);
  EXPECT_OK(CheckLogOrder(dir.path()));
  WriteBytes(dir / "000007.log", log);
  EXPECT_THAT(CheckLogOrder(dir.path()),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("000007.log begins at write 1"),
                             HasSubstr("000004.log before it ends at write 6"))));
}

}  // namespace
}  // namespace logbook::store
