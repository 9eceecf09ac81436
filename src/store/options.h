// How RocksDB is configured: the one place, tested by value.
//
// Each value that differs from RocksDB's default, or must not, has its reason beside it in the .cc.
#ifndef LOGBOOK_STORE_OPTIONS_H_
#define LOGBOOK_STORE_OPTIONS_H_

#include <array>
#include <cstdint>
#include <memory>

#include "logbook/store/column_family.h"

namespace rocksdb {
class Env;
class Logger;
struct ColumnFamilyOptions;
struct DBOptions;
}  // namespace rocksdb

namespace logbook::store {

// What RocksDB makes of a write-ahead log that it cannot read to its end.
enum class WalRecovery {
  kTolerateTornTail,  // the last write may be torn; damage before it is refused
  kPointInTime,       // stops at the first damage; only for tail_recovery.h
};

// Bytes of write-ahead log after which all memtables are flushed: bounds the time to reopen.
inline constexpr uint64_t kWalBytesMax = uint64_t{16} << 20;

// `info_log` must not be null: with its own log file, Debian's RocksDB aborts on a full disk. `env`
// is where files are, null for the operating system's; it outlives the database.
rocksdb::DBOptions MakeDbOptions(std::shared_ptr<rocksdb::Logger> info_log, rocksdb::Env* env,
                                 WalRecovery recovery);

// Options that share one block cache; call once per database.
std::array<rocksdb::ColumnFamilyOptions, kColumnFamilies> MakeColumnFamilyOptions();

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_OPTIONS_H_
