// `logbook log verify` as a script meets it: exit code and JSON for each file that is damaged.
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "damage.h"
#include "victim.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "logbook/base/json.h"
#include "logbook/support/status_matchers.h"

namespace logbook::store {
namespace {

using ::testing::HasSubstr;

struct Answer {
  int exit_code = -1;
  Json json;
};

Answer Verify(const std::string& directory) {
  const std::string command =
      Concat(LOGBOOK_PROGRAM, " log verify -o json ", directory, " 2>/dev/null");
  std::FILE* out = ::popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  for (size_t size = 0; (size = std::fread(buffer.data(), 1, buffer.size(), out)) > 0;) {
    text.append(buffer.data(), size);
  }
  const int status = ::pclose(out);
  const absl::StatusOr<Json> json = ParseJson(text);
  EXPECT_OK(json) << text;
  return {.exit_code = WEXITSTATUS(status), .json = json.value_or(Json())};
}

class LogCommandTest : public ::testing::Test {
 protected:
  std::string Damaged(const Damage& damage) {
    std::filesystem::remove_all(directory_);
    MakeDamaged(victim_->image, damage, directory_);
    return directory_;
  }

  // Exit code 3, and at least one finding with the name of a check and a text.
  void ExpectFinding(const Damage& damage) {
    const Answer answer = Verify(Damaged(damage));
    EXPECT_EQ(answer.exit_code, 3) << damage.ToString() << DumpJson(answer.json);
    EXPECT_EQ(answer.json.value("ok", true), false);
    ASSERT_TRUE(answer.json.contains("findings") && !answer.json["findings"].empty())
        << damage.ToString();
    for (const Json& finding : answer.json["findings"]) {
      EXPECT_NE(finding.value("check", ""), "");
      EXPECT_NE(finding.value("text", ""), "");
    }
  }

  const std::unique_ptr<Victim> victim_ = MakeVictim();
  const std::string directory_ = victim_->root / "damaged";
};

// IDENTITY and OPTIONS matter to nobody who reads.
bool Matters(const std::string& file) {
  return file.find("OPTIONS") == std::string::npos && file != "db/IDENTITY";
}

TEST_F(LogCommandTest, UndamagedStoreIsFine) {
  const Answer answer = Verify(Damaged({}));
  EXPECT_EQ(answer.exit_code, 0) << DumpJson(answer.json);
  EXPECT_EQ(answer.json.value("ok", false), true);
}

TEST_F(LogCommandTest, EachMissingFileIsAFinding) {
  for (const std::string& file : FilesOf(victim_->image.path)) {
    if (Matters(file)) {
      ExpectFinding({.kind = DamageKind::kDeletion, .file = file});
    }
  }
}

TEST_F(LogCommandTest, EachHalvedFileIsAFinding) {
  for (const std::string& file : FilesOf(victim_->image.path)) {
    const uint64_t size = std::filesystem::file_size(victim_->image.path + "/" + file);
    if (Matters(file)) {
      ExpectFinding({.kind = DamageKind::kTruncation, .file = file, .at = size / 2});
    }
  }
}

TEST_F(LogCommandTest, FlippedBitInEachTableAndLogIsAFinding) {
  for (const std::string& file : FilesOf(victim_->image.path)) {
    if (file.ends_with(".sst") || file.ends_with(".log")) {
      ExpectFinding({.kind = DamageKind::kBitFlip, .file = file, .at = 100, .bit = 3});
    }
  }
}

TEST_F(LogCommandTest, RefusalHasATwinInJson) {
  const Answer answer = Verify(victim_->root / "nothing");
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(answer.json.value("ok", true), false);
  EXPECT_EQ(answer.json.value("code", ""), "NOT_FOUND");
  EXPECT_THAT(answer.json.value("error", ""), HasSubstr("no store in"));
}

}  // namespace
}  // namespace logbook::store
