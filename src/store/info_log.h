// What RocksDB has to say goes to our log: its own log file makes Debian's build abort on a full
// disk.
#ifndef LOGBOOK_STORE_INFO_LOG_H_
#define LOGBOOK_STORE_INFO_LOG_H_

#include <memory>
#include <string>

#include "logbook/base/log.h"

namespace rocksdb {
class Logger;
}  // namespace rocksdb

namespace logbook::store {

// A RocksDB logger that writes to `logger`, one level quieter: what RocksDB calls info is debug to
// us, its warnings are info. Thread-safe.
std::shared_ptr<rocksdb::Logger> MakeInfoLog(const Logger& logger);

// The first place at which a log file could not be read, "…/000004.log: dropping 21409 bytes; …",
// or empty. RocksDB says this to its log only. `info_log` must come from MakeInfoLog.
std::string FirstDamage(const rocksdb::Logger& info_log);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_INFO_LOG_H_
