// AppTest: a namespace with SimpleApps in it and a manager that watches it.
#ifndef LOGBOOK_TESTS_E2E_SUPPORT_APP_TEST_H_
#define LOGBOOK_TESTS_E2E_SUPPORT_APP_TEST_H_

#include <string>
#include <vector>

#include "audit_log.h"
#include "cluster.h"
#include "manager.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/eventually.h"

namespace logbook::e2e {

inline constexpr char kFinalizerName[] = "apps.bootcamp.local/simpleapp-finalizer";
inline constexpr char kAuditSelector[] = "audit.bootcamp.local/source=simpleapp-operator";

class AppTest : public ::testing::Test {
 protected:
  explicit AppTest(Cluster cluster = Cluster::Shared()) : cluster_(std::move(cluster)) {}

  void ApplyApp(const std::string& name, const Json& spec = {{"image", "nginx:1.27"}}) {
    cluster_.Apply(kSimpleApps, SimpleAppObject(ns(), name, spec));
  }

  void PatchSpec(const std::string& name, const Json& spec) {
    cluster_.MergePatch(kSimpleApps, ns(), name, {{"spec", spec}});
  }

  // Without waiting for its end.
  void DeleteApp(const std::string& name, const std::string& cascade = "background") {
    cluster_.Kubectl(
        {"delete", "simpleapp", name, "-n", ns(), "--wait=false", "--cascade=" + cascade});
  }

  void Delete(const std::string& kind, const std::string& name) {
    cluster_.Kubectl({"delete", kind, name, "-n", ns(), "--wait=false"});
  }

  Json GetApp(const std::string& name) { return cluster_.Get(kSimpleApps, ns(), name); }

  Json GetDeployment(const std::string& name) { return cluster_.Get(kDeployments, ns(), name); }

  bool AppGone(const std::string& name) { return GetApp(name).is_null(); }

  std::string Phase(const std::string& name) {
    return JsonString(GetApp(name), {"status", "phase"});
  }

  std::string Message(const std::string& name) {
    return JsonString(GetApp(name), {"status", "message"});
  }

  // Whether the app is Available, and says so of what its spec says now.
  bool Available(const std::string& name) {
    const Json app = GetApp(name);
    return JsonString(app, {"status", "phase"}) == "Available" &&
           JsonInt(app, {"status", "observedGeneration"}) ==
               JsonInt(app, {"metadata", "generation"});
  }

  void WaitAvailable(const std::string& name) {
    ASSERT_TRUE(Eventually([&] { return Available(name); })) << DumpJson(GetApp(name)) << "\n"
                                                             << manager_.Log();
  }

  void WaitGone(const std::string& name) {
    ASSERT_TRUE(Eventually([&] { return AppGone(name); })) << DumpJson(GetApp(name)) << "\n"
                                                           << manager_.Log();
  }

  Json Audits() { return cluster_.List(kConfigMaps, ns(), kAuditSelector); }

  // Until nothing has been written to the journal for a while: the operator has come to rest.
  void StopAndVerify() {
    EXPECT_EQ(manager_.Stop(), 0) << manager_.Log();
    manager_.VerifyJournal();
  }

  const std::string& ns() const { return ns_.name(); }

  Cluster cluster_;
  Namespace ns_{cluster_};
  Manager manager_{cluster_, {.ns = ns_.name()}};
};

}  // namespace logbook::e2e

#endif  // LOGBOOK_TESTS_E2E_SUPPORT_APP_TEST_H_
