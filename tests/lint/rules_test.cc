// The rules themselves: each is shown something it must refuse, and something it must not.
#include "rules.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "layers.h"
#include <gtest/gtest.h>

namespace logbook::lint {
namespace {

struct Case {
  std::string path;
  std::string text;
  size_t violations;
};

void ExpectCounts(const std::function<Violations(const SourceFile&)>& rule,
                  const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Violations found = rule({.path = c.path, .text = c.text});
    EXPECT_EQ(found.size(), c.violations)
        << c.path << ": " << c.text << (found.empty() ? "" : "\n" + found[0]);
  }
}

// What the folders of these cases offer to others.
Violations CheckIncludesHere(const SourceFile& file) {
  return CheckIncludes(file, {"base/a.h", "base/log.h", "model/a.h", "model/object.h", "store/a.h",
                              "store/journal.h", "store/inspect.h", "k8s/http.h", "reconcile/a.h",
                              "reconcile/operator.h", "http/a.h"});
}

TEST(RulesTest, IncludesFollowTheLayers) {
  ExpectCounts(CheckIncludesHere,
               {{"src/base/a.cc", "#include \"logbook/model/object.h\"\n", 1},
                {"src/base/a.cc", "#include \"logbook/base/private.h\"\n", 0},
                {"src/model/a.h", "#include \"logbook/base/log.h\"\n", 0},
                {"src/model/a.h", "#include \"logbook/base/private.h\"\n", 1},
                {"src/model/a.h", "#include \"logbook/v1/record.pb.h\"\n", 0},
                {"src/store/a.cc", "#include \"logbook/k8s/http.h\"\n", 1},
                {"src/k8s/a.cc", "#include \"logbook/store/journal.h\"\n", 1},
                {"src/reconcile/a.cc", "#include \"logbook/store/journal.h\"\n", 0},
                {"src/reconcile/private.h", "#include \"logbook/store/journal.h\"\n", 0},
                {"src/reconcile/a.h", "#include \"logbook/store/journal.h\"\n", 1},
                {"src/reconcile/a.h", "#include \"logbook/k8s/http.h\"\n", 1},
                {"src/operators/simpleapp/a.cc", "#include \"logbook/k8s/http.h\"\n", 1},
                {"src/operators/simpleapp/a.cc", "#include \"logbook/reconcile/operator.h\"\n", 0},
                {"src/admin/a.cc", "#include \"logbook/store/inspect.h\"\n", 0},
                {"src/admin/a.cc", "#include \"logbook/store/journal.h\"\n", 1},
                {"src/cmd/a.cc", "#include \"logbook/store/journal.h\"\n", 0},
                {"src/cmd/a.cc", "#include \"a.h\"\n", 0},
                {"src/cmd/a.cc", "#include \"../store/journal.h\"\n", 1},
                {"src/base/a.cc", "#include \"../model/object.h\"\n", 1},
                {"src/base/a.cc", "#include \"log.h\"\n", 1},
                {"src/base/a.cc", "  #  include \"logbook/model/object.h\"\n", 1},
                {"src/new/a.cc", "#include \"logbook/base/log.h\"\n", 1}});
}

TEST(RulesTest, ThirdPartyHeadersHaveTheirFolder) {
  ExpectCounts(CheckIncludesHere,
               {{"src/store/a.cc", "#include <rocksdb/db.h>\n", 0},
                {"src/store/a.h", "#include <rocksdb/db.h>\n", 1},
                {"src/store/private.h", "#include <rocksdb/db.h>\n", 0},
                {"src/model/a.cc", "#include <rocksdb/db.h>\n", 1},
                {"src/cmd/version.cc", "#include <rocksdb/version.h>\n", 0},
                {"src/cmd/a.cc", "#include <rocksdb/version.h>\n", 1},
                {"src/k8s/a.cc", "#include <curl/curl.h>\n#include <yaml-cpp/yaml.h>\n", 0},
                {"src/reconcile/a.cc", "#include <curl/curl.h>\n", 1},
                {"src/base/a.h", "#include <nlohmann/json.hpp>\n", 0},
                {"src/model/a.h", "#include <nlohmann/json.hpp>\n", 1},
                {"src/base/a.cc", "#include <simdjson.h>\n", 0},
                {"src/k8s/a.cc", "#include <simdjson.h>\n", 1},
                {"src/base/a.cc", "#include <zstd.h>\n#include <zdict.h>\n", 0},
                {"src/base/a.h", "#include <zstd.h>\n", 1},
                {"src/store/a.cc", "#include <zstd.h>\n#include <zdict.h>\n", 2},
                {"src/http/a.h", "#include <httplib.h>\n", 1},
                {"src/cmd/a.cc", "#include <CLI/CLI.hpp>\n", 0},
                {"src/base/a.cc", "#include <boost/any.hpp>\n", 1},
                {"src/base/a.cc", "#include <vector>\n#include \"absl/time/time.h\"\n", 0},
                {"src/model/a.cc", "#include <unistd.h>\n", 1},
                {"src/operators/a.cc", "#include <sys/stat.h>\n", 1},
                {"src/store/a.cc", "#include <sys/stat.h>\n", 0}});
}

TEST(RulesTest, PublicHeadersAreThoseUnderHdrs) {
  const SourceFile lists = {.path = "src/store/CMakeLists.txt",
                            .text =
                                "logbook_module(store\n  SRCS a.cc\n  HDRS a.h\n       sub/b.h\n"
                                "  DEPS logbook::model\n  PRIVATE_DEPS x)\n"};
  EXPECT_EQ(PublicHeaders(lists), (std::set<std::string>{"store/a.h", "store/sub/b.h"}));
}

TEST(RulesTest, HeadersHaveGuardsAndComments) {
  const std::string good = "// What.\n#ifndef LOGBOOK_BASE_A_H_\n#define LOGBOOK_BASE_A_H_\n";
  ExpectCounts(CheckHeader,
               {{"src/base/a.h", good, 0},
                {"src/base/b.h", good, 1},
                {"src/base/a.h", "#ifndef LOGBOOK_BASE_A_H_\n#define LOGBOOK_BASE_A_H_\n", 1},
                {"src/base/a.h", "#pragma once\n", 2},
                {"src/base/a.cc", "int x;\n", 0},
                {"src/operators/simpleapp/phase.h",
                 "// W.\n#ifndef LOGBOOK_OPERATORS_SIMPLEAPP_PHASE_H_\n"
                 "#define LOGBOOK_OPERATORS_SIMPLEAPP_PHASE_H_\n",
                 0}});
}

TEST(RulesTest, PrintingIsForTheProgram) {
  ExpectCounts(CheckPrinting, {{"src/base/a.cc", "std::cout << 1;\n", 1},
                               {"src/base/a.cc", "std::fprintf(stderr, \"\");\n", 1},
                               {"src/base/a.cc", "snprintf(a, 1, \"\");\n", 0},
                               {"src/base/check.cc", "std::fprintf(stderr, \"\");\n", 0},
                               {"src/cmd/a.cc", "std::cout << 1;\n", 0}});
}

TEST(RulesTest, SleepingIsFound) {
  ExpectCounts(CheckSleeping, {{"src/base/a.cc", "absl::SleepFor(x);\n", 1},
                               {"tests/base/a.cc", "std::this_thread::sleep_for(x);\n", 1},
                               {"tests/base/a.cc", "  sleep(2);\n", 1},
                               {"tests/base/a.cc", "::usleep(2);\n", 1},
                               {"src/base/a.cc", "// nobody sleeps here\n", 0},
                               {"tests/e2e/a.sh", "sleep 1\n", 0}});
}

TEST(RulesTest, LeftoversAreFound) {
  ExpectCounts(CheckLeftovers, {{"src/base/a.cc", "// TODO: later\n", 1},
                                {"src/base/a.cc", "// FIXME\n", 1},
                                {"tests/base/a.cc", "// TEST(A, B) {\n", 1},
                                {"tests/base/a.cc", "  // EXPECT_EQ(a, b);\n", 1},
                                {"tests/base/a.cc", "TEST(A, DISABLED_B) {\n", 1},
                                {"tests/base/a.cc", "TEST(A, B) {  // TEST of B\n", 0}});
}

TEST(RulesTest, LongFilesAreFound) {
  const std::string line = "int x;\n";
  std::string text;
  for (int i = 0; i < 501; ++i) {
    text += line;
  }
  ExpectCounts(CheckLength, {{"src/base/a.cc", text, 1},
                             {"tests/base/a.cc", text, 0},
                             {"src/base/a.txt", text, 0},
                             {"src/base/a.cc", text.substr(line.size()), 0}});
}

TEST(RulesTest, MachinePathsAreFound) {
  const std::string w = "/wo";
  const std::string r = "/ro";
  ExpectCounts(CheckMachinePaths, {{"a.md", "cd " + w + "rk/main\n", 1},
                                   {"a.md", w + "rk\n", 1},
                                   {"a.md", "\"" + r + "ot/.cache\"\n", 1},
                                   {"a.md",
                                    "/ho"
                                    "me/someone/x\n",
                                    1},
                                   {"a.md", "net" + w + "rk and path" + w + "rker\n", 0},
                                   {"a.md", "https://example.com" + w + "rk\n", 0},
                                   {"a.md", "$root/build\n", 0}});
}

TEST(RulesTest, UnorderedContainersAreFoundWhereOrderCounts) {
  ExpectCounts(CheckOrder, {{"src/operators/a.cc", "std::unordered_map<int, int> m;\n", 1},
                            {"src/model/a.cc", "absl::flat_hash_map<int, int> m;\n", 1},
                            {"src/k8s/a.cc", "std::unordered_map<int, int> m;\n", 0},
                            {"src/operators/a.cc", "std::map<int, int> m;\n", 0}});
}

}  // namespace
}  // namespace logbook::lint
