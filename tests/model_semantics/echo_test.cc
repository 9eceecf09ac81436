#include "logbook/model/echo.h"

#include <random>
#include <span>
#include <string>
#include <vector>

#include "golden.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/model/list_types.h"
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

// The tree of ownership of one place below `value`, as an update of it leaves behind.
Json OwnershipOf(const Json& value, const FieldInfo& field, std::span<const std::string> place) {
  if (place.empty() || (value.is_array() && field.list != ListKind::kMap)) {
    return Json::object();
  }
  if (!value.is_array()) {
    return {{"f:" + place[0],
             OwnershipOf(value.at(place[0]), field.type->Field(place[0]), place.subspan(1))}};
  }
  const Json& item = value.at(std::stoul(place[0]));
  Json keys;
  for (const ListKey& key : field.keys) {
    keys[key.name] = item.at(key.name);
  }
  return {{"k:" + DumpJson(keys), OwnershipOf(item, {.type = field.type}, place.subspan(1))}};
}

// What somebody leaves behind who writes `value` to a place.
void WriteAsSomebody(Lap& lap, const std::string& pointer, const Json& value) {
  std::vector<std::string> place;
  for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
    place.insert(place.begin(), at.back());
  }
  lap.after[Json::json_pointer(pointer)] = value;
  lap.after["metadata"]["managedFields"].push_back(
      {{"manager", "somebody"},
       {"operation", "Update"},
       {"fieldsV1", OwnershipOf(lap.after, {.type = &TypeOf(lap.resource)}, place)}});
}

TEST(EchoTest, AForeignChangeIsSeenWhereverItIs) {
  const char* pointers[] = {"/metadata/uid",
                            "/metadata/deletionTimestamp",
                            "/metadata/labels/foreign",
                            "/metadata/annotations/foreign",
                            "/spec/revisionHistoryLimit",
                            "/spec/template/spec/dnsPolicy",
                            "/spec/template/spec/containers/0/imagePullPolicy",
                            "/spec/template/spec/containers/0/workingDir",
                            "/status/readyReplicas",
                            "/newSection"};
  for (const std::string& name : GoldenNames("objects/echo")) {
    const Lap lap(name);
    if (lap.resource == kDeployment && lap.foreign.empty() && !lap.before.is_null()) {
      for (const char* pointer : pointers) {
        Lap changed = lap;
        WriteAsSomebody(changed, pointer, "other");
        EXPECT_NE(changed.FirstForeign(), "") << name << " " << pointer;
      }
    }
  }
}

// What nobody owns the server has put, but only beside what we claim, and never in metadata.
TEST(EchoTest, WithoutAnOwnerAChangeInOurSectionIsTheServers) {
  const std::pair<const char*, const char*> cases[] = {
      {"/spec/revisionHistoryLimit", ""},
      {"/spec/newField", ""},
      {"/spec/template/spec/containers/0/workingDir", ""},
      {"/metadata/deletionTimestamp", ".metadata.deletionTimestamp"},
      {"/metadata/labels/x", ".metadata.labels.x"},
      {"/status/newField", ".status.newField"}};
  for (const auto& [pointer, foreign] : cases) {
    Lap lap("image");
    lap.after[Json::json_pointer(pointer)] = "x";
    EXPECT_EQ(lap.FirstForeign(), foreign) << pointer;
    lap.after["metadata"].erase("managedFields");
    EXPECT_NE(lap.FirstForeign(), "") << pointer;
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
    const std::string parent = at.key().substr(0, at.key().rfind('/'));
    // Inside of atomic values that we claim nobody can tell.
    if (lap.after.at(Json::json_pointer(parent)).is_object() &&
        parent.find("managedFields") == parent.npos && parent.find("/selector") == parent.npos &&
        parent.find("/ownerReferences") == parent.npos) {
      Lap changed = lap;
      WriteAsSomebody(changed, parent + "/foreign", "x");
      EXPECT_NE(changed.FirstForeign(), "") << parent;
    }
  }
}

}  // namespace
}  // namespace logbook
