#include "logbook/k8s/url.h"

#include <gtest/gtest.h>

namespace logbook::k8s {
namespace {

const Resource kPods{.group = "", .version = "v1", .plural = "pods"};
const Resource kDeployments{.group = "apps", .version = "v1", .plural = "deployments"};

TEST(UrlTest, PathsFollowGroupNamespaceNameAndSubresource) {
  struct Case {
    Target target;
    const char* path;
  };

  const Case cases[] = {
      {{kPods, {"", ""}}, "/api/v1/pods"},
      {{kPods, {"shop", ""}}, "/api/v1/namespaces/shop/pods"},
      {{kPods, {"shop", "web"}}, "/api/v1/namespaces/shop/pods/web"},
      {{kDeployments, {"shop", "web"}}, "/apis/apps/v1/namespaces/shop/deployments/web"},
      {{kDeployments, {"shop", "web"}, "status"},
       "/apis/apps/v1/namespaces/shop/deployments/web/status"},
      {{kDeployments, {"", "node/1"}}, "/apis/apps/v1/deployments/node%2F1"},
      {{kPods, {"", "system:a b"}}, "/api/v1/pods/system%3Aa%20b"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(PathOf(c.target), c.path);
  }
}

TEST(UrlTest, QueryValuesAreEncodedAndEmptyOnesLeftOut) {
  EXPECT_EQ(Query().text(), "");
  EXPECT_EQ(Query().Add("a", "").text(), "");
  EXPECT_EQ(Query().Add("limit", "500").Add("labelSelector", "a=b,!c,d in (e)").text(),
            "?limit=500&labelSelector=a%3Db%2C%21c%2Cd%20in%20%28e%29");
}

}  // namespace
}  // namespace logbook::k8s
