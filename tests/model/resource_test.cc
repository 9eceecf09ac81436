#include "logbook/model/resource.h"

#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

TEST(ResourceTest, TextIsRead) {
  struct Case {
    std::string_view text, group, version, plural;
  };

  const Case cases[] = {
      {"v1/pods", "", "v1", "pods"},
      {"apps/v1/deployments", "apps", "v1", "deployments"},
      {"networking.k8s.io/v1/ingresses", "networking.k8s.io", "v1", "ingresses"},
      {"apps.bootcamp.local/v1/simpleapps", "apps.bootcamp.local", "v1", "simpleapps"}};
  for (const Case& c : cases) {
    const absl::StatusOr<Resource> resource = ParseResource(c.text);
    ASSERT_OK(resource) << c.text;
    EXPECT_EQ(resource->group, c.group);
    EXPECT_EQ(resource->version, c.version);
    EXPECT_EQ(resource->plural, c.plural);
    EXPECT_EQ(resource->kind, "") << "discovery tells";
    EXPECT_EQ(resource->ToString(), c.text) << "and is written back";
  }
}

TEST(ResourceTest, OtherTextIsRefusedAndQuoted) {
  for (std::string_view text : {"", "/", "pods", "v1/", "/pods", "//", "apps//deployments",
                                "apps/v1/", "apps/v1/deployments/status"}) {
    EXPECT_THAT(ParseResource(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                              testing::HasSubstr(Concat("\"", text, "\""))));
  }
}

TEST(ResourceTest, NamesOfGroupsAndVersions) {
  const Resource pods{.version = "v1", .plural = "pods"};
  const Resource deployments{.group = "apps", .version = "v1", .plural = "deployments"};
  EXPECT_EQ(pods.GroupResource(), "pods");
  EXPECT_EQ(pods.ApiVersion(), "v1");
  EXPECT_EQ(deployments.GroupResource(), "deployments.apps");
  EXPECT_EQ(deployments.ApiVersion(), "apps/v1");
}

TEST(ResourceTest, GroupOfAnApiVersion) {
  EXPECT_EQ(GroupOf("apps/v1"), "apps");
  EXPECT_EQ(GroupOf("v1"), "");
  EXPECT_EQ(GroupOf(""), "");
  EXPECT_EQ(GroupOf("apps.bootcamp.local/v1"), "apps.bootcamp.local");
}

}  // namespace
}  // namespace logbook
