// The rules of the house, held against the repository.
#include <algorithm>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "layers.h"
#include "rules.h"
#include "source_tree.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::lint {
namespace {

using ::testing::IsEmpty;

using Rule = std::function<Violations(const SourceFile&)>;

// One violation a line, so that a failure reads like a compiler's output.
void ExpectKept(const Rule& rule, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    for (const SourceFile& file : ReadTree(folder)) {
      for (const std::string& violation : rule(file)) {
        ADD_FAILURE() << violation;
      }
    }
  }
}

bool IsCode(const SourceFile& file) {
  return file.Extension() == ".h" || file.Extension() == ".cc";
}

TEST(HouseRulesTest, TheTreeIsRead) {
  const std::vector<SourceFile> files = ReadTree("src");
  EXPECT_TRUE(std::any_of(files.begin(), files.end(),
                          [](const SourceFile& file) { return file.path == "src/base/status.h"; }));
}

TEST(HouseRulesTest, EveryFolderIncludesOnlyWhatLiesBelow) {
  std::set<std::string> public_headers;
  for (const SourceFile& file : ReadTree("src")) {
    if (file.path.ends_with("/CMakeLists.txt")) {
      public_headers.merge(PublicHeaders(file));
    }
  }
  ExpectKept(
      [&](const SourceFile& file) {
        return IsCode(file) ? CheckIncludes(file, public_headers) : Violations();
      },
      {"src"});
}

TEST(HouseRulesTest, EveryFolderIsALayer) {
  std::set<std::string> known;
  for (const Layer& layer : Layers()) {
    known.insert(layer.folder);
  }
  for (const std::string& folder : FoldersIn("src")) {
    EXPECT_TRUE(known.contains(folder)) << "src/" << folder << " is not in the table of layers";
  }
}

TEST(HouseRulesTest, HeadersHaveAPurposeAndAGuard) {
  ExpectKept(CheckHeader, {"src"});
}

TEST(HouseRulesTest, NamesSayWhereTheyComeFrom) {
  ExpectKept(CheckNamespaces, {"src", "tests", "bench", "examples"});
}

TEST(HouseRulesTest, OnlyTheProgramPrints) {
  ExpectKept(CheckPrinting, {"src"});
}

TEST(HouseRulesTest, NobodySleeps) {
  ExpectKept(CheckSleeping, {"src", "tests", "bench"});
}

TEST(HouseRulesTest, NothingIsLeftForLater) {
  ExpectKept(CheckLeftovers, {"src", "tests", "proto", "bench", "scripts", "cmake", "deploy"});
}

TEST(HouseRulesTest, FilesStayReadable) {
  ExpectKept(CheckLength, {"src", "tests"});
}

TEST(HouseRulesTest, NothingNamesTheMachine) {
  ExpectKept(CheckMachinePaths, {""});
}

TEST(HouseRulesTest, PureFoldersHaveOneOrder) {
  ExpectKept(CheckOrder, {"src"});
}

// The first column of the table under a heading that names the folders.
std::vector<std::string> FoldersOfTable(const std::string& text) {
  static const std::regex kRow(R"(^\| *`?(?:src/)?([a-z0-9]+)/?`? *\|)");
  std::vector<std::string> folders;
  const SourceFile file{.path = "docs/architecture.md", .text = text};
  for (std::string_view line : file.Lines()) {
    std::match_results<std::string_view::const_iterator> match;
    if (std::regex_search(line.begin(), line.end(), match, kRow) && match[1] != "folder") {
      folders.push_back(match[1]);
    }
  }
  return folders;
}

// docs/architecture.md has one table whose header row begins with "| folder |".
TEST(HouseRulesTest, ArchitectureNamesTheFoldersThereAre) {
  const std::vector<SourceFile> docs = ReadTree("docs");
  const auto architecture = std::find_if(docs.begin(), docs.end(), [](const SourceFile& file) {
    return file.path == "docs/architecture.md";
  });
  ASSERT_NE(architecture, docs.end()) << "there is no docs/architecture.md";
  const size_t begin = architecture->text.find("| folder |");
  ASSERT_NE(begin, std::string::npos) << "docs/architecture.md has no table of folders";
  const size_t end = architecture->text.find("\n\n", begin);
  std::vector<std::string> named = FoldersOfTable(architecture->text.substr(begin, end - begin));
  std::sort(named.begin(), named.end());
  EXPECT_EQ(named, FoldersIn("src"));
}

}  // namespace
}  // namespace logbook::lint
