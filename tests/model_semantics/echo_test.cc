#include "logbook/model/echo.h"

#include <random>
#include <string>

#include "golden.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/seed.h"

namespace logbook {
namespace {

constexpr std::string_view kDeployment = "deployments.apps";
constexpr std::string_view kWidget = "widgets.example.com";

struct Lap {
  explicit Lap(const std::string& name) {
    const Json golden = GoldenJson("objects/echo/" + name + ".json");
    resource = JsonString(golden, {"resource"});
    before = golden["before"];
    applied = golden["applied"];
    after = golden["after"];
    foreign = JsonString(golden, {"foreign"});
  }

  std::string FirstForeign() const {
    return FirstForeignDifference(before, after, applied, "logbook", resource).value_or("");
  }

  std::string resource;
  Json before;
  Json applied;
  Json after;
  std::string foreign;
};

std::string FirstForeign(std::string_view before, std::string_view after, std::string_view applied,
                         std::string_view resource) {
  return FirstForeignDifference(J(before), J(after), J(applied), "logbook", resource).value_or("");
}

TEST(EchoTest, RecordedResponsesAreOursExceptWhatSomebodyElseDid) {
  for (const std::string& name : GoldenNames("objects/echo")) {
    const Lap lap(name);
    EXPECT_EQ(lap.FirstForeign(), lap.foreign) << name;
    EXPECT_EQ(ChangedOnlyWithin(lap.before, lap.after, lap.applied, "logbook", lap.resource),
              lap.foreign.empty());
  }
}

TEST(EchoTest, AForeignChangeIsSeenWhereverItIs) {
  const char* pointers[] = {"/metadata/uid",
                            "/metadata/deletionTimestamp",
                            "/metadata/labels/foreign",
                            "/metadata/annotations/foreign",
                            "/spec/revisionHistoryLimit",
                            "/spec/template/spec/dnsPolicy",
                            "/spec/template/spec/containers/0/imagePullPolicy",
                            "/spec/template/spec/containers/0/env",
                            "/status/readyReplicas",
                            "/newSection"};
  for (const std::string& name : GoldenNames("objects/echo")) {
    const Lap lap(name);
    if (lap.resource != kDeployment || !lap.foreign.empty() || lap.before.is_null() ||
        name.starts_with("env")) {
      continue;
    }
    for (const char* pointer : pointers) {
      Lap changed = lap;
      changed.after[Json::json_pointer(pointer)] = J("[{'name':'X'}]");
      EXPECT_NE(changed.FirstForeign(), "") << name << " " << pointer;
    }
  }
}

TEST(EchoTest, EqualObjectsAreOurs) {
  const Lap lap("image");
  EXPECT_TRUE(ChangedOnlyWithin(lap.before, lap.before, Json(), "", lap.resource));
  EXPECT_TRUE(ChangedOnlyWithin(Json(), lap.after, lap.applied, "logbook", lap.resource));
}

TEST(EchoTest, ServerMetadataDoesNotCount) {
  EXPECT_EQ(FirstForeign("{'metadata':{'resourceVersion':'1','generation':1,'managedFields':[1]}}",
                         "{'metadata':{'resourceVersion':'2','generation':2,'managedFields':[2]}}",
                         "{}", kWidget),
            "");
}

TEST(EchoTest, AnotherIncarnationIsForeign) {
  EXPECT_EQ(FirstForeign("{'metadata':{'uid':'1'}}", "{'metadata':{'uid':'2'}}",
                         "{'metadata':{'name':'x'}}", kWidget),
            ".metadata.uid");
}

TEST(EchoTest, ValuesOfSetsGoOneByOne) {
  const auto finalizers = [](std::string_view list) {
    return Concat("{'metadata':{'finalizers':", list, "}}");
  };

  struct Case {
    const char* before;
    const char* after;
    const char* foreign;
  };

  const Case cases[] = {{"[]", "['ours']", ""},
                        {"['other']", "['other','ours']", ""},
                        {"['ours']", "[]", ""},
                        {"['ours']", "null", ""},
                        {"['other','ours']", "['other']", ""},
                        {"['a','b']", "['b','a','ours']", ""},
                        {"[]", "['other','ours']", ".metadata.finalizers[=\"other\"]"},
                        {"['other','ours']", "[]", ".metadata.finalizers[=\"other\"]"}};
  for (const Case& c : cases) {
    EXPECT_EQ(
        FirstForeign(finalizers(c.before), finalizers(c.after), finalizers("['ours']"), kWidget),
        c.foreign)
        << c.before << " to " << c.after;
  }
}

TEST(EchoTest, ConditionsGoByType) {
  const auto status = [](std::string_view conditions) {
    return Concat("{'status':{'conditions':[", conditions, "]}}");
  };
  const char* ours = "{'type':'Ready','status':'True'}";
  EXPECT_EQ(FirstForeign(status("{'type':'Ready','status':'False'}"), status(ours), status(ours),
                         kWidget),
            "");
  EXPECT_EQ(FirstForeign(status(""), status("{'type':'Ready','status':'True','reason':'default'}"),
                         status(ours), kWidget),
            "");
  EXPECT_EQ(FirstForeign(status("{'type':'Ready','status':'False'}"),
                         status(Concat(ours, ",{'type':'Other','status':'True'}")), status(ours),
                         kWidget),
            ".status.conditions[type=\"Other\"]");
  EXPECT_EQ(
      FirstForeign(status("{'type':'Ready','status':'False','by':'a'}"),
                   status("{'type':'Ready','status':'True','by':'b'}"), status(ours), kWidget),
      ".status.conditions[type=\"Ready\"].by");
}

TEST(EchoTest, NullInAMergePatchClaimsTheRemoval) {
  EXPECT_EQ(
      FirstForeign("{'status':{'url':'u','phase':'A','extra':{'a':[1]}}}",
                   "{'status':{'phase':'A'}}", "{'status':{'url':null,'extra':null}}", kWidget),
      "");
  EXPECT_EQ(FirstForeign("{'status':{'url':'u','phase':'A'}}", "{'status':{}}",
                         "{'status':{'url':null}}", kWidget),
            ".status.phase");
}

TEST(EchoTest, DefaultsComeWithStructsAndNotWithMapsOfStrings) {
  EXPECT_EQ(FirstForeign("{'spec':{}}", "{'spec':{'probe':{'path':'/','period':10}}}",
                         "{'spec':{'probe':{'path':'/'}}}", kWidget),
            "");
  EXPECT_EQ(FirstForeign("{'metadata':{}}", "{'metadata':{'labels':{'a':'1','b':'2'}}}",
                         "{'metadata':{'labels':{'a':'1'}}}", kWidget),
            ".metadata.labels.b");
}

// Somebody has taken the field over and changed it before our apply gave it up.
TEST(EchoTest, AValueThatWeGaveUpAndSomebodyChangedIsForeign) {
  const std::string owned =
      "'managedFields':[{'manager':'logbook','operation':'Apply',"
      "'fieldsV1':{'f:metadata':{'f:labels':{'f:a':{}}}}}]";
  EXPECT_EQ(FirstForeign(Concat("{'metadata':{'labels':{'a':'1','k':'1'},", owned, "}}"),
                         "{'metadata':{'labels':{'a':'2','k':'1'}}}", "{'metadata':{}}", kWidget),
            ".metadata.labels.a");
  EXPECT_EQ(FirstForeign(Concat("{'metadata':{'labels':{'a':'1','k':'1'},", owned, "}}"),
                         "{'metadata':{'labels':{'k':'1'}}}", "{'metadata':{}}", kWidget),
            "");
  EXPECT_EQ(FirstForeign(Concat("{'metadata':{'labels':{'a':'1','k':'1'},", owned, "}}"),
                         "{'metadata':{}}", "{'metadata':{}}", kWidget),
            ".metadata.labels.k");
}

TEST(EchoTest, UnexpectedTypesDoNoHarm) {
  const char* values[] = {
      "null", "1", "'a'", "[]", "[1]", "['a',{'type':7}]", "{}", "{'a':{'b':[{}]}}"};
  for (const char* path : {"metadata", "spec", "status"}) {
    for (const char* before : values) {
      for (const char* after : values) {
        for (const char* applied : values) {
          const auto at = [&](const char* value) { return Concat("{'", path, "':", value, "}"); };
          const std::string foreign = FirstForeign(at(before), at(after), at(applied), kDeployment);
          if (std::string_view(before) == after) {
            EXPECT_EQ(foreign, "");
          }
        }
      }
    }
  }
}

// Whatever a stranger adds to a random place that we do not claim is seen.
TEST(EchoTest, RandomForeignAdditionsAreSeen) {
  std::mt19937_64 random(TestSeed());
  const Lap lap("image");
  const Json flat = lap.after.flatten();
  for (int i = 0; i < 500; ++i) {
    auto at = flat.begin();
    std::advance(at, random() % flat.size());
    std::string pointer = at.key();
    pointer.resize(pointer.rfind('/'));
    Lap changed = lap;
    Json& place = changed.after[Json::json_pointer(pointer)];
    if (place.is_object() && pointer.find("managedFields") == pointer.npos) {
      place["foreign"] = "x";
      // Whatever is added to an atomic selector that we claim cannot be told from ours.
      const bool atomic = pointer.find("/selector") != pointer.npos ||
                          pointer.find("/ownerReferences") != pointer.npos;
      EXPECT_EQ(changed.FirstForeign() != "" || atomic, true) << pointer;
    }
  }
}

}  // namespace
}  // namespace logbook
