#include "logbook/k8s/discovery.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/k8s/api_status.h"
#include "logbook/k8s/transport_status.h"
#include "logbook/support/mock_api_client.h"
#include "logbook/support/status_matchers.h"

namespace logbook::k8s {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::NiceMock;
using ::testing::Return;
using Code = absl::StatusCode;

const Resource kPods{.group = "", .version = "v1", .plural = "pods"};
const Resource kIngresses{.group = "networking.k8s.io", .version = "v1", .plural = "ingresses"};
const Resource kApps{.group = "apps.example.com", .version = "v1", .plural = "webs"};
constexpr char kCrdPath[] =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/webs.apps.example.com";

class DiscoveryTest : public ::testing::Test {
 protected:
  void Answer(const std::string& path, std::string body) {
    ON_CALL(api_, GetPath(std::string_view(path), _))
        .WillByDefault(Return(ApiReply{200, std::move(body)}));
  }

  void Refuse(const std::string& path, int http_status, std::string_view body = "") {
    ON_CALL(api_, GetPath(std::string_view(path), _))
        .WillByDefault(Return(StatusOfAnswer({.http_status = http_status, .body = body})));
  }

  void AnswerAppsList() {
    Answer("/apis/apps.example.com/v1",
           R"({"resources":[{"name":"webs/status","kind":"Web","namespaced":true},)"
           R"({"name":"webs","kind":"Web","namespaced":false}]})");
  }

  absl::StatusOr<ServedResource> Find(const Resource& resource) {
    return Discover(api_, resource, {}, Logger());
  }

  NiceMock<MockApiClient> api_;
};

TEST_F(DiscoveryTest, BuiltInKindIsServedByTheServersVersion) {
  Answer("/api/v1", R"({"resources":[{"name":"pods","kind":"Pod","namespaced":true}]})");
  Answer("/apis/networking.k8s.io/v1", R"({"resources":[{"name":"ingresses","kind":"Ingress"}]})");
  Answer("/version", R"({"gitVersion":"v1.36.3"})");
  const absl::StatusOr<ServedResource> pods = Find(kPods);
  ASSERT_OK(pods);
  EXPECT_EQ(pods->resource.kind, "Pod");
  EXPECT_TRUE(pods->resource.namespaced);
  EXPECT_EQ(pods->served_by, "server/v1.36.3");
  EXPECT_EQ(Find(kIngresses)->served_by, "server/v1.36.3");
}

TEST_F(DiscoveryTest, CustomKindIsServedByItsCrd) {
  AnswerAppsList();
  Answer(kCrdPath, R"({"metadata":{"uid":"u-1","generation":3}})");
  const absl::StatusOr<ServedResource> webs = Find(kApps);
  ASSERT_OK(webs);
  EXPECT_EQ(webs->resource.kind, "Web");
  EXPECT_FALSE(webs->resource.namespaced);
  EXPECT_EQ(webs->served_by, "crd/u-1/3");
}

TEST_F(DiscoveryTest, KindWithoutCrdIsAnAggregatedServers) {
  AnswerAppsList();
  Refuse(kCrdPath, 404, R"({"kind":"Status","reason":"NotFound","details":{"name":"x"}})");
  Answer("/version", R"({"gitVersion":"v1.36.3"})");
  EXPECT_EQ(Find(kApps)->served_by, "server/v1.36.3");
}

TEST_F(DiscoveryTest, CrdThatMayNotBeReadEqualsNothing) {
  AnswerAppsList();
  Refuse(kCrdPath, 403);
  const absl::StatusOr<ServedResource> webs = Find(kApps);
  ASSERT_OK(webs);
  EXPECT_FALSE(SameServer(webs->served_by, webs->served_by));
}

TEST_F(DiscoveryTest, NotServedIsNotUnreachable) {
  Refuse("/apis/apps.example.com/v1", 404, "404 page not found");
  EXPECT_THAT(Find(kApps),
              StatusIs(Code::kNotFound, HasSubstr("does not serve apps.example.com/v1/webs: is its "
                                                  "CustomResourceDefinition installed?")));
  Answer("/apis/apps.example.com/v1", R"({"resources":[{"name":"others"}]})");
  EXPECT_THAT(Find(kApps), StatusIs(Code::kNotFound));
  ON_CALL(api_, GetPath(std::string_view("/apis/apps.example.com/v1"), _))
      .WillByDefault(Return(TransportError(Code::kUnavailable, "refused", Sent::kNo)));
  EXPECT_THAT(Find(kApps), StatusIs(Code::kUnavailable));
  Answer("/apis/apps.example.com/v1", "<html>Please log in</html>");
  EXPECT_THAT(Find(kApps), StatusIs(Code::kUnavailable, HasSubstr("is this an API server?")));
}

TEST(SameServerTest, EmptyEqualsNothing) {
  EXPECT_TRUE(SameServer("a", "a"));
  EXPECT_FALSE(SameServer("a", "b"));
  EXPECT_FALSE(SameServer("", ""));
}

}  // namespace
}  // namespace logbook::k8s
