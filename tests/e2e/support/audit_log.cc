#include "audit_log.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "process.h"

namespace logbook::e2e {
namespace {

// The writes whose lines have `text` in them.
std::vector<Json> Writes(const Cluster& cluster, const std::string& text) {
  std::vector<Json> writes;
  const ProcessResult lines = RunProcess({.argv = {"grep", "-F", text, cluster.audit_log()}});
  for (size_t begin = 0; begin < lines.out.size();) {
    const size_t end = std::min(lines.out.find('\n', begin), lines.out.size());
    const absl::StatusOr<Json> line =
        ParseJson(std::string_view(lines.out).substr(begin, end - begin));
    static const std::set<std::string> kWrites = {"create", "update", "patch", "delete"};
    if (line.ok() && JsonString(*line, {"stage"}) == "ResponseComplete" &&
        kWrites.contains(JsonString(*line, {"verb"}))) {
      writes.push_back(*line);
    }
    begin = end + 1;
  }
  return writes;
}

struct Version {
  uint64_t number = 0;
  Json content;
  std::string ours;  // the Audit-ID if we wrote it
};

Version VersionOf(const Json& write, const std::string& user) {
  Json content = write["responseObject"];
  Version version{.number = std::stoull(JsonString(content, {"metadata", "resourceVersion"}))};
  for (const char* bookkeeping : {"resourceVersion", "generation", "managedFields"}) {
    content["metadata"].erase(bookkeeping);
  }
  version.content = std::move(content);
  if (JsonString(write, {"user", "username"}) == user) {
    version.ours = JsonString(write, {"auditID"});
  }
  return version;
}

}  // namespace

std::vector<Json> WritesBy(const Cluster& cluster, const std::string& user) {
  return Writes(cluster, "\"username\":\"" + user + "\"");
}

std::vector<Json> WritesToObjectsBy(const Cluster& cluster, const std::string& user) {
  std::vector<Json> writes = WritesBy(cluster, user);
  std::erase_if(writes, [](const Json& write) {
    return JsonString(write, {"objectRef", "name"}).rfind("logbook-anchor-", 0) == 0;
  });
  return writes;
}

std::vector<std::string> WritesThatChangedNothing(const Cluster& cluster, const std::string& user,
                                                  const std::string& ns) {
  std::map<std::string, std::vector<Version>> versions;  // by object
  std::vector<std::string> idle;
  for (const Json& write : Writes(cluster, "\"namespace\":\"" + ns + "\"")) {
    const std::string object = Concat(JsonString(write, {"objectRef", "resource"}), "/",
                                      JsonString(write, {"objectRef", "name"}));
    if (JsonAt(write, {"responseObject", "metadata", "resourceVersion"}) != nullptr) {
      versions[object].push_back(VersionOf(write, user));
    } else if (JsonString(write, {"user", "username"}) == user &&
               JsonString(write, {"verb"}) != "delete" &&
               JsonInt(write, {"responseStatus", "code"}) < 300) {
      idle.push_back(Concat(object, " has no response in the audit log"));
    }
  }
  for (auto& [object, history] : versions) {
    std::stable_sort(history.begin(), history.end(),
                     [](const Version& a, const Version& b) { return a.number < b.number; });
    for (size_t i = 1; i < history.size(); ++i) {
      if (!history[i].ours.empty() && history[i].content == history[i - 1].content) {
        idle.push_back(Concat(object, " by ", history[i].ours));
      }
    }
  }
  return idle;
}

}  // namespace logbook::e2e
