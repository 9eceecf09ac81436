#include "logbook/store/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include "logbook/base/log.h"
#include "logbook/store/info_log.h"

namespace logbook::store {
namespace {

rocksdb::DBOptions Options(WalRecovery recovery = WalRecovery::kTolerateTornTail) {
  return MakeDbOptions(MakeInfoLog(Logger()), nullptr, recovery);
}

TEST(OptionsTest, DamageIsRefused) {
  const rocksdb::DBOptions options = Options();
  EXPECT_EQ(options.wal_recovery_mode, rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords);
  EXPECT_TRUE(options.track_and_verify_wals_in_manifest);
  EXPECT_TRUE(options.verify_sst_unique_id_in_manifest);
  EXPECT_TRUE(options.paranoid_checks);
  EXPECT_TRUE(options.atomic_flush);
}

TEST(OptionsTest, OnlyRecoveryStopsAtDamage) {
  EXPECT_EQ(Options(WalRecovery::kPointInTime).wal_recovery_mode,
            rocksdb::WALRecoveryMode::kPointInTimeRecovery);
}

TEST(OptionsTest, LogIsBoundedAndMemtablesDoNotFlushBeforeIt) {
  EXPECT_EQ(Options().max_total_wal_size, uint64_t{16} << 20);
  for (const rocksdb::ColumnFamilyOptions& family : MakeColumnFamilyOptions()) {
    EXPECT_GT(family.write_buffer_size, Options().max_total_wal_size);
  }
}

TEST(OptionsTest, RocksDbNeverResumesByItself) {
  EXPECT_EQ(Options().max_bgerror_resume_count, 0);
}

TEST(OptionsTest, WhatIsBrokenInOldReleasesIsOff) {
  const rocksdb::DBOptions options = Options();
  EXPECT_FALSE(options.allow_2pc);
  EXPECT_FALSE(options.enable_pipelined_write);
  EXPECT_FALSE(options.manual_wal_flush);
  EXPECT_FALSE(options.two_write_queues);
  EXPECT_FALSE(options.unordered_write);
  EXPECT_EQ(options.recycle_log_file_num, 0u);
  EXPECT_EQ(options.wal_compression, rocksdb::kNoCompression);
  EXPECT_EQ(options.WAL_ttl_seconds, 0u);
  EXPECT_EQ(options.WAL_size_limit_MB, 0u);
}

TEST(OptionsTest, BackgroundWorkIsAsRocksDbHasIt) {
  const rocksdb::DBOptions defaults;
  EXPECT_EQ(Options().max_background_jobs, defaults.max_background_jobs);
  EXPECT_EQ(Options().max_background_flushes, defaults.max_background_flushes);
  EXPECT_EQ(MakeColumnFamilyOptions()[0].max_write_buffer_number, 2);
}

TEST(OptionsTest, OwnLogIsSet) {
  EXPECT_NE(Options().info_log, nullptr);
}

TEST(OptionsTest, FamiliesHaveNoExtractorFilterOrFifo) {
  for (const rocksdb::ColumnFamilyOptions& family : MakeColumnFamilyOptions()) {
    EXPECT_EQ(family.prefix_extractor, nullptr);
    EXPECT_EQ(family.memtable_insert_with_hint_prefix_extractor, nullptr);
    EXPECT_EQ(family.compaction_filter, nullptr);
    EXPECT_EQ(family.compaction_filter_factory, nullptr);
    EXPECT_EQ(family.merge_operator, nullptr);
    EXPECT_EQ(family.compaction_style, rocksdb::kCompactionStyleLevel);
  }
}

TEST(OptionsTest, AllLevelsHaveOneCodecAndFamiliesShareOneCache) {
  const auto families = MakeColumnFamilyOptions();
  const auto* first = families[0].table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  for (const rocksdb::ColumnFamilyOptions& family : families) {
    EXPECT_EQ(family.compression, family.bottommost_compression);
    EXPECT_TRUE(family.compression_per_level.empty());
    const auto* table = family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    EXPECT_EQ(table->block_cache, first->block_cache);
    EXPECT_EQ(table->block_size, size_t{16} << 10);
  }
}

}  // namespace
}  // namespace logbook::store
