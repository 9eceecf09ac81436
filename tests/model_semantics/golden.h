// What tests/golden/record.py has recorded from a real API server, and JSON in test tables.
#ifndef LOGBOOK_TESTS_MODEL_SEMANTICS_GOLDEN_H_
#define LOGBOOK_TESTS_MODEL_SEMANTICS_GOLDEN_H_

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "logbook/base/json.h"

namespace logbook {

inline std::string ReadGolden(const std::filesystem::path& path) {
  std::ifstream file(std::filesystem::path(LOGBOOK_GOLDEN_DIR) / path);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// JSON that is part of a test; single quotes may stand for double ones.
inline Json J(std::string_view text) {
  std::string json(text);
  for (char& c : json) {
    c = c == '\'' ? '"' : c;
  }
  const absl::StatusOr<Json> value = ParseJson(json);
  EXPECT_TRUE(value.ok()) << text;
  return value.ok() ? *value : Json();
}

inline Json GoldenJson(const std::filesystem::path& path) {
  const absl::StatusOr<Json> value = ParseJson(ReadGolden(path));
  EXPECT_TRUE(value.ok()) << path;
  return value.ok() ? *value : Json();
}

// The files of a folder, without their extension.
inline std::vector<std::string> GoldenNames(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(LOGBOOK_GOLDEN_DIR) / folder)) {
    if (entry.is_regular_file()) {
      names.push_back(entry.path().stem());
    }
  }
  return names;
}

}  // namespace logbook

#endif  // LOGBOOK_TESTS_MODEL_SEMANTICS_GOLDEN_H_
