// deploy/ without a cluster: the schema is the documented one, rights are spelled out, and the
// files fit together. deploy_test.sh asks a real API server.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "source_tree.h"
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

namespace logbook::lint {
namespace {

using Strings = std::vector<std::string>;

std::vector<YAML::Node> Documents(const std::string& path) {
  return YAML::LoadAllFromFile(std::string(LOGBOOK_SOURCE_DIR) + "/" + path);
}

YAML::Node Document(const std::string& path) {
  return Documents(path).at(0);
}

YAML::Node Version() {
  return Document("deploy/crd/bases/apps.bootcamp.local_simpleapps.yaml")["spec"]["versions"][0];
}

YAML::Node Properties(const std::string& part) {
  return Version()["schema"]["openAPIV3Schema"]["properties"][part]["properties"];
}

std::string Text(const YAML::Node& node) {
  return node ? node.as<std::string>() : "";
}

Strings List(const YAML::Node& node) {
  return node ? node.as<Strings>() : Strings();
}

// All YAML files of deploy/, by path.
Strings ManifestPaths() {
  Strings paths;
  for (const SourceFile& file : ReadTree("deploy")) {
    if (file.Extension() == ".yaml") {
      paths.push_back(file.path);
    }
  }
  return paths;
}

TEST(ManifestsTest, NamesOfTheCustomResource) {
  const YAML::Node crd = Document("deploy/crd/bases/apps.bootcamp.local_simpleapps.yaml");
  EXPECT_EQ(Text(crd["metadata"]["name"]), "simpleapps.apps.bootcamp.local");
  EXPECT_EQ(Text(crd["spec"]["group"]), "apps.bootcamp.local");
  EXPECT_EQ(Text(crd["spec"]["scope"]), "Namespaced");
  EXPECT_EQ(Text(crd["spec"]["names"]["kind"]), "SimpleApp");
  EXPECT_EQ(Text(crd["spec"]["names"]["plural"]), "simpleapps");
  EXPECT_EQ(List(crd["spec"]["names"]["shortNames"]), Strings{"sapp"});
  EXPECT_EQ(Text(Version()["name"]), "v1");
}

TEST(ManifestsTest, SchemaOfTheSpec) {
  struct Field {
    std::string name, type, format, minimum, maximum, min_length, fallback;
  };

  const Field fields[] = {{"image", "string", "", "", "", "3", ""},
                          {"replicas", "integer", "int32", "0", "", "", "1"},
                          {"port", "integer", "int32", "1", "65535", "", "80"},
                          {"host", "string", "", "", "", "", ""}};
  const YAML::Node properties = Properties("spec");
  EXPECT_EQ(properties.size(), std::size(fields));
  for (const Field& field : fields) {
    SCOPED_TRACE(field.name);
    const YAML::Node property = properties[field.name];
    EXPECT_EQ(Text(property["type"]), field.type);
    EXPECT_EQ(Text(property["format"]), field.format);
    EXPECT_EQ(Text(property["minimum"]), field.minimum);
    EXPECT_EQ(Text(property["maximum"]), field.maximum);
    EXPECT_EQ(Text(property["minLength"]), field.min_length);
    EXPECT_EQ(Text(property["default"]), field.fallback);
    EXPECT_NE(Text(property["description"]), "");
  }
  const YAML::Node schema = Version()["schema"]["openAPIV3Schema"];
  EXPECT_EQ(List(schema["properties"]["spec"]["required"]), Strings{"image"});
  EXPECT_EQ(List(schema["required"]), Strings{"spec"}) << "or an app without spec is accepted";
}

TEST(ManifestsTest, SchemaOfTheStatus) {
  const YAML::Node status = Properties("status");
  EXPECT_EQ(List(status["phase"]["enum"]),
            (Strings{"Pending", "Progressing", "Available", "Failed"}));
  EXPECT_EQ(Text(status["readyReplicas"]["format"]), "int32");
  EXPECT_EQ(Text(status["lastUpdated"]["format"]), "date-time");
  EXPECT_EQ(Text(status["observedGeneration"]["format"]), "int64");
  EXPECT_EQ(Text(status["url"]["type"]), "string");
  EXPECT_EQ(Text(status["message"]["type"]), "string");
  EXPECT_EQ(Text(status["conditions"]["x-kubernetes-list-type"]), "map");
  EXPECT_EQ(List(status["conditions"]["x-kubernetes-list-map-keys"]), Strings{"type"});
  EXPECT_TRUE(Version()["subresources"]["status"].IsMap());
}

TEST(ManifestsTest, SixColumnsInTheirOrder) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"Image", ".spec.image"},
      {"Replicas", ".spec.replicas"},
      {"Ready", ".status.readyReplicas"},
      {"Phase", ".status.phase"},
      {"URL", ".status.url"},
      {"Age", ".metadata.creationTimestamp"}};
  std::vector<std::pair<std::string, std::string>> columns;
  for (const YAML::Node& column : Version()["additionalPrinterColumns"]) {
    columns.emplace_back(Text(column["name"]), Text(column["jsonPath"]));
  }
  EXPECT_EQ(columns, expected);
}

TEST(ManifestsTest, RightsAreSpelledOut) {
  for (const std::string& path : ManifestPaths()) {
    for (const YAML::Node& document : Documents(path)) {
      for (const YAML::Node& rule : document["rules"]) {
        for (const char* part : {"apiGroups", "resources", "verbs", "resourceNames"}) {
          const Strings names = List(rule[part]);
          EXPECT_EQ(std::count(names.begin(), names.end(), "*"), 0)
              << path << ": a star in " << part;
          EXPECT_TRUE(std::is_sorted(names.begin(), names.end())) << path << ": " << part;
        }
      }
    }
  }
}

TEST(ManifestsTest, ThreeRolesForPeople) {
  for (const auto& [role, aggregate] :
       {std::pair("admin", "admin"), std::pair("editor", "edit"), std::pair("viewer", "view")}) {
    const YAML::Node document =
        Document(std::string("deploy/rbac/simpleapp_") + role + "_role.yaml");
    EXPECT_EQ(Text(document["metadata"]["labels"]
                           [std::string("rbac.authorization.k8s.io/aggregate-to-") + aggregate]),
              "true");
  }
}

// Every file belongs to a kustomization, and every kustomization finds its files.
TEST(ManifestsTest, KustomizationsAndFilesAgree) {
  const std::set<std::string> alone = {"deploy/samples/apps_v1_simpleapp.yaml"};
  std::set<std::string> named;
  for (const std::string& path : ManifestPaths()) {
    const std::filesystem::path file = path;
    if (file.filename() != "kustomization.yaml") {
      continue;
    }
    named.insert(path);
    for (const std::string& resource : List(Document(path)["resources"])) {
      const std::string target = (file.parent_path() / resource).lexically_normal();
      EXPECT_TRUE(std::filesystem::exists(std::string(LOGBOOK_SOURCE_DIR) + "/" + target))
          << path << " names " << resource;
      named.insert(target);
    }
  }
  for (const std::string& path : ManifestPaths()) {
    EXPECT_TRUE(named.contains(path) || alone.contains(path)) << path << " is in no kustomization";
  }
}

TEST(ManifestsTest, SamplesSayOnlyWhatTheSchemaKnows) {
  int samples = 0;
  for (const std::string& path : ManifestPaths()) {
    for (const YAML::Node& document : Documents(path)) {
      if (Text(document["kind"]) != "SimpleApp") {
        continue;
      }
      ++samples;
      EXPECT_EQ(Text(document["apiVersion"]), "apps.bootcamp.local/v1") << path;
      EXPECT_GE(Text(document["spec"]["image"]).size(), 3U) << path;
      for (const auto& field : document["spec"]) {
        EXPECT_TRUE(Properties("spec")[Text(field.first)]) << path << ": " << Text(field.first);
      }
    }
  }
  EXPECT_EQ(samples, 4);
}

TEST(ManifestsTest, ManagerRunsUnderTheRestrictedPolicy) {
  const std::vector<YAML::Node> documents = Documents("deploy/manager/manager.yaml");
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(Text(documents[0]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]),
            "restricted");
  const YAML::Node spec = documents[1]["spec"];
  EXPECT_EQ(Text(spec["strategy"]["type"]), "Recreate") << "two writers of one journal";
  const YAML::Node pod = spec["template"]["spec"];
  EXPECT_EQ(Text(pod["securityContext"]["runAsNonRoot"]), "true");
  EXPECT_EQ(Text(pod["securityContext"]["seccompProfile"]["type"]), "RuntimeDefault");
  const YAML::Node context = pod["containers"][0]["securityContext"];
  EXPECT_EQ(Text(context["readOnlyRootFilesystem"]), "true");
  EXPECT_EQ(Text(context["allowPrivilegeEscalation"]), "false");
  EXPECT_EQ(List(context["capabilities"]["drop"]), Strings{"ALL"});
}

}  // namespace
}  // namespace logbook::lint
