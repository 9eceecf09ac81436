#include "logbook/store/options.h"

#include <utility>

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include "logbook/base/check.h"

namespace logbook::store {
namespace {

constexpr size_t kBlockCacheBytes = size_t{8} << 20;

// Records are about 1.5 KB and alike: blocks of 16 KB compress far better than RocksDB's 4 KB, and
// one more read of one costs some 20 µs.
constexpr size_t kBlockBytes = size_t{16} << 10;

// Larger than the log may grow, so that the log's limit alone decides when to flush.
constexpr size_t kMemtableBytes = 2 * kWalBytesMax;

}  // namespace

rocksdb::DBOptions MakeDbOptions(std::shared_ptr<rocksdb::Logger> info_log, rocksdb::Env* env,
                                 WalRecovery recovery) {
  LOGBOOK_CHECK(info_log != nullptr);
  rocksdb::DBOptions options;
  options.info_log = std::move(info_log);
  if (env != nullptr) {
    options.env = env;
  }

  // Damage is refused rather than read around.
  options.wal_recovery_mode = recovery == WalRecovery::kPointInTime
                                  ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
                                  : rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.track_and_verify_wals_in_manifest = true;  // a missing log is otherwise a silent hole
  options.verify_sst_unique_id_in_manifest = true;
  options.paranoid_checks = true;

  // All families stand at one point of the log, so that a prefix of it is a prefix of everything.
  options.atomic_flush = true;
  options.max_total_wal_size = kWalBytesMax;

  // After a failed write the journal closes and reopens. RocksDB going on by itself has lost logs.
  options.max_bgerror_resume_count = 0;

  // Found broken in 7.8 or at odds with the above; stated although some are the defaults.
  options.allow_2pc = false;
  options.enable_pipelined_write = false;
  options.manual_wal_flush = false;
  options.recycle_log_file_num = 0;
  options.two_write_queues = false;
  options.unordered_write = false;
  options.wal_compression = rocksdb::kNoCompression;
  options.WAL_size_limit_MB = 0;
  options.WAL_ttl_seconds = 0;

  // Statistics nobody reads cost a thread and log lines.
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.skip_stats_update_on_db_open = true;
  return options;
}

std::array<rocksdb::ColumnFamilyOptions, kColumnFamilies> MakeColumnFamilyOptions() {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(kBlockCacheBytes);
  table.block_size = kBlockBytes;
  rocksdb::ColumnFamilyOptions family;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  family.write_buffer_size = kMemtableBytes;
  // One codec for all levels, bottommost included: events never overlap, so their files then move
  // down the levels without being written again.
  family.compression = rocksdb::kLZ4Compression;
  family.bottommost_compression = rocksdb::kLZ4Compression;
  family.compression_opts.level = 1;
  std::array<rocksdb::ColumnFamilyOptions, kColumnFamilies> all;
  all.fill(family);
  return all;
}

}  // namespace logbook::store
