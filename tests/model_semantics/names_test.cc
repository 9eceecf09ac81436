#include "logbook/model/names.h"

#include <map>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "logbook/base/hash.h"
#include "logbook/support/seed.h"

namespace logbook {
namespace {

std::string Hash(std::string_view text) {
  return HexDigest(text, 10);
}

TEST(NamesTest, ValidNamesStay) {
  for (const std::string name :
       {"case1-minimal", "my-app", "a", "app1", "a--b", "web-6d4cf56db", "my-blog"}) {
    EXPECT_EQ(ChildName("default", name), name);
    EXPECT_EQ(LabelValue(name), name);
  }
  EXPECT_EQ(ChildName("ns", std::string(52, 'a')), std::string(52, 'a'));
  EXPECT_EQ(LabelValue("My_App.v1"), "My_App.v1");
  EXPECT_EQ(LabelValue(""), "");
}

TEST(NamesTest, OthersBecomeAReadablePartAndAHash) {
  const std::pair<std::string, std::string> cases[] = {
      {"my.app", "my-app-"},
      {"1app", "x1app-"},
      {"1.2.3", "x1-2-3-"},
      {"a.b-.c", "a-b--c-"},
      {"app.", "app-"},
      {"App", "app-"},
      {"ümlaut", "mlaut-"},
      {"", "x-"},
      {"...", "x-"},
      {std::string(53, 'a'), std::string(41, 'a') + "-"},
      {std::string(40, 'a') + "." + std::string(212, 'b'), std::string(40, 'a') + "-"},
      {std::string(253, '9'), "x" + std::string(40, '9') + "-"},
      // Looks like one of ours, so that it can never be taken for one.
      {"my-app-0123456789", "my-app-0123456789-"},
      {"-abcdefabcd", "abcdefabcd-"},
  };
  for (const auto& [name, readable] : cases) {
    EXPECT_EQ(ChildName("ns", name), readable + Hash("ns/" + name)) << name;
  }
}

TEST(NamesTest, SimilarNamesDoNotMeet) {
  EXPECT_NE(ChildName("ns", "my.app"), ChildName("ns", "my-app"));
  EXPECT_NE(ChildName("ns", "my.app"), ChildName("ns", "my..app"));
  EXPECT_NE(ChildName("a", "my.app"), ChildName("b", "my.app"));
  EXPECT_NE(ChildName("ns", ChildName("ns", "my.app")), ChildName("ns", "my.app"));
  const std::string prefix(252, 'a');
  EXPECT_NE(ChildName("ns", prefix + "b"), ChildName("ns", prefix + "c"));
  EXPECT_NE(LabelValue(prefix + "b"), LabelValue(prefix + "c"));
}

// Frozen: another result would rename the children of running apps.
TEST(NamesTest, NamesAreTheSameOnEveryMachine) {
  EXPECT_EQ(ChildName("default", "my.app"), "my-app-7f5e6e9f11");
  EXPECT_EQ(ChildName("default", "1app"), "x1app-b0d56c67fe");
  EXPECT_EQ(LabelValue("my-app-0123456789"), "my-app-0123456789-9a93a250ea");
}

TEST(NamesTest, LengthsAreKept) {
  for (size_t bytes_max = 12; bytes_max <= 63; ++bytes_max) {
    const std::string name = ChildName("ns", std::string(253, 'a'), bytes_max);
    EXPECT_EQ(name.size(), bytes_max);
    EXPECT_TRUE(IsDns1035Label(name));
  }
  EXPECT_EQ(LabelValue(std::string(64, 'a')).size(), 63u);
}

TEST(NamesTest, LabelValuesNeverEndInADashOrDot) {
  for (const std::string sign : {"-", ".", "_"}) {
    std::string text = std::string(52, 'a') + sign + std::string(20, 'b');
    EXPECT_EQ(LabelValue(text), std::string(52, 'a') + "-" + Hash(text));
    text = std::string(50, 'a') + sign + sign + std::string(20, 'b');
    EXPECT_EQ(LabelValue(text), std::string(50, 'a') + "-" + Hash(text));
  }
}

TEST(NamesTest, AuditNamesAreReadableAndFit) {
  EXPECT_EQ(SubdomainName("audit-deleted-", "case1-minimal", "-1779768644"),
            "audit-deleted-case1-minimal-1779768644");
  EXPECT_EQ(SubdomainName("audit-deleted-", "my.app", "-1779768644-1234abcd"),
            "audit-deleted-my.app-1779768644-1234abcd");
  EXPECT_EQ(SubdomainName("audit-deleted-", "backup-2024010112", "-1"),
            "audit-deleted-backup-2024010112-1");
  const std::string name(253, 'n');
  const std::string audit = SubdomainName("audit-deleted-", name, "-1779768644-1234abcd");
  EXPECT_EQ(audit,
            "audit-deleted-" + std::string(208, 'n') + "-" + Hash(name) + "-1779768644-1234abcd");
  EXPECT_EQ(audit.size(), 253u);
  const std::string dotted = std::string(217, 'n') + "." + std::string(30, 'm');
  EXPECT_EQ(SubdomainName("audit-deleted-", dotted, "-1779768644"),
            "audit-deleted-" + std::string(217, 'n') + "-" + Hash(dotted) + "-1779768644");
}

TEST(NamesTest, ValidatorsAgreeWithTheServer) {
  struct Case {
    std::string text;
    bool label, subdomain, label1035, value;
  };

  const Case cases[] = {
      {"", false, false, false, true},
      {"a", true, true, true, true},
      {"1", true, true, false, true},
      {"A", false, false, false, true},
      {"a-b", true, true, true, true},
      {"-a", false, false, false, false},
      {"a-", false, false, false, false},
      {"a.b", false, true, false, true},
      {"a..b", false, false, false, true},
      {"a.-b", false, false, false, true},
      {"a-.b", false, false, false, true},
      {".a", false, false, false, false},
      {"a.", false, false, false, false},
      {"a_b", false, false, false, true},
      {"a b", false, false, false, false},
      {"a\n", false, false, false, false},
      {"é", false, false, false, false},
      {std::string(63, 'a'), true, true, true, true},
      {std::string(64, 'a'), false, true, false, false},
      {std::string(253, 'a'), false, true, false, false},
      {std::string(254, 'a'), false, false, false, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(IsDns1123Label(c.text), c.label) << c.text;
    EXPECT_EQ(IsDns1123Subdomain(c.text), c.subdomain) << c.text;
    EXPECT_EQ(IsDns1035Label(c.text), c.label1035) << c.text;
    EXPECT_EQ(IsLabelValue(c.text), c.value) << c.text;
  }
}

TEST(NamesTest, EveryNameGetsAValidOneOfItsOwn) {
  std::mt19937_64 random(TestSeed());
  std::set<std::string> names;
  std::map<std::string, std::string> children;
  std::map<std::string, std::string> values;
  for (int i = 0; i < 50'000; ++i) {
    static constexpr std::string_view kAlphabet = "ab19-.A_~\xc3";
    std::string name;
    for (size_t size = random() % (i % 10 == 0 ? 253 : 8); name.size() < size;) {
      name += kAlphabet[random() % kAlphabet.size()];
    }
    if (!names.insert(name).second) {
      continue;
    }
    const std::string child = ChildName("ns", name);
    EXPECT_TRUE(IsDns1035Label(child) && child.size() <= kChildNameBytesMax) << name;
    EXPECT_EQ(child, ChildName("ns", name));
    EXPECT_TRUE(children.emplace(child, name).second) << name << " and " << children[child];
    const std::string value = LabelValue(name);
    EXPECT_TRUE(IsLabelValue(value)) << name;
    EXPECT_TRUE(values.emplace(value, name).second) << name << " and " << values[value];
    EXPECT_TRUE(IsDns1123Subdomain(SubdomainName("audit-deleted-", name, "-1779768644"))) << name;
  }
}

}  // namespace
}  // namespace logbook
