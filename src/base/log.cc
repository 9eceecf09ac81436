#include "logbook/base/log.h"

#include <ostream>

#include "absl/strings/str_format.h"

#include "logbook/base/json.h"

namespace logbook {
namespace {

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kError:
      return "error";
  }
  return "unknown";
}

std::string Quote(std::string_view text) {
  return DumpJson(Json(std::string(text)));
}

void AppendField(std::string& line, std::string_view key, std::string_view json) {
  absl::StrAppend(&line, ",", ToAbsl(Quote(key)), ":", ToAbsl(json));
}

}  // namespace

absl::StatusOr<LogLevel> ParseLogLevel(std::string_view text) {
  for (LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kError}) {
    if (text == LevelName(level)) {
      return level;
    }
  }
  return InvalidArgument("unknown log level \"", text, "\": use debug, info or error");
}

LogField::LogField(std::string_view key, std::string_view text) : key(key), json(Quote(text)) {}

LogField::LogField(std::string_view key, absl::Duration value)
    : key(key), json(absl::StrFormat("%.9g", absl::ToDoubleSeconds(value))) {
  if (value == absl::InfiniteDuration() || value == -absl::InfiniteDuration()) {
    json = value > absl::ZeroDuration() ? "\"+Inf\""
                                        : "\"-Inf\"";  // as zap; JSON has no number for it
  }
}

LogField::LogField(std::string_view key, const absl::Status& status)
    : LogField(key, Concat(absl::StatusCodeToString(status.code()), ": ", status.message())) {}

LogSink::LogSink(std::ostream& out, LogLevel level, const Clock& clock)
    : clock_(clock), level_(level), out_(out) {}

void LogSink::Write(LogLevel level, std::string_view logger, std::string_view message,
                    const std::vector<LogField>& context, std::initializer_list<LogField> fields) {
  std::string line =
      Concat("{\"level\":\"", LevelName(level), "\",\"ts\":\"",
             absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", clock_.Now(), absl::UTCTimeZone()), "\"");
  if (!logger.empty()) {
    AppendField(line, "logger", Quote(logger));
  }
  AppendField(line, "msg", Quote(message));
  for (const LogField& field : context) {
    AppendField(line, field.key, field.json);
  }
  for (const LogField& field : fields) {
    AppendField(line, field.key, field.json);
  }
  line += "}\n";
  absl::MutexLock lock(&mu_);
  out_.write(line.data(), static_cast<std::streamsize>(line.size()));
  out_.flush();
}

Logger Logger::Named(std::string_view name) const {
  Logger logger = *this;
  logger.name_ = name_.empty() ? std::string(name) : Concat(name_, ".", name);
  return logger;
}

Logger Logger::With(std::initializer_list<LogField> fields) const {
  Logger logger = *this;
  logger.context_.insert(logger.context_.end(), fields.begin(), fields.end());
  return logger;
}

}  // namespace logbook
