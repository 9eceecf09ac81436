#include "logbook/base/json_peek.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "logbook/base/json.h"
#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

constexpr std::string_view kDeployment = R"({
  "kind": "Deployment", "apiVersion": "apps/v1",
  "metadata": {
    "name": "web", "namespace": "shop", "uid": "u-1", "resourceVersion": "42", "generation": 7,
    "labels": {"app": "web"}, "annotations": {"a/b": "{\"x\":[1]}"},
    "ownerReferences": [
      {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "u-0"},
      {"apiVersion": "apps.bootcamp.local/v1", "kind": "SimpleApp", "name": "web", "uid": "u-9",
       "controller": true, "blockOwnerDeletion": true}],
    "finalizers": ["a/b"], "deletionTimestamp": "2026-05-26T03:14:00Z",
    "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}]
  },
  "spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "app"}]}}},
  "status": {"readyReplicas": 2}
})";

std::string WithMetadata(std::string_view more) {
  return Concat(R"({"metadata":{"name":"n")", more, "}}");
}

TEST(JsonPeekTest, IdentityIsFound) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedObject> object = peeker.Object(kDeployment);
  ASSERT_OK(object);
  EXPECT_EQ(object->kind, "Deployment");
  EXPECT_EQ(object->api_version, "apps/v1");
  EXPECT_EQ(object->name, "web");
  EXPECT_EQ(object->ns, "shop");
  EXPECT_EQ(object->uid, "u-1");
  EXPECT_EQ(object->resource_version, "42");
  EXPECT_EQ(object->generation, 7);
  EXPECT_EQ(object->deletion_timestamp, "2026-05-26T03:14:00Z");
  EXPECT_TRUE(object->has_finalizers);
  EXPECT_EQ(object->labels, R"({"app": "web"})");
  EXPECT_EQ(object->annotations, R"({"a/b": "{\"x\":[1]}"})");
  EXPECT_EQ(object->json, kDeployment);
}

TEST(JsonPeekTest, ControllerIsTheOwnerThatSaysSo) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedObject> object = peeker.Object(kDeployment);
  ASSERT_OK(object);
  EXPECT_EQ(object->controller_api_version, "apps.bootcamp.local/v1");
  EXPECT_EQ(object->controller_kind, "SimpleApp");
  EXPECT_EQ(object->controller_name, "web");
  EXPECT_EQ(object->controller_uid, "u-9");
}

TEST(JsonPeekTest, OwnersThatAreNoControllersDoNotCount) {
  JsonPeeker peeker;
  for (std::string_view owners :
       {"null", "[]", "[ ]", R"([{"uid":"u-1","kind":"K"}])", R"([{"uid":"u","controller":false}])",
        R"([{"uid":"u","controller":null}])", "[1,\"x\",null,[]]"}) {
    const std::string json = WithMetadata(Concat(R"(,"ownerReferences":)", owners));
    const absl::StatusOr<PeekedObject> object = peeker.Object(json);
    ASSERT_OK(object) << owners;
    EXPECT_EQ(object->controller_uid, "") << owners;
  }
}

// Typed lists leave apiVersion and kind out of their items.
TEST(JsonPeekTest, ItemOfATypedListNeedsNoKind) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedObject> object =
      peeker.Object(R"({"metadata":{"name":"web","uid":"u-1","resourceVersion":"7"}})");
  ASSERT_OK(object);
  EXPECT_EQ(object->kind, "");
  EXPECT_EQ(object->api_version, "");
  EXPECT_EQ(object->name, "web");
}

TEST(JsonPeekTest, FinalizersCountOnlyWhenThereAreSome) {
  struct Case {
    std::string_view finalizers;
    bool has;
  };

  JsonPeeker peeker;
  for (const Case& c : {Case{"null", false}, Case{"[]", false}, Case{"[ \n\t]", false},
                        Case{R"(["a/b"])", true}, Case{R"([ "a/b" , "c/d" ])", true}}) {
    const std::string json = WithMetadata(Concat(R"(,"finalizers":)", c.finalizers));
    ASSERT_OK(peeker.Object(json));
    EXPECT_EQ(peeker.Object(json)->has_finalizers, c.has) << c.finalizers;
  }
  EXPECT_FALSE(peeker.Object(WithMetadata(""))->has_finalizers);
}

TEST(JsonPeekTest, NullMembersAreAbsent) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedObject> object = peeker.Object(WithMetadata(
      R"(,"namespace":null,"uid":null,"deletionTimestamp":null,"labels":null,"annotations":null)"
      R"(,"generation":null,"resourceVersion":null)"));
  ASSERT_OK(object);
  EXPECT_EQ(object->ns, "");
  EXPECT_EQ(object->uid, "");
  EXPECT_EQ(object->deletion_timestamp, "");
  EXPECT_EQ(object->labels, "");
  EXPECT_EQ(object->annotations, "");
  EXPECT_EQ(object->resource_version, "");
  EXPECT_EQ(object->generation, 0);
}

TEST(JsonPeekTest, GenerationThatIsNoSmallNumberIsZero) {
  JsonPeeker peeker;
  for (std::string_view text :
       {"-1", "1.5", "\"7\"", "[]", "18446744073709551615", "9223372036854775808"}) {
    const absl::StatusOr<PeekedObject> object =
        peeker.Object(WithMetadata(Concat(R"(,"generation":)", text)));
    ASSERT_OK(object) << text;
    EXPECT_EQ(object->generation, 0) << text;
  }
  EXPECT_EQ(peeker.Object(WithMetadata(R"(,"generation":9223372036854775807)"))->generation,
            9223372036854775807);
}

// Names of Kubernetes have no escapes. Whoever sends one all the same gets its raw text.
TEST(JsonPeekTest, EscapesInNamesDoNotCrash) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedObject> object = peeker.Object(
      R"({"metadata":{"n\u0061me":"a\"b\\","namespace":"\u00e4","uid":"\ud83d\ude00","x":"\\"}})");
  ASSERT_OK(object);
  EXPECT_EQ(object->name, R"(a\"b\\)");
  EXPECT_EQ(object->ns, R"(\u00e4)");
}

TEST(JsonPeekTest, WhiteSpaceAroundIsCutOff) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedObject> object = peeker.Object(" \r\n\t{\"metadata\":{}} \n");
  ASSERT_OK(object);
  EXPECT_EQ(object->json, "{\"metadata\":{}}");
}

TEST(JsonPeekTest, WhatIsNoObjectIsRefused) {
  JsonPeeker peeker;
  for (std::string_view text :
       {"", " ", "null", "1", "\"x\"", "[]", "[{}]", "{} {}", "{}}", "{\"a\":1,}", "{\"a\":}",
        "{\"metadata\":5}", "{\"metadata\":[]}", R"({"metadata":{"ownerReferences":{}}})",
        R"({"metadata":{"ownerReferences":"x"}})", "{\"a\":\"\n\"}", "{\"a\":tru}", "{\"a\":01}"}) {
    EXPECT_THAT(peeker.Object(text), StatusIs(kInvalid)) << text;
  }
  EXPECT_THAT(peeker.Object(std::string_view()), StatusIs(kInvalid));
}

TEST(JsonPeekTest, PeekerStillWorksAfterAnError) {
  JsonPeeker peeker;
  EXPECT_THAT(peeker.Object("{"), StatusIs(kInvalid));
  ASSERT_OK(peeker.Object(kDeployment));
  EXPECT_EQ(peeker.Object(kDeployment)->name, "web");
}

TEST(JsonPeekTest, EveryPrefixOfAnObjectIsRefused) {
  JsonPeeker peeker;
  for (size_t size = 0; size < kDeployment.size(); ++size) {
    ASSERT_THAT(peeker.Object(kDeployment.substr(0, size)), StatusIs(kInvalid)) << size;
  }
}

TEST(JsonPeekTest, BytesThatAreNotUtf8AreRefusedEverywhere) {
  JsonPeeker peeker;
  for (std::string_view bad : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_THAT(peeker.Object(WithMetadata(Concat(R"(,"x":")", bad, "\""))), StatusIs(kInvalid));
    EXPECT_THAT(peeker.Object(Concat(R"({"spec":{"a":["b","c)", bad, "\"]}}")), StatusIs(kInvalid));
    EXPECT_THAT(peeker.Object(Concat("{\"k", bad, "\":1}")), StatusIs(kInvalid));
  }
}

std::string NestedIn(size_t depth) {
  return Concat(R"({"metadata":{"name":"n"},"spec":)", std::string(depth, '['),
                std::string(depth, ']'), "}");
}

TEST(JsonPeekTest, DepthIsLimited) {
  JsonPeeker peeker;
  EXPECT_OK(peeker.Object(NestedIn(90)));
  EXPECT_THAT(peeker.Object(NestedIn(101)), StatusIs(kInvalid));
  EXPECT_THAT(peeker.Object(NestedIn(100'000)), StatusIs(kInvalid));
  EXPECT_THAT(peeker.Object(std::string(1'000'000, '[')), StatusIs(kInvalid));
}

// A large object makes the parser allocate anew; the limit must come along.
TEST(JsonPeekTest, DepthIsLimitedAfterALargeObjectToo) {
  JsonPeeker peeker;
  ASSERT_OK(peeker.Object(WithMetadata(Concat(R"(,"x":")", std::string(300'000, 'x'), "\""))));
  EXPECT_OK(peeker.Object(NestedIn(90)));
  EXPECT_THAT(peeker.Object(NestedIn(101)), StatusIs(kInvalid));
}

// What the watch path lets through must be readable as a tree in ten years.
TEST(JsonPeekTest, WhatIsAcceptedCanBeParsed) {
  JsonPeeker peeker;
  for (size_t depth = 80; depth < 120; ++depth) {
    const std::string json = NestedIn(depth);
    EXPECT_LE(peeker.Object(json).ok(), ParseJson(json).ok()) << depth;
  }
  for (std::string_view value :
       {R"("\ud800")", R"("\udc00")", R"("\udc00\ud800")", R"("\ud800x")", R"("\ud83d\ude00")",
        "1e400", "-1e400", "1e-400", "-0", "-0.0", "123456789012345678901234567890", "1E+2",
        "18446744073709551615", "-9223372036854775809", R"("\u0000")", "\"\x7f\"", "\"/\\/\""}) {
    const std::string json = Concat(R"({"metadata":{"name":"n"},"spec":)", value, "}");
    EXPECT_LE(peeker.Object(json).ok(), ParseJson(json).ok()) << value;
  }
}

TEST(JsonPeekTest, ObjectsOfAnySizeAreFound) {
  JsonPeeker peeker;
  for (size_t size : {1'000UL, 65'000UL, 65'536UL, 70'000UL, 1'000'000UL, 20'000'000UL, 10UL}) {
    const std::string json =
        Concat(R"({"data":{"x":")", std::string(size, 'x'), R"("},"metadata":{"name":"big"}})");
    const absl::StatusOr<PeekedObject> object = peeker.Object(json);
    ASSERT_OK(object) << size;
    EXPECT_EQ(object->name, "big");
    EXPECT_EQ(object->json.size(), json.size());
  }
}

TEST(JsonPeekTest, ObjectBeyondTheLimitIsRefused) {
  JsonPeeker peeker;
  const std::string json =
      Concat(R"({"metadata":{"name":")", std::string(size_t{65} * 1024 * 1024, 'x'), "\"}}");
  EXPECT_THAT(peeker.Object(json), StatusIs(kInvalid));
}

TEST(JsonPeekTest, FrameGivesTypeAndObject) {
  JsonPeeker peeker;
  const std::string text = Concat(R"({"type":"ADDED","object":)", kDeployment, "}\n");
  const absl::StatusOr<PeekedFrame> frame = peeker.Frame(text);
  ASSERT_OK(frame);
  EXPECT_EQ(frame->type, "ADDED");
  EXPECT_EQ(frame->object, kDeployment);
  const absl::StatusOr<PeekedObject> object = peeker.Object(frame->object);
  ASSERT_OK(object);
  EXPECT_EQ(object->name, "web");
  EXPECT_EQ(object->json.data(), frame->object.data()) << "looked at in place";
}

TEST(JsonPeekTest, FrameMembersMayComeInAnyOrder) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedFrame> frame = peeker.Frame(
      R"({"object":{"metadata":{"name":"n"}},"more":[1,{"type":"X"}],"type":"NEWER"})");
  ASSERT_OK(frame);
  EXPECT_EQ(frame->type, "NEWER");
  EXPECT_EQ(frame->object, R"({"metadata":{"name":"n"}})");
}

TEST(JsonPeekTest, FrameWithoutTypeOrObjectIsRefused) {
  JsonPeeker peeker;
  for (std::string_view text :
       {"", "{}", "[]", "null", R"({"type":"ADDED"})", R"({"object":{}})",
        R"({"type":"","object":{}})", R"({"type":7,"object":{}})", R"({"type":null,"object":{}})",
        R"({"type":"ADDED","object":)", R"({"type":"ADDED" "object":{}})"}) {
    EXPECT_THAT(peeker.Frame(text), StatusIs(kInvalid)) << text;
  }
}

// A frame and its object together: no cut frame is taken for a whole one.
TEST(JsonPeekTest, EveryPrefixOfAFrameIsRefused) {
  JsonPeeker peeker;
  const std::string text = Concat(R"({"type":"ADDED","object":)", kDeployment, "}");
  for (size_t size = 0; size < text.size(); ++size) {
    const absl::StatusOr<PeekedFrame> frame = peeker.Frame(std::string_view(text).substr(0, size));
    if (frame.ok()) {
      ASSERT_THAT(peeker.Object(frame->object), StatusIs(kInvalid)) << size;
    }
  }
}

// Flips bytes at random: whatever comes out is refused or is consistent, and nothing crashes.
TEST(JsonPeekTest, DamagedFramesDoNotCrash) {
  std::mt19937_64 random(TestSeed());
  const std::string text = Concat(R"({"type":"ADDED","object":)", kDeployment, "}");
  JsonPeeker peeker;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = text;
    for (uint64_t flips = 1 + random() % 3; flips > 0; --flips) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    const absl::StatusOr<PeekedFrame> frame = peeker.Frame(damaged);
    if (!frame.ok()) {
      continue;
    }
    const absl::StatusOr<PeekedObject> object = peeker.Object(frame->object);
    if (object.ok()) {
      ASSERT_OK(ParseJson(object->json)) << damaged;
    }
  }
}

TEST(ParsePeekedTest, IsWhatParseJsonMakesOfIt) {
  for (const char* text :
       {"{}", "[]", "null", "true", "\"\"", " [1, 2]\n", R"({"b":1,"a":{"d":[],"c":[{}]}})",
        R"({"same":1,"same":{"x":2}})", R"(["\u00e9\n\"\\", "\ud83d\ude00", "\u0000"])",
        "[0, 1, -1, 9223372036854775807, -9223372036854775808, 18446744073709551615]",
        "[18446744073709551616, 1.5, -0.0, 1e3, 1E-7, 0.1, 123456789.123456789]"}) {
    const absl::StatusOr<Json> wanted = ParseJson(text);
    const absl::StatusOr<Json> tree = ParsePeeked(text);
    ASSERT_TRUE(wanted.ok() && tree.ok()) << text;
    EXPECT_EQ(DumpJson(*tree), DumpJson(*wanted));
    EXPECT_EQ(*tree, *wanted);
    EXPECT_EQ(tree->flatten().begin()->type(), wanted->flatten().begin()->type()) << text;
  }
}

TEST(ParsePeekedTest, RefusesWhatParseJsonRefuses) {
  const std::string deep = std::string(101, '[') + std::string(101, ']');
  for (const std::string& text : {std::string(""), std::string("{\"a\":}"), std::string("1e999"),
                                  std::string("\"\xff\""), deep}) {
    EXPECT_FALSE(ParsePeeked(text).ok()) << text;
  }
}

}  // namespace
}  // namespace logbook
