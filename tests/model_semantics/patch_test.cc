#include <random>
#include <string>

#include "golden.h"
#include <gtest/gtest.h>

#include "logbook/model/json_patch.h"
#include "logbook/model/merge_patch.h"
#include "logbook/support/seed.h"

namespace logbook {
namespace {

Json WithFinalizers(std::string_view list) {
  return J(Concat("{'metadata':{'uid':'u','finalizers':", list, "}}"));
}

// Applies as the server does: a test for null holds where nothing is.
Json Applied(const Json& object, const Json& patch) {
  Json rest = Json::array();
  for (const Json& operation : patch) {
    const Json::json_pointer path(JsonString(operation, {"path"}));
    if (operation["op"] == "test" && operation["value"].is_null()) {
      EXPECT_FALSE(object.contains(path)) << operation;
    } else {
      rest.push_back(operation);
    }
  }
  return object.patch(rest);
}

TEST(JsonPatchTest, PointersAreEscaped) {
  EXPECT_EQ(JsonPointer({}), "");
  EXPECT_EQ(JsonPointer({"metadata", "annotations", "a.b/c~d"}), "/metadata/annotations/a.b~1c~0d");
  EXPECT_EQ(JsonPointer({"", "~1"}), "//~01");
}

TEST(JsonPatchTest, AddsAFinalizerGuarded) {
  EXPECT_EQ(AddFinalizerPatch(J("{'metadata':{'uid':'u'}}"), "a/b"),
            J("[{'op':'test','path':'/metadata/uid','value':'u'},"
              "{'op':'test','path':'/metadata/finalizers','value':null},"
              "{'op':'add','path':'/metadata/finalizers','value':['a/b']}]"));
  EXPECT_EQ(AddFinalizerPatch(WithFinalizers("['x']"), "a/b"),
            J("[{'op':'test','path':'/metadata/uid','value':'u'},"
              "{'op':'test','path':'/metadata/finalizers','value':['x']},"
              "{'op':'add','path':'/metadata/finalizers/-','value':'a/b'}]"));
  EXPECT_EQ(AddFinalizerPatch(WithFinalizers("['x','a/b']"), "a/b"), std::nullopt);
  EXPECT_EQ(AddFinalizerPatch(WithFinalizers("[]"), "a/b")->size(), 3u);
  EXPECT_EQ(AddFinalizerPatch(WithFinalizers("null"), "a/b")->at(1)["value"], Json());
}

TEST(JsonPatchTest, RemovesAFinalizerGuarded) {
  EXPECT_EQ(RemoveFinalizerPatch(WithFinalizers("['x','a/b','y']"), "a/b"),
            J("[{'op':'test','path':'/metadata/uid','value':'u'},"
              "{'op':'test','path':'/metadata/finalizers/1','value':'a/b'},"
              "{'op':'remove','path':'/metadata/finalizers/1'}]"));
  EXPECT_EQ(RemoveFinalizerPatch(WithFinalizers("['x']"), "a/b"), std::nullopt);
  EXPECT_EQ(RemoveFinalizerPatch(WithFinalizers("[]"), "a/b"), std::nullopt);
  EXPECT_EQ(RemoveFinalizerPatch(J("{'metadata':{}}"), "a/b"), std::nullopt);
  EXPECT_EQ(RemoveFinalizerPatch(J("{}"), "a/b"), std::nullopt);
}

TEST(JsonPatchTest, FinalizerPatchesUndoEachOther) {
  for (const char* list : {"null", "['x']", "['x','y']"}) {
    const Json before = WithFinalizers(list);
    const Json added = Applied(list[0] == 'n' ? J("{'metadata':{'uid':'u'}}") : before,
                               AddFinalizerPatch(before, "a/b").value());
    EXPECT_EQ(AddFinalizerPatch(added, "a/b"), std::nullopt);
    const Json removed = Applied(added, RemoveFinalizerPatch(added, "a/b").value());
    EXPECT_EQ(removed["metadata"]["finalizers"], list[0] == 'n' ? J("[]") : J(list));
  }
}

TEST(JsonPatchTest, StatusIsWrittenMemberByMember) {
  const Json object = J(
      "{'metadata':{'uid':'u'},'status':{'phase':'Pending','url':'u','a/b':1,'foreign':{'x':1}}}");
  const Json status = J("{'phase':'Available','a/b':1,'foreign':{'x':1},'new':[1]}");
  EXPECT_EQ(StatusPatch(object, status),
            J("[{'op':'test','path':'/metadata/uid','value':'u'},"
              "{'op':'test','path':'/status/phase','value':'Pending'},"
              "{'op':'add','path':'/status/phase','value':'Available'},"
              "{'op':'test','path':'/status/url','value':'u'},"
              "{'op':'remove','path':'/status/url'},"
              "{'op':'test','path':'/status/new','value':null},"
              "{'op':'add','path':'/status/new','value':[1]}]"));
  EXPECT_EQ(Applied(object, StatusPatch(object, status).value())["status"], status);
  EXPECT_EQ(StatusPatch(object, object["status"]), std::nullopt);
}

TEST(JsonPatchTest, AFirstStatusIsWrittenWhole) {
  const Json object = J("{'metadata':{'uid':'u'}}");
  EXPECT_EQ(StatusPatch(object, J("{'phase':'Pending'}")),
            J("[{'op':'test','path':'/metadata/uid','value':'u'},"
              "{'op':'test','path':'/status','value':null},"
              "{'op':'add','path':'/status','value':{'phase':'Pending'}}]"));
  EXPECT_EQ(StatusPatch(object, Json::object()), std::nullopt);
  // The server keeps an empty status, and a test for null fails on it.
  EXPECT_EQ(StatusPatch(J("{'metadata':{'uid':'u'},'status':{}}"), J("{'phase':'Pending'}")),
            J("[{'op':'test','path':'/metadata/uid','value':'u'},"
              "{'op':'test','path':'/status/phase','value':null},"
              "{'op':'add','path':'/status/phase','value':'Pending'}]"));
}

// The table of RFC 7386, appendix A: target, patch, result.
TEST(MergePatchTest, AppliesAsTheRfcSays) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"{'a':'b'}", "{'a':'c'}", "{'a':'c'}"},
      {"{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}"},
      {"{'a':'b'}", "{'a':null}", "{}"},
      {"{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}"},
      {"{'a':['b']}", "{'a':'c'}", "{'a':'c'}"},
      {"{'a':'c'}", "{'a':['b']}", "{'a':['b']}"},
      {"{'a':{'b':'c'}}", "{'a':{'b':'d','c':null}}", "{'a':{'b':'d'}}"},
      {"{'a':[{'b':'c'}]}", "{'a':[1]}", "{'a':[1]}"},
      {"['a','b']", "['c','d']", "['c','d']"},
      {"{'a':'b'}", "['c']", "['c']"},
      {"{'a':'foo'}", "null", "null"},
      {"{'a':'foo'}", "'bar'", "'bar'"},
      {"{'e':null}", "{'a':1}", "{'e':null,'a':1}"},
      {"[1,2]", "{'a':'b','c':null}", "{'a':'b'}"},
      {"{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{}}}"}};
  for (const auto& [target, patch, result] : cases) {
    EXPECT_EQ(ApplyMergePatch(J(target), J(patch)), J(result)) << target << " " << patch;
  }
}

TEST(MergePatchTest, IsTheSmallestThatDoesIt) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"{'a':1,'b':{'c':1,'d':1}}", "{'a':1,'b':{'c':2,'d':1}}", "{'b':{'c':2}}"},
      {"{'a':1,'b':2}", "{'a':1}", "{'b':null}"},
      {"{'a':[1,2]}", "{'a':[1,3]}", "{'a':[1,3]}"},
      {"{'a':{'b':1}}", "{'a':7}", "{'a':7}"},
      {"{'a':7}", "{'a':{'b':1}}", "{'a':{'b':1}}"},
      {"{}", "{'a':{}}", "{'a':{}}"},
      {"{'a':1}", "{'a':null}", "{'a':null}"},
      {"{}", "{'a':{'b':null,'c':1}}", "{'a':{'c':1}}"},
      {"{'a':1}", "7", "7"}};
  for (const auto& [from, to, patch] : cases) {
    EXPECT_EQ(MakeMergePatch(J(from), J(to)), J(patch)) << from << " to " << to;
  }
  for (const char* same : {"{}", "{'a':null}", "7", "null", "[1]"}) {
    EXPECT_EQ(MakeMergePatch(J(same), J(same)), std::nullopt) << same;
  }
}

Json RandomObject(std::mt19937_64& random, int depth) {
  Json object = Json::object();
  for (size_t i = random() % 5; i > 0; --i) {
    const std::string name(1, static_cast<char>('a' + random() % 6));
    const Json leaves[] = {1, 2, "x", true, Json::array({1}), Json::array({1, 2}), Json::object()};
    object[name] = depth > 0 && random() % 2 == 0 ? RandomObject(random, depth - 1)
                                                  : leaves[random() % std::size(leaves)];
  }
  return object;
}

TEST(MergePatchTest, WhatItMakesIsWhatWasWanted) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 20'000; ++i) {
    const Json from = RandomObject(random, 3);
    const Json to = RandomObject(random, 3);
    const std::optional<Json> patch = MakeMergePatch(from, to);
    EXPECT_EQ(patch.has_value(), from != to);
    EXPECT_EQ(ApplyMergePatch(from, patch.value_or(Json::object())), to) << from << " to " << to;
  }
}

TEST(JsonPatchTest, StatusPatchMakesAnyStatusOfAnyOther) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 5'000; ++i) {
    const Json from = {{"metadata", {{"uid", "u"}}}, {"status", RandomObject(random, 2)}};
    const Json status = RandomObject(random, 2);
    const std::optional<Json> patch = StatusPatch(from, status);
    EXPECT_EQ(patch.has_value(), from["status"] != status);
    EXPECT_EQ(patch ? Applied(from, *patch)["status"] : status, status);
  }
}

}  // namespace
}  // namespace logbook
