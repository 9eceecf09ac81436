// What the documents name is there.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace logbook::lint {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = LOGBOOK_SOURCE_DIR;

std::vector<fs::path> Documents() {
  std::vector<fs::path> documents;
  for (const auto& entry : fs::directory_iterator(kRoot)) {
    documents.push_back(entry.path());
  }
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
    documents.push_back(entry.path());
  }
  documents.push_back(kRoot / "tests/controlplane/README.md");
  std::erase_if(documents, [](const fs::path& path) { return path.extension() != ".md"; });
  return documents;
}

std::string TextOf(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> Matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> matches;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    matches.push_back((*it)[1]);
  }
  return matches;
}

TEST(DocsTest, LinksLeadSomewhere) {
  static const std::regex kLink(R"(\]\(([^)#:]+)(#[^)]*)?\))");
  for (const fs::path& document : Documents()) {
    for (const std::string& target : Matches(TextOf(document), kLink)) {
      EXPECT_TRUE(fs::exists(document.parent_path() / target))
          << document << " links to " << target;
    }
  }
}

TEST(DocsTest, FilesThatAreNamedExist) {
  static const std::regex kPath(
      R"(`((?:src|docs|deploy|tests|bench|scripts|proto|cmake)/[A-Za-z0-9_./-]*[A-Za-z0-9_/]))");
  for (const fs::path& document : Documents()) {
    for (const std::string& path : Matches(TextOf(document), kPath)) {
      EXPECT_TRUE(fs::exists(kRoot / path)) << document << " names " << path;
    }
  }
}

TEST(DocsTest, NoPlaceholdersAreLeft) {
  static const std::regex kPlaceholder(
      R"((\b[A-Z]+_(?:OUTPUT|CPU|HERE)\b|@[A-Z0-9]+@|\bTBD\b|\bTODO\b))");
  for (const fs::path& document : Documents()) {
    EXPECT_TRUE(Matches(TextOf(document), kPlaceholder).empty()) << document;
  }
}

}  // namespace
}  // namespace logbook::lint
