#include "logbook/base/log.h"

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include <gtest/gtest.h>

#include "logbook/base/json.h"
#include "logbook/support/fake_clock.h"
#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

class LogTest : public testing::Test {
 protected:
  std::vector<std::string> Lines() const {
    return absl::StrSplit(out_.str(), '\n', absl::SkipEmpty());
  }

  FakeClock clock_;
  std::ostringstream out_;
  LogSink sink_{out_, LogLevel::kInfo, clock_};
  Logger log_{&sink_};
};

TEST_F(LogTest, LineHasTheKeysOfZap) {
  clock_.Advance(absl::Milliseconds(7));
  log_.Named("ingester").Info("Stream listed", {{"stream", "pods"}, {"objects", 3}});
  EXPECT_EQ(out_.str(), R"({"level":"info","ts":"2026-05-26T03:14:00.007Z","logger":"ingester",)"
                        R"("msg":"Stream listed","stream":"pods","objects":3})"
                        "\n");
}

TEST_F(LogTest, LineWithoutNameHasNoLogger) {
  log_.Error("Disk full");
  EXPECT_EQ(out_.str(),
            "{\"level\":\"error\",\"ts\":\"2026-05-26T03:14:00.000Z\","
            "\"msg\":\"Disk full\"}\n");
}

TEST_F(LogTest, FieldsOfEveryType) {
  log_.Info("Types", {{"text", std::string("a")},
                      {"view", std::string_view("b")},
                      {"flag", true},
                      {"int", -1},
                      {"int64", int64_t{-9007199254740993}},
                      {"uint64", uint64_t{18446744073709551615U}},
                      {"duration", absl::Milliseconds(1500)},
                      {"short", absl::Microseconds(250)},
                      {"error", NotFound("no such pod")}});
  EXPECT_THAT(
      out_.str(),
      testing::HasSubstr(R"("text":"a","view":"b","flag":true,"int":-1,"int64":-9007199254740993,)"
                         R"("uint64":18446744073709551615,"duration":1.5,"short":0.00025,)"
                         R"("error":"NOT_FOUND: no such pod"})"));
}

TEST_F(LogTest, NamesAndContextAddUp) {
  const Logger outer = log_.Named("manager").With({{"run", 4}});
  const Logger inner = outer.Named("worker").With({{"key", "default/web"}});
  inner.Info("Reconciled", {{"plan", "none"}});
  EXPECT_THAT(out_.str(), testing::HasSubstr(R"("logger":"manager.worker","msg":"Reconciled",)"
                                             R"("run":4,"key":"default/web","plan":"none"})"));
  EXPECT_THAT(out_.str(), testing::Not(testing::HasSubstr("\n\n")));
}

TEST_F(LogTest, LevelsBelowTheSinksAreDropped) {
  log_.Debug("Hidden");
  EXPECT_EQ(out_.str(), "");
  EXPECT_FALSE(log_.Enabled(LogLevel::kDebug));
  sink_.SetLevel(LogLevel::kDebug);
  log_.Debug("Shown");
  sink_.SetLevel(LogLevel::kError);
  log_.Info("Hidden");
  EXPECT_EQ(Lines().size(), 1U);
}

TEST_F(LogTest, LoggerWithoutSinkWritesNowhere) {
  Logger().Named("x").With({{"a", 1}}).Error("Lost");
  EXPECT_FALSE(Logger().Enabled(LogLevel::kError));
}

// Whatever is logged, a line is one JSON object and says what was meant.
TEST_F(LogTest, AnyTextStaysOneJsonLine) {
  const std::string texts[] = {"quote\" back\\slash",
                               "new\nline\r\ttab",
                               std::string("nul\0byte", 8),
                               "\x01\x1f\x7f",
                               "snow ☃ 😀",
                               "</script>",
                               "{\"a\":1}",
                               ""};
  for (const std::string& text : texts) {
    out_.str("");
    log_.Named(text).Info(text, {{text, text}});
    ASSERT_EQ(Lines().size(), 1U) << text;
    const absl::StatusOr<Json> line = ParseJson(Lines()[0]);
    ASSERT_OK(line);
    EXPECT_EQ(JsonString(*line, {"msg"}), text);
  }
}

TEST_F(LogTest, BytesThatAreNotUtf8AreReplaced) {
  log_.Info("got \xff\xfe", {{"k\xc3", "v\xed\xa0\x80"}});
  const absl::StatusOr<Json> line = ParseJson(Lines()[0]);
  ASSERT_OK(line);
  EXPECT_EQ(JsonString(*line, {"msg"}), "got \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_F(LogTest, DurationsWithoutEndAreJsonToo) {
  log_.Info("Waiting", {{"due", absl::InfiniteDuration()}, {"past", -absl::InfiniteDuration()}});
  EXPECT_OK(ParseJson(Lines()[0])) << Lines()[0];
}

TEST_F(LogTest, LinesOfManyThreadsDoNotMix) {
  constexpr int kThreads = 4;
  constexpr int kLines = 500;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([this, t] {
        const Logger log = log_.Named("thread").With({{"t", t}});
        for (int i = 0; i < kLines; ++i) {
          log.Info("Line", {{"i", i}});
        }
      });
    }
  }
  const std::vector<std::string> lines = Lines();
  ASSERT_EQ(lines.size(), static_cast<size_t>(kThreads * kLines));
  for (const std::string& line : lines) {
    ASSERT_OK(ParseJson(line)) << line;
  }
}

TEST(LogLevelTest, NamesAreRead) {
  ASSERT_OK(ParseLogLevel("debug"));
  EXPECT_EQ(*ParseLogLevel("debug"), LogLevel::kDebug);
  EXPECT_EQ(*ParseLogLevel("info"), LogLevel::kInfo);
  EXPECT_EQ(*ParseLogLevel("error"), LogLevel::kError);
}

TEST(LogLevelTest, OthersAreRefusedWithTheChoice) {
  for (std::string_view text : {"", "INFO", "warn", "5"}) {
    EXPECT_THAT(ParseLogLevel(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                              testing::HasSubstr("use debug, info or error")));
  }
}

}  // namespace
}  // namespace logbook
