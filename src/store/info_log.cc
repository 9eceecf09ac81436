#include "logbook/store/info_log.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include <rocksdb/env.h>

namespace logbook::store {
namespace {

class InfoLog : public rocksdb::Logger {
 public:
  explicit InfoLog(const ::logbook::Logger& logger)
      : rocksdb::Logger(logger.Enabled(LogLevel::kDebug) ? rocksdb::INFO_LEVEL
                                                         : rocksdb::WARN_LEVEL),
        logger_(logger) {}

  using rocksdb::Logger::Logv;

  void Logv(rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level < GetInfoLogLevel()) {
      return;
    }
    std::array<char, 1024> line;  // what is longer is cut: it is for people
    std::vsnprintf(line.data(), line.size(), format, arguments);
    NoteDamage(line.data());
    const std::initializer_list<LogField> fields = {{"text", line.data()}};
    if (level >= rocksdb::ERROR_LEVEL && level <= rocksdb::FATAL_LEVEL) {
      logger_.Error("RocksDB reports an error", fields);
    } else if (level == rocksdb::WARN_LEVEL) {
      logger_.Info("RocksDB warns", fields);
    } else {
      logger_.Debug("RocksDB says", fields);
    }
  }

  std::string first_damage() const {
    absl::MutexLock lock(&mu_);
    return first_damage_;
  }

 private:
  // Lines begin with "[file of RocksDB:line] ".
  void NoteDamage(std::string_view line) {
    absl::MutexLock lock(&mu_);
    const size_t begin = line.find("] ");
    if (first_damage_.empty() && begin != std::string_view::npos &&
        line.find(".log: dropping ") != std::string_view::npos) {
      first_damage_ = line.substr(begin + 2);
    }
  }

  const ::logbook::Logger logger_;
  mutable absl::Mutex mu_;
  std::string first_damage_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

std::shared_ptr<rocksdb::Logger> MakeInfoLog(const Logger& logger) {
  return std::make_shared<InfoLog>(logger.Named("rocksdb"));
}

std::string FirstDamage(const rocksdb::Logger& info_log) {
  return static_cast<const InfoLog&>(info_log).first_damage();
}

}  // namespace logbook::store
