// PeekedObject::content decides whether a reconcile is needed: too equal loses changes, too
// different reconciles for nothing.
#include <string>

#include <gtest/gtest.h>

#include "logbook/base/json_peek.h"
#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

Hash128 ContentOf(std::string_view json) {
  JsonPeeker peeker;
  const absl::StatusOr<PeekedObject> object = peeker.Object(json);
  EXPECT_OK(object) << json;
  return object.ok() ? object->content : Hash128();
}

constexpr std::string_view kBase =
    R"({"kind":"A","apiVersion":"v1","metadata":{"name":"n","resourceVersion":"1",)"
    R"("managedFields":[{"manager":"m"}],"labels":{"a":"b"}},"spec":{"x":1},"status":{"y":2}})";

TEST(JsonPeekContentTest, BookkeepingIsNoChange) {
  const std::string_view same[] = {
      // another resourceVersion, no managedFields, other managedFields, no kind, other kind
      R"({"kind":"A","apiVersion":"v1","metadata":{"name":"n","resourceVersion":"2","managedFields":[{"manager":"m"}],"labels":{"a":"b"}},"spec":{"x":1},"status":{"y":2}})",
      R"({"kind":"A","apiVersion":"v1","metadata":{"name":"n","resourceVersion":"1","labels":{"a":"b"}},"spec":{"x":1},"status":{"y":2}})",
      R"({"kind":"A","apiVersion":"v1","metadata":{"name":"n","managedFields":[],"labels":{"a":"b"}},"spec":{"x":1},"status":{"y":2}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":1},"status":{"y":2}})",
      R"({"kind":"B","apiVersion":"v2","metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":1},"status":{"y":2}})",
  };
  for (std::string_view json : same) {
    EXPECT_EQ(ContentOf(json), ContentOf(kBase)) << json;
  }
}

TEST(JsonPeekContentTest, EverythingElseIsAChange) {
  const std::string_view changed[] = {
      R"({"metadata":{"name":"m","labels":{"a":"b"}},"spec":{"x":1},"status":{"y":2}})",
      R"({"metadata":{"name":"n","labels":{"a":"c"}},"spec":{"x":1},"status":{"y":2}})",
      R"({"metadata":{"name":"n"},"spec":{"x":1},"status":{"y":2}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"},"uid":"u"},"spec":{"x":1},"status":{"y":2}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":2},"status":{"y":2}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":1},"status":{"y":3}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":1}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":1},"status":{"y":2},"data":{}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"},"deletionTimestamp":"t"},"spec":{"x":1},"status":{"y":2}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"},"finalizers":[]},"spec":{"x":1},"status":{"y":2}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"},"ownerReferences":[]},"spec":{"x":1},"status":{"y":2}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"},"generation":1},"spec":{"x":1},"status":{"y":2}})",
      // resourceVersion and kind count where they are no bookkeeping
      R"({"metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":1,"resourceVersion":"1"},"status":{"y":2}})",
      R"({"metadata":{"name":"n","labels":{"a":"b"}},"spec":{"x":1},"status":{"y":2},"resourceVersion":"1"})",
      R"({"metadata":{"name":"n","labels":{"a":"b"},"kind":"A"},"spec":{"x":1},"status":{"y":2}})",
  };
  for (std::string_view json : changed) {
    EXPECT_NE(ContentOf(json), ContentOf(kBase)) << json;
  }
}

// The same members, but at another level.
TEST(JsonPeekContentTest, MovingAMemberOutOfMetadataIsAChange) {
  EXPECT_NE(ContentOf(R"({"metadata":{"name":"n","spec":{}}})"),
            ContentOf(R"({"metadata":{"name":"n"},"spec":{}})"));
  EXPECT_NE(ContentOf(R"({"metadata":{"name":"n"}})"), ContentOf(R"({"name":"n"})"));
  EXPECT_NE(ContentOf(R"({"metadata":{}})"), ContentOf("{}"));
  EXPECT_NE(ContentOf(R"({"metadata":{},"a":1})"), ContentOf(R"({"a":1,"metadata":{}})"));
}

TEST(JsonPeekContentTest, MovingTextBetweenKeyAndValueIsAChange) {
  EXPECT_NE(ContentOf(R"({"ab":"c"})"), ContentOf(R"({"a":"bc"})"));
  EXPECT_NE(ContentOf(R"({"a":1,"b":2})"), ContentOf(R"({"a":1,"b":22})"));
}

}  // namespace
}  // namespace logbook
