// docs/operations.md has a row for everything a store refuses, and nothing that it does not say.
#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "source_tree.h"
#include <gtest/gtest.h>

namespace logbook::lint {
namespace {

constexpr char kHeading[] = "## What the store refuses";

// The files whose refusals stop an operator.
std::vector<SourceFile> Sources() {
  std::vector<SourceFile> sources;
  for (const SourceFile& file : ReadTree("src")) {
    const bool of_store = file.path.starts_with("src/store/");
    const bool of_anchors = file.path.starts_with("src/reconcile/anchor_keeper") ||
                            file.path.starts_with("src/reconcile/session");
    if (of_store || of_anchors) {
      sources.push_back(file);
    }
  }
  return sources;
}

std::vector<std::string> Matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> matches;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    matches.push_back((*it)[1]);
  }
  return matches;
}

// The string literals in a piece of source; neighbours, which the compiler joins, as one.
std::vector<std::string> LiteralsIn(const std::string& source) {
  static const std::regex kBetween(R"re("\s+")re");
  static const std::regex kLiteral(R"re("((?:[^"\\\n]|\\.)*)")re");
  return Matches(std::regex_replace(source, kBetween, ""), kLiteral);
}

bool Occurs(const std::string& part, const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

// The quoted parts in the first column of the table.
std::vector<std::string> PartsInTable() {
  static const std::regex kPart("`([^`]+)`");
  for (const SourceFile& file : ReadTree("docs")) {
    const size_t heading = file.text.find(kHeading);
    if (file.path != "docs/operations.md" || heading == std::string::npos) {
      continue;
    }
    const size_t begin = file.text.find("|---|", heading);
    std::string column;
    static const std::regex kFirst(R"re(\n\|([^|\n]*)\|)re");
    for (const std::string& cell :
         Matches(file.text.substr(begin, file.text.find("\n\n", begin) - begin), kFirst)) {
      column += cell;
    }
    return Matches(column, kPart);
  }
  return {};
}

// From the bracket at `open` to the one that closes it; brackets in literals come in pairs here.
std::string Arguments(const std::string& text, size_t open) {
  int depth = 0;
  bool quoted = false;
  for (size_t at = open; at < text.size(); ++at) {
    quoted = quoted != (text[at] == '"' && text[at - 1] != '\\');
    depth += quoted ? 0 : (text[at] == '(' ? 1 : 0) - (text[at] == ')' ? 1 : 0);
    if (depth == 0) {
      return text.substr(open, at - open + 1);
    }
  }
  return text.substr(open);
}

// The arguments of each refusal that tells people what to do; others are parts of those.
std::vector<std::string> RefusalsIn(const SourceFile& file) {
  static const std::regex kCall(
      R"(\b(?:DataLoss|FailedPrecondition|PermissionDenied|ResourceExhausted)(\())");
  static const std::regex kAdvice(R"re(\)?[:;] [a-z]+ [^":]*"\)$)re");
  std::vector<std::string> refusals;
  for (std::sregex_iterator it(file.text.begin(), file.text.end(), kCall), end; it != end; ++it) {
    const std::string arguments = Arguments(file.text, static_cast<size_t>(it->position(1)));
    if (arguments.find("kRestoreAdvice)") != std::string::npos ||
        std::regex_search(arguments, kAdvice)) {
      refusals.push_back(arguments);
    }
  }
  return refusals;
}

TEST(RefusalsTest, EveryRowIsSaidSomewhere) {
  std::vector<std::string> literals;
  for (const SourceFile& file : Sources()) {
    const std::vector<std::string> more = LiteralsIn(file.text);
    literals.insert(literals.end(), more.begin(), more.end());
  }
  const std::vector<std::string> parts = PartsInTable();
  EXPECT_GT(parts.size(), 25u) << "docs/operations.md has no table under " << kHeading;
  for (const std::string& part : parts) {
    EXPECT_TRUE(Occurs(part, literals))
        << "docs/operations.md quotes \"" << part << "\", which nothing in src/ says";
  }
}

TEST(RefusalsTest, EveryRefusalHasARow) {
  const std::vector<std::string> parts = PartsInTable();
  size_t refusals = 0;
  for (const SourceFile& file : Sources()) {
    for (const std::string& refusal : RefusalsIn(file)) {
      ++refusals;
      const std::vector<std::string> said = LiteralsIn(refusal);
      EXPECT_TRUE(std::any_of(parts.begin(), parts.end(),
                              [&](const std::string& part) { return Occurs(part, said); }))
          << file.path << ": docs/operations.md says nothing of " << refusal;
    }
  }
  EXPECT_GT(refusals, 20u);
}

}  // namespace
}  // namespace logbook::lint
