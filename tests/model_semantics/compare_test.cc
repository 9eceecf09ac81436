#include "logbook/model/compare.h"

#include <random>
#include <string>

#include "golden.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/seed.h"

namespace logbook {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kDeployment = "deployments.apps";
constexpr std::string_view kIngress = "ingresses.networking.k8s.io";
constexpr std::string_view kWidget = "widgets.example.com";

std::string Containers(std::string_view container) {
  return Concat("{'spec':{'template':{'spec':{'containers':[{'name':'app',", container, "}]}}}}");
}

struct Case {
  std::string_view resource;
  std::string desired;
  std::string live;
};

void ExpectCovered(const Case& c) {
  EXPECT_THAT(FieldDifferences(J(c.desired), J(c.live), c.resource, 10), IsEmpty())
      << c.desired << " in " << c.live;
  EXPECT_TRUE(Covers(J(c.desired), J(c.live), c.resource));
}

void ExpectDifferent(const Case& c) {
  EXPECT_FALSE(Covers(J(c.desired), J(c.live), c.resource)) << c.desired << " in " << c.live;
}

TEST(CompareTest, NothingWantedIsAlwaysThere) {
  ExpectCovered({kDeployment, "{}", "{}"});
  ExpectCovered({kDeployment, "{}", "{'spec':{'replicas':1}}"});
  ExpectCovered({kDeployment, "{'apiVersion':'apps/v2','kind':'X'}", "{}"});
  ExpectCovered({kDeployment,
                 "{'metadata':{'uid':'1','resourceVersion':'1','generation':1,'managedFields':[],"
                 "'creationTimestamp':'x'}}",
                 "{'metadata':{'uid':'2','resourceVersion':'2','generation':2}}"});
}

TEST(CompareTest, AbsentNullAndEmptyAreEqual) {
  const std::string forms[] = {"", ",'x':null", ",'x':[]", ",'x':{}", ",'x':''"};
  for (const std::string& desired : forms) {
    for (const std::string& live : {forms[0], forms[1]}) {
      ExpectCovered({kWidget, "{'spec':{'a':1" + desired + "}}", "{'spec':{'a':1" + live + "}}"});
    }
  }
  ExpectCovered({kWidget, "{'spec':{'x':[]}}", "{}"});
  ExpectCovered({kWidget, "{'spec':{'x':{'y':[]}}}", "{}"});
  ExpectCovered({kDeployment, Containers("'resources':{'limits':{}}"), Containers("'image':'a'")});
}

TEST(CompareTest, EmptyHostEqualsAbsentHost) {
  const std::string without = "{'spec':{'rules':[{'http':{}}]}}";
  for (const std::string host : {"''", "null"}) {
    const std::string with = "{'spec':{'rules':[{'host':" + host + ",'http':{}}]}}";
    ExpectCovered({kIngress, with, without});
    ExpectCovered({kIngress, without, with});
  }
  const std::string named = "{'spec':{'rules':[{'host':'a.b','http':{}}]}}";
  ExpectDifferent({kIngress, without, named});
  ExpectDifferent({kIngress, "{'spec':{'rules':[{'host':'','http':{}}]}}", named});
  ExpectDifferent({kIngress, "{'spec':{'rules':[{'host':null,'http':{}}]}}", named});
}

TEST(CompareTest, AnEmptyClaimClearsAtomicValuesOnly) {
  ExpectDifferent({kDeployment, "{'spec':{'template':{'spec':{'tolerations':[]}}}}",
                   "{'spec':{'template':{'spec':{'tolerations':[{'key':'a'}]}}}}"});
  ExpectDifferent({"services", "{'spec':{'selector':{}}}", "{'spec':{'selector':{'a':'b'}}}"});
  ExpectCovered({kDeployment, Containers("'env':[],'resources':{}"),
                 Containers("'env':[{'name':'A'}],'resources':{'limits':{'cpu':'1'}}")});
  ExpectCovered({kDeployment, "{'spec':{'replicas':null}}", "{'spec':{'replicas':3}}"});
}

// [V]: env value "", minReadySeconds 0 and paused false are owned but not served;
// automountServiceAccountToken false is served, and nobody owns it once somebody has removed it.
TEST(CompareTest, ZeroMayBeAbsentOnlyIfSomebodyOwnsIt) {
  for (const std::string zero : {"0", "false", "''"}) {
    const std::string desired = "{'spec':{'x':" + zero + "}}";
    const std::string owned =
        "{'metadata':{'managedFields':[{'manager':'m','operation':'Apply','fieldsV1':"
        "{'f:spec':{'f:x':{}}}}]},'spec':{}}";
    const std::string not_owned =
        "{'metadata':{'managedFields':[{'manager':'m','operation':'Apply','fieldsV1':"
        "{'f:spec':{'f:y':{}}}}]},'spec':{}}";
    ExpectCovered({kWidget, desired, owned});
    ExpectDifferent({kWidget, desired, not_owned});
  }
  ExpectDifferent({kWidget, "{'spec':{'x':0}}", "{'spec':{}}"});
  ExpectDifferent({kWidget, "{'spec':{'x':false}}", "{'spec':{}}"});
}

// Somebody has made a host path of our volume: the empty object is nobody's any more.
TEST(CompareTest, AnEmptyObjectMayBeAbsentOnlyIfSomebodyOwnsIt) {
  const auto live = [](std::string_view owned, std::string_view volume) {
    return Concat(
        "{'metadata':{'managedFields':[{'fieldsV1':{'f:spec':{'f:template':{'f:spec':{"
        "'f:volumes':{\"k:{\\\"name\\\":\\\"v\\\"}\":{",
        owned, "}}}}}}}]},'spec':{'template':{'spec':{'volumes':[{'name':'v'", volume, "}]}}}}");
  };
  const std::string desired =
      "{'spec':{'template':{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}},'status':{}}";
  ExpectCovered({kDeployment, desired, live("'f:emptyDir':{}", "")});
  ExpectCovered({kDeployment, desired, live("'f:emptyDir':{}", ",'emptyDir':{}")});
  ExpectDifferent({kDeployment, desired, live("'f:hostPath':{}", ",'hostPath':{'path':'/'}")});
}

TEST(CompareTest, ZeroInAListItemIsFoundByTheItemsKeys) {
  const auto live = [](std::string_view keys) {
    return Concat(
        "{'metadata':{'managedFields':[{'fieldsV1':{'f:spec':{'f:template':{'f:spec':{"
        "'f:containers':{\"k:{\\\"name\\\":\\\"",
        keys,
        "\\\"}\":{'f:stdin':{}}}}}}}}]},"
        "'spec':{'template':{'spec':{'containers':[{'name':'app'}]}}}}");
  };
  ExpectCovered({kDeployment, Containers("'stdin':false"), live("app")});
  ExpectDifferent({kDeployment, Containers("'stdin':false"), live("other")});
}

TEST(CompareTest, EmptyTextIsAValueInMapsOfStrings) {
  ExpectDifferent({kWidget, "{'metadata':{'labels':{'a':''}}}", "{'metadata':{'labels':{}}}"});
  ExpectDifferent({kWidget, "{'metadata':{'labels':{'a':''}}}", "{'metadata':{}}"});
  ExpectDifferent({"configmaps", "{'data':{'a':''}}", "{}"});
  ExpectDifferent({"services", "{'spec':{'selector':{}}}", "{'spec':{'selector':{'a':''}}}"});
  ExpectCovered({kWidget, "{'metadata':{'labels':{'a':null}}}", "{'metadata':{}}"});
}

TEST(CompareTest, NumbersCompareByValueAndNotAsText) {
  ExpectCovered({kWidget, "{'spec':{'x':1}}", "{'spec':{'x':1.0}}"});
  ExpectDifferent({kWidget, "{'spec':{'x':80}}", "{'spec':{'x':'80'}}"});
  ExpectDifferent({kWidget, "{'spec':{'x':true}}", "{'spec':{'x':'true'}}"});
  ExpectDifferent({kWidget, "{'spec':{'x':1}}", "{'spec':{'x':true}}"});
}

TEST(CompareTest, QuantitiesCompareAsNumbersWhereTheyAreQuantities) {
  const std::pair<const char*, const char*> equal[] = {
      {"'1000m'", "'1'"}, {"1", "'1'"}, {"0.5", "'500m'"}, {"'100u'", "'1m'"}};
  for (const auto& [a, b] : equal) {
    ExpectCovered({kDeployment, Containers(Concat("'resources':{'limits':{'cpu':", a, "}}")),
                   Containers(Concat("'resources':{'limits':{'cpu':", b, "}}"))});
  }
  ExpectDifferent({kDeployment, Containers("'resources':{'limits':{'cpu':'1'}}"),
                   Containers("'resources':{'limits':{'cpu':'2'}}")});
  ExpectDifferent({kDeployment, Containers("'resources':{'limits':{'cpu':'bad'}}"),
                   Containers("'resources':{'limits':{'cpu':'1'}}")});
  ExpectDifferent({kWidget, "{'spec':{'x':'1000m'}}", "{'spec':{'x':'1'}}"});
}

TEST(CompareTest, PortsAreToldApartByProtocol) {
  const std::string both =
      "{'spec':{'ports':[{'port':53,'protocol':'TCP','targetPort':1},"
      "{'port':53,'protocol':'UDP','targetPort':2}]}}";
  ExpectCovered({"services", both, both});
  ExpectCovered({"services", "{'spec':{'ports':[{'port':53,'targetPort':1}]}}", both});
  ExpectDifferent({"services", both, "{'spec':{'ports':[{'port':53,'targetPort':1}]}}"});
  ExpectDifferent({"services", "{'spec':{'ports':[{'port':53,'targetPort':2}]}}", both});
}

// [V]: an apply puts our items in our order, wherever foreign ones stand.
TEST(CompareTest, OurItemsOfAMapListKeepTheirOrder) {
  const auto env = [](std::string_view names) {
    std::string items;
    for (char name : names) {
      items += Concat(items.empty() ? "" : ",", "{'name':'", std::string(1, name), "'}");
    }
    return Containers(Concat("'env':[", items, "]"));
  };
  for (const char* live : {"AB", "XAB", "AXB", "ABX", "XAYBZ"}) {
    ExpectCovered({kDeployment, env("AB"), env(live)});
  }
  for (const char* live : {"BA", "XBA", "BXA", "A", "B", "X"}) {
    ExpectDifferent({kDeployment, env("AB"), env(live)});
  }
  EXPECT_THAT(FieldDifferences(J(env("ABC")), J(env("CAB")), kDeployment, 10),
              ElementsAre(".spec.template.spec.containers[name=\"app\"].env"));
}

TEST(CompareTest, SetsAreCoveredByTheirValues) {
  ExpectCovered({kWidget, "{'metadata':{'finalizers':['b','a']}}",
                 "{'metadata':{'finalizers':['a','x','b']}}"});
  ExpectDifferent(
      {kWidget, "{'metadata':{'finalizers':['a','b']}}", "{'metadata':{'finalizers':['a']}}"});
}

TEST(CompareTest, AtomicListsAreComparedWhole) {
  ExpectCovered({kWidget, "{'spec':{'x':[1,2]}}", "{'spec':{'x':[1,2]}}"});
  for (const char* live : {"[1]", "[2,1]", "[1,2,3]", "[]", "[[1],2]"}) {
    ExpectDifferent({kWidget, "{'spec':{'x':[1,2]}}", Concat("{'spec':{'x':", live, "}}")});
  }
}

// A CRD may put defaults into the items of an atomic list; that is not known here.
TEST(CompareTest, ForeignMembersInsideAtomicValuesCountWhereDefaultsAreKnown) {
  ExpectCovered({kWidget, "{'spec':{'x':[{'a':1}]}}", "{'spec':{'x':[{'a':1,'b':2}]}}"});
  ExpectDifferent({kIngress, "{'spec':{'tls':[{'hosts':['a']}]}}",
                   "{'spec':{'tls':[{'hosts':['a'],'secretName':'s'}]}}"});
  ExpectCovered({kDeployment,
                 Containers("'env':[{'name':'A','valueFrom':{'fieldRef':{'fieldPath':'x'}}}]"),
                 Containers("'env':[{'name':'A','valueFrom':{'fieldRef':{'apiVersion':'v1',"
                            "'fieldPath':'x'}}}]")});
}

TEST(CompareTest, UnexpectedTypesDifferAndDoNoHarm) {
  const char* values[] = {"1", "'a'", "[1]", "['a']", "[{'name':'app'}]", "{'a':1}", "true"};
  for (const char* path : {"spec", "status"}) {
    for (const char* desired : values) {
      for (const char* live : values) {
        EXPECT_EQ(Covers(J(Concat("{'", path, "':", desired, "}")),
                         J(Concat("{'", path, "':", live, "}")), kDeployment),
                  std::string_view(desired) == live)
            << desired << " in " << live;
      }
    }
  }
  ExpectDifferent({kDeployment, "{'spec':{'template':{'spec':{'containers':{'name':'a'}}}}}",
                   "{'spec':{'template':{'spec':{'containers':[{'name':'a'}]}}}}"});
  ExpectDifferent(
      {kDeployment, Containers("'ports':['text',7]"), Containers("'ports':['text',7]")});
  EXPECT_TRUE(Covers(J("[]"), J("7"), kDeployment));
}

Json RandomValue(std::mt19937_64& random, int depth) {
  switch (random() % (depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return static_cast<int64_t>(random() % 3);
    case 3:
      return "text";
    case 4:
      return "";
    case 5:
      return 1.5;
    case 6: {
      Json list = Json::array();
      for (size_t i = random() % 4; i > 0; --i) {
        list.push_back(RandomValue(random, depth - 1));
      }
      return list;
    }
    default: {
      Json object = Json::object();
      for (size_t i = random() % 5; i > 0; --i) {
        static constexpr const char* kNames[] = {"metadata", "spec",  "labels", "containers",
                                                 "name",     "ports", "rules",  "a",
                                                 "template", "limits"};
        object[kNames[random() % std::size(kNames)]] = RandomValue(random, depth - 1);
      }
      return object;
    }
  }
}

TEST(CompareTest, RandomValuesDoNoHarmAndUnrelatedAdditionsChangeNothing) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 20'000; ++i) {
    const Json desired = {{"spec", RandomValue(random, 6)}};
    const Json live = {{"spec", RandomValue(random, 6)}};
    for (std::string_view resource : {kDeployment, kIngress, kWidget}) {
      Json more = live;
      more["other"] = 1;
      EXPECT_EQ(Covers(desired, live, resource), Covers(desired, more, resource))
          << desired << live;
    }
    EXPECT_TRUE(Covers(desired, desired, kWidget)) << desired;
  }
}

}  // namespace
}  // namespace logbook
