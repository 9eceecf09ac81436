#include "rules.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>

namespace logbook::lint {
namespace {

// Lines that match `pattern`, each with `message`.
Violations Forbid(const SourceFile& file, const std::regex& pattern, std::string_view message) {
  Violations violations;
  size_t number = 0;
  for (std::string_view line : file.Lines()) {
    ++number;
    if (std::regex_search(line.begin(), line.end(), pattern)) {
      violations.push_back(Violation(file, number, message));
    }
  }
  return violations;
}

// "src/base/log.h" has LOGBOOK_BASE_LOG_H_.
std::string GuardOf(std::string_view path) {
  std::string guard = "LOGBOOK_";
  for (char c : path.substr(path.find('/') + 1)) {
    guard += std::isalnum(static_cast<unsigned char>(c)) != 0
                 ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                 : '_';
  }
  return guard + "_";
}

bool IsCode(const SourceFile& file) {
  return file.Extension() == ".h" || file.Extension() == ".cc";
}

}  // namespace

Violations CheckHeader(const SourceFile& file) {
  Violations violations;
  if (file.Extension() != ".h") {
    return violations;
  }
  if (file.text.rfind("// ", 0) != 0) {
    violations.push_back(Violation(file, 1, "a header begins with a comment: what it is for"));
  }
  const std::string guard = GuardOf(file.path);
  if (file.text.find("#ifndef " + guard + "\n#define " + guard + "\n") == std::string::npos) {
    violations.push_back(Violation(file, 0, "the include guard is not " + guard));
  }
  return violations;
}

Violations CheckNamespaces(const SourceFile& file) {
  static const std::regex kUsing(R"(^\s*using\s+namespace\b)");
  return Forbid(file, kUsing, "no using namespace");
}

Violations CheckPrinting(const SourceFile& file) {
  // log writes lines, and a failed check has no time for one
  static const std::set<std::string> kMayPrint = {"src/base/check.cc", "src/base/log.cc"};
  static const std::regex kPrint(
      R"(\bstd::(cout|cerr|clog)\b|\b(printf|fprintf|puts|putchar)\s*\()");
  if (file.Module() == "cmd" || kMayPrint.contains(file.path)) {
    return {};
  }
  return Forbid(file, kPrint, "only cmd prints; log, or return a Status");
}

Violations CheckSleeping(const SourceFile& file) {
  // path → why there is no other way
  static const std::map<std::string, std::string> kMaySleep = {};
  static const std::regex kSleep(
      R"(\b(SleepFor|sleep_for|sleep_until|nanosleep|usleep)\b|(^|[^\w.:>])(::)?sleep\s*\()");
  if (!IsCode(file) || file.IsBelow("tests/lint") || kMaySleep.contains(file.path)) {
    return {};
  }
  return Forbid(file, kSleep, "no sleeping; wait for the event itself, with a deadline");
}

Violations CheckLeftovers(const SourceFile& file) {
  static const std::regex kNote(R"(\b(TO)(DO)\b|\bFIX(ME)\b|\bXX(X)\b)");
  static const std::regex kOff(
      R"(^\s*//\s*(TEST(_F|_P)?|EXPECT_\w+|ASSERT_\w+)\s*\(|\bDISABLED_\w)");
  if (file.IsBelow("tests/lint")) {
    return {};
  }
  Violations violations = Forbid(file, kNote, "nothing is left for later; open an issue");
  if (file.Extension() != ".cc") {  // headers show examples
    return violations;
  }
  const Violations off = Forbid(file, kOff, "a test runs or is deleted");
  violations.insert(violations.end(), off.begin(), off.end());
  return violations;
}

Violations CheckLength(const SourceFile& file) {
  const size_t lines_max = file.IsBelow("tests") ? 800 : 500;
  const size_t lines = file.Lines().size();
  if (!IsCode(file) || lines <= lines_max) {
    return {};
  }
  return {Violation(file, 0,
                    std::to_string(lines) + " lines, more than " + std::to_string(lines_max) +
                        ": there are two ideas in it")};
}

Violations CheckMachinePaths(const SourceFile& file) {
  // put together here, so that this file does not name them either
  static const std::regex kPath(std::string("(^|[^\\w.-])/(wo") + "rk|ro" + "ot|ho" +
                                "me/[a-z]+)(/|\\b)");
  return Forbid(file, kPath, "an absolute path of some machine");
}

Violations CheckOrder(const SourceFile& file) {
  static const std::regex kUnordered(
      R"(\bunordered_(map|set|multimap|multiset)\b|\bflat_hash_|\bnode_hash_)");
  if (file.Module() != "operators" && file.Module() != "model") {
    return {};
  }
  return Forbid(file, kUnordered, "iteration differs from run to run; use an ordered container");
}

}  // namespace logbook::lint
