// Reconcilers are pure: their object files import nothing that tells the time, rolls dice, reads
// the environment, opens files or starts threads. The handlers in external.cc are the one
// exception.
#include <cstdio>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace logbook::lint {
namespace {

struct Import {
  std::string member;  // "reconciler.cc.o"
  std::string symbol;  // "absl::Now()"
};

// What `nm` says the members of an archive need from elsewhere.
std::vector<Import> ParseNm(const std::string& output) {
  static const std::regex kMember(R"(^([^\s:]+\.o):$)");
  static const std::regex kSymbol(R"(^\s*U (.*)$)");
  std::vector<Import> imports;
  std::string member;
  for (size_t at = 0; at < output.size();) {
    const size_t end = std::min(output.find('\n', at), output.size());
    const std::string line = output.substr(at, end - at);
    std::smatch match;
    if (std::regex_match(line, match, kMember)) {
      member = match[1];
    } else if (std::regex_match(line, match, kSymbol)) {
      imports.push_back({.member = member, .symbol = match[1]});
    }
    at = end + 1;
  }
  return imports;
}

// Why an import is forbidden; "" if it is not.
std::string Objection(const Import& import) {
  struct Denied {
    std::regex pattern;
    std::string why;
  };

  // C functions stand without a parenthesis, C++ ones with their arguments; versions as
  // "@GLIBC_2.17"
  static const std::vector<Denied> kDenied = {
      {std::regex(R"(^(time|clock|clock_gettime|gettimeofday|localtime(_r)?|gmtime(_r)?)(@.*)?$)"),
       "clock"},
      {std::regex(R"(^absl::(\w+::)?Now\(\)|^std::chrono::.*::now\(\)|SystemClock)"), "clock"},
      {std::regex(R"(^(s?rand(om)?(_r)?|[dlm]rand48|getrandom|getentropy|arc4random\w*)(@.*)?$)"),
       "randomness"},
      {std::regex(R"(^std::random_device|^std::.*mersenne_twister)"), "randomness"},
      {std::regex(
           R"(^((secure_)?getenv|setenv|putenv|environ|setlocale|gethostname|getpid)(@.*)?$)"),
       "environment"},
      {std::regex(R"(^std::locale::(global|locale\(char))"), "locale"},
      {std::regex(
           R"(^(pthread_create|fork|execve|posix_spawnp?|system|popen)(@.*)?$|^std::thread)"),
       "threads"},
      {std::regex(
           R"(^(open|openat|fopen|creat|socket|connect|bind|unlink|rename|mkdir)(64)?(@.*)?$)"),
       "input or output"},
      {std::regex(R"(^std::(basic_)?[io]?fstream|^std::filesystem::|^std::(__ioinit|cout|cerr))"),
       "input or output"},
      {std::regex(R"(^logbook::(store|k8s|http)::)"), "disk or network"},
  };
  if (import.member == "external.cc.o") {
    return "";
  }
  for (const Denied& denied : kDenied) {
    if (std::regex_search(import.symbol, denied.pattern)) {
      return denied.why;
    }
  }
  return "";
}

TEST(PurityTest, ForbiddenImportsAreRecognised) {
  const std::vector<Import> imports = ParseNm(
      "\nreconciler.cc.o:\n"
      "                 U absl::debian3::Now()\n"
      "                 U clock_gettime@GLIBC_2.17\n"
      "                 U getenv\n"
      "                 U std::thread::_M_start_thread(std::unique_ptr<std::thread::_State>)\n"
      "                 U logbook::k8s::Get()\n"
      "                 U fopen64\n"
      "                 U logbook::View::Now() const\n"
      "                 U memcpy\n"
      "\nexternal.cc.o:\n"
      "                 U absl::debian3::Now()\n");
  ASSERT_EQ(imports.size(), 9U);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NE(Objection(imports[i]), "") << imports[i].symbol;
  }
  for (size_t i = 6; i < 9; ++i) {
    EXPECT_EQ(Objection(imports[i]), "") << imports[i].symbol;
  }
}

#ifdef LOGBOOK_OPERATORS_LIBRARY
std::string RunNm() {
  const std::string command =
      LOGBOOK_NM " -u --demangle '" LOGBOOK_OPERATORS_LIBRARY "' 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  char buffer[4096];
  for (size_t got = 0; (got = fread(buffer, 1, sizeof(buffer), pipe.get())) > 0;) {
    output.append(buffer, got);
  }
  return output;
}

TEST(PurityTest, ReconcilersImportNothingImpure) {
  const std::vector<Import> imports = ParseNm(RunNm());
  ASSERT_FALSE(imports.empty()) << "nm found nothing in " LOGBOOK_OPERATORS_LIBRARY;
  for (const Import& import : imports) {
    const std::string why = Objection(import);
    EXPECT_EQ(why, "") << import.member << " imports " << import.symbol;
  }
}
#endif

}  // namespace
}  // namespace logbook::lint
