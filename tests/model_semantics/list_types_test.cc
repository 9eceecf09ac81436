#include "logbook/model/list_types.h"

#include <set>
#include <sstream>
#include <string>

#include "golden.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook {
namespace {

using ::testing::IsEmpty;

// What the types say about a kind, in the words of record.py.
class Describe {
 public:
  std::set<std::string> Lines(const std::string& resource) {
    Type(TypeOf(resource), resource, false);
    return lines_;
  }

 private:
  void Type(const TypeInfo& type, const std::string& path, bool inside_atomic) {
    if (type.atomic && !inside_atomic) {
      lines_.insert(path + " atomic");
    }
    if (type.quantity && path.find(".status.") == path.npos) {
      lines_.insert(path + " quantity");
    }
    for (const auto& [name, field] : type.fields) {
      const bool text = name == "*" && !field.type->quantity;
      if (text) {
        lines_.insert(path + " open");
      } else {
        Field(field, path + "." + name, inside_atomic || type.atomic);
      }
    }
  }

  // The table does not say which fields are atomic lists, so paths are compared without their [].
  void Field(const FieldInfo& field, const std::string& path, bool inside_atomic) {
    if (field.list == ListKind::kAtomic) {
      Type(*field.type, path, inside_atomic);
      return;
    }
    std::string line = path + (field.list == ListKind::kSet ? " set" : " map ");
    for (const ListKey& key : field.keys) {
      line += (&key == &field.keys.front() ? "" : ",") + key.name;
    }
    if (!inside_atomic) {
      lines_.insert(line);
    }
    Type(*field.type, path + "[]", inside_atomic);
  }

  std::set<std::string> lines_;
};

std::string WithoutBrackets(std::string line) {
  for (size_t at = line.find("[]"); at != line.npos; at = line.find("[]")) {
    line.erase(at, 2);
  }
  return line;
}

// What is recorded of a kind: all lines, and the paths of its atomic lists.
struct RecordedLines {
  explicit RecordedLines(const std::string& resource) {
    std::istringstream text(ReadGolden("openapi/fields.txt"));
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(resource + ".")) {
        line = WithoutBrackets(line);
        const bool list = line.ends_with(" list");
        (list ? lists : lines).insert(list ? line.substr(0, line.size() - 4) : line);
      }
    }
  }

  // Whether `line` is about a place inside an atomic list, of which record.py does not say again
  // that it is atomic.
  bool IsInsideList(const std::string& line) const {
    for (const std::string& list : lists) {
      if (line.starts_with(list.substr(0, list.size() - 1) + ".")) {
        return true;
      }
    }
    return false;
  }

  std::set<std::string> lines;
  std::set<std::string> lists;
};

std::set<std::string> TableLines(const std::string& resource, const RecordedLines& recorded) {
  std::set<std::string> lines;
  for (const std::string& line : Describe().Lines(resource)) {
    const std::string plain = WithoutBrackets(line);
    if (!plain.ends_with(" atomic") || !recorded.IsInsideList(plain)) {
      lines.insert(plain);
    }
  }
  return lines;
}

std::set<std::string> Minus(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}

TEST(ListTypesTest, TableSaysWhatOpenApiSays) {
  for (const char* resource : {"configmaps", "deployments.apps", "ingresses.networking.k8s.io",
                               "pods", "replicasets.apps", "services"}) {
    const RecordedLines recorded(resource);
    const std::set<std::string>& server = recorded.lines;
    const std::set<std::string> table = TableLines(resource, recorded);
    EXPECT_FALSE(server.empty()) << resource;
    EXPECT_THAT(Minus(server, table), IsEmpty()) << "missing in the table of " << resource;
    EXPECT_THAT(Minus(table, server), IsEmpty()) << "not in the OpenAPI of " << resource;
  }
}

TEST(ListTypesTest, OtherKindsAreKnownByMetadataAndConditions) {
  const TypeInfo& type = TypeOf("widgets.example.com");
  EXPECT_FALSE(HasKnownDefaults("widgets.example.com"));
  EXPECT_EQ(type.Field("metadata").type->Field("ownerReferences").list, ListKind::kMap);
  EXPECT_EQ(type.Field("metadata").type->Field("finalizers").list, ListKind::kSet);
  EXPECT_EQ(type.Field("status").type->Field("conditions").list, ListKind::kMap);
  EXPECT_EQ(type.Field("spec").type->Field("parts").list, ListKind::kAtomic);
}

TEST(ListTypesTest, ItemsAreFoundByAllTheirKeysAndDefaults) {
  const FieldInfo& ports = TypeOf("services").Field("spec").type->Field("ports");
  const Json list = J("[{'port':53,'protocol':'UDP'},{'port':53},{'port':80,'protocol':'TCP'}]");
  EXPECT_EQ(FindItem(ports, list, J("{'port':53,'protocol':'TCP'}")), 1u);
  EXPECT_EQ(FindItem(ports, list, J("{'port':53,'protocol':'UDP'}"), 1), 0u);
  EXPECT_EQ(FindItem(ports, list, J("{'port':80}")), 2u);
  EXPECT_EQ(FindItem(ports, list, J("{'port':81}")), kNotFound);
  EXPECT_EQ(FindItem(ports, list, J("{'name':'no key'}")), kNotFound);
  EXPECT_EQ(FindItem(ports, J("{}"), J("{'port':80}")), kNotFound);
  EXPECT_EQ(FindItem(ports, J("['text']"), J("{'port':80}")), kNotFound);
}

}  // namespace
}  // namespace logbook
