// Structured logs, as JSON lines with the keys of zap as kubebuilder configures it, so that what
// people grep for keeps working: level, ts, logger, msg, then key-values.
//
// Threads:  Thread-safe. A Logger is a cheap value; its sink is shared and must outlive it.
// Style:    messages start with a capital, have no full stop and no values; values are key-values.
//
// Example
//   log.Named("ingester").Info("Stream listed", {{"stream", name}, {"objects", count}});
#ifndef LOGBOOK_BASE_LOG_H_
#define LOGBOOK_BASE_LOG_H_

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "logbook/base/clock.h"
#include "logbook/base/status.h"

namespace logbook {

enum class LogLevel { kDebug, kInfo, kError };

// "debug", "info" or "error"; kInvalidArgument lists them.
absl::StatusOr<LogLevel> ParseLogLevel(std::string_view text);

// One key with its value, already as JSON text.
struct LogField {
  LogField(std::string_view key, std::string_view text);

  LogField(std::string_view key, const std::string& text) : LogField(key, std::string_view(text)) {}

  LogField(std::string_view key, const char* text) : LogField(key, std::string_view(text)) {}

  LogField(std::string_view key, bool value) : key(key), json(value ? "true" : "false") {}

  LogField(std::string_view key, int value) : key(key), json(std::to_string(value)) {}

  LogField(std::string_view key, int64_t value) : key(key), json(std::to_string(value)) {}

  LogField(std::string_view key, uint64_t value) : key(key), json(std::to_string(value)) {}

  LogField(std::string_view key, absl::Duration value);  // seconds, as zap writes durations
  LogField(std::string_view key, const absl::Status& status);

  std::string key;
  std::string json;
};

// Where lines go. Thread-safe: one line is written whole, by one write.
class LogSink {
 public:
  // `out` and `clock` outlive the sink. Lines below `level` are dropped.
  LogSink(std::ostream& out, LogLevel level, const Clock& clock);

  void Write(LogLevel level, std::string_view logger, std::string_view message,
             const std::vector<LogField>& context, std::initializer_list<LogField> fields);

  void SetLevel(LogLevel level) { level_ = level; }

  bool Enabled(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }

 private:
  const Clock& clock_;
  std::atomic<LogLevel> level_;
  absl::Mutex mu_;
  std::ostream& out_ ABSL_GUARDED_BY(mu_);
};

class Logger {
 public:
  // Writes nowhere; for tests that do not look.
  Logger() = default;

  explicit Logger(LogSink* sink) : sink_(sink) {}

  // A logger whose lines carry "logger": name, or "outer.name" under a named one.
  Logger Named(std::string_view name) const;

  // A logger whose lines all carry `fields`.
  Logger With(std::initializer_list<LogField> fields) const;

  void Debug(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kDebug, message, fields);
  }

  void Info(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kInfo, message, fields);
  }

  void Error(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kError, message, fields);
  }

  bool Enabled(LogLevel level) const { return sink_ != nullptr && sink_->Enabled(level); }

 private:
  void Write(LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields) const {
    if (Enabled(level)) {
      sink_->Write(level, name_, message, context_, fields);
    }
  }

  LogSink* sink_ = nullptr;
  std::string name_;
  std::vector<LogField> context_;
};

}  // namespace logbook

#endif  // LOGBOOK_BASE_LOG_H_
