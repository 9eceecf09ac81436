// What tests of the Watcher share: a sink that writes down what it is told, and objects and frames.
#ifndef LOGBOOK_K8S_WATCHER_HARNESS_H_
#define LOGBOOK_K8S_WATCHER_HARNESS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/synchronization/mutex.h"

#include "logbook/k8s/watch_sink.h"

namespace logbook::k8s {

inline const Resource kWebs{.group = "apps.example.com", .version = "v1", .plural = "webs"};
inline constexpr char kWebsPath[] = "/apis/apps.example.com/v1/webs";
inline constexpr char kGroupPath[] = "/apis/apps.example.com/v1";
inline constexpr char kCrdPath[] =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/webs.apps.example.com";
inline constexpr char kGroupJson[] =
    R"({"resources":[{"name":"webs","kind":"Web","namespaced":true}]})";

inline std::string CrdJson(std::string_view uid, int generation) {
  return Concat(R"({"metadata":{"uid":")", uid, R"(","generation":)", generation, "}}");
}

// An object "name" of uid "u-name" unless another is given.
inline std::string ObjectJson(std::string_view name, std::string_view version,
                              std::string_view uid = "") {
  return Concat(R"({"apiVersion":"apps.example.com/v1","kind":"Web","metadata":{"name":")", name,
                R"(","namespace":"shop","uid":")", uid.empty() ? Concat("u-", name) : Concat(uid),
                R"(","resourceVersion":")", version, R"("}})");
}

inline std::string Frame(std::string_view type, std::string_view object) {
  return Concat(R"({"type":")", type, R"(","object":)", object, "}");
}

inline std::string Change(std::string_view type, std::string_view name, std::string_view version) {
  return Frame(type, ObjectJson(name, version));
}

inline std::string Bookmark(std::string_view version) {
  return Frame(
      "BOOKMARK",
      Concat(R"({"kind":"Web","apiVersion":"apps.example.com/v1","spec":null,)",
             R"("metadata":{"resourceVersion":")", version, R"(","creationTimestamp":null}})"));
}

inline std::string ErrorFrame(int code, std::string_view reason) {
  return Frame("ERROR", Concat(R"({"kind":"Status","apiVersion":"v1","metadata":{},"reason":")",
                               reason, R"(","message":"m","code":)", code, "}"));
}

inline std::string ListJson(std::string_view version, const std::vector<std::string>& items,
                            std::string_view token = "") {
  std::string json = Concat(R"({"apiVersion":"apps.example.com/v1","items":[)");
  for (const std::string& item : items) {
    json += (json.back() == '[' ? "" : ",") + item;
  }
  return Concat(json, R"(],"kind":"WebList","metadata":{"continue":")", token,
                R"(","resourceVersion":")", version, R"("}})");
}

// Each call becomes a line; Position() follows them as a journal would.
class RecordingSink : public WatchSink {
 public:
  StreamPosition Position() override {
    absl::MutexLock lock(&mu_);
    return position_;
  }

  absl::Status OnListStarted(const ListStart& start) override {
    served_by_ = start.served.served_by;
    return Record(Concat("list: ", start.reason, start.compare_content ? ", by content" : ""));
  }

  absl::Status OnListPage(std::vector<ObjectPtr> objects) override {
    std::string line = "page:";
    for (const ObjectPtr& object : objects) {
      line += Concat(" ", object->name(), "@", object->resource_version());
    }
    return Record(line);
  }

  absl::Status OnListed(std::string_view version) override {
    {
      absl::MutexLock lock(&mu_);
      position_ = {std::string(version), served_by_, true};
    }
    return Record(Concat("listed ", version));
  }

  absl::Status OnResumed(const ServedResource& served) override {
    return Record(Concat("resumed ", served.resource.kind));
  }

  absl::Status OnEvents(std::vector<WatchEvent> events, std::string_view version) override {
    std::string line = "events:";
    for (const WatchEvent& event : events) {
      line += Concat(" ", ToString(event.change), " ", event.object->name(), "@",
                     event.object->resource_version());
    }
    Move(version);
    return Record(Concat(line, " to ", version));
  }

  absl::Status OnBookmark(std::string_view version) override {
    Move(version);
    return Record(Concat("bookmark ", version));
  }

  absl::Status OnQuarantined(const UndecodableObject& object) override {
    return Record(Concat("quarantined ", object.key.ToString(), " ", object.uid));
  }

  absl::Status OnRewound(std::string_view) override {
    {
      absl::MutexLock lock(&mu_);
      position_ = {};
    }
    return Record("rewound");
  }

  void OnUnavailable(const absl::Status& status) override {
    (void)Record(Concat("unavailable ", absl::StatusCodeToString(status.code())));
  }

  std::vector<std::string> Lines() const {
    absl::MutexLock lock(&mu_);
    return lines_;
  }

  void SetPosition(StreamPosition position) {
    absl::MutexLock lock(&mu_);
    position_ = std::move(position);
  }

  // Until a line is `line`; false if none is within 20 s.
  bool WaitFor(std::string_view line) const {
    absl::MutexLock lock(&mu_);
    const auto there = [&]() ABSL_SHARED_LOCKS_REQUIRED(mu_) {
      return std::find(lines_.begin(), lines_.end(), line) != lines_.end();
    };
    return mu_.AwaitWithTimeout(absl::Condition(&there), absl::Seconds(20));
  }

  // Decides what the sink answers to a line; may look at the watcher's world meanwhile.
  std::function<absl::Status(std::string_view)> on_line = [](std::string_view) {
    return absl::OkStatus();
  };

 private:
  void Move(std::string_view version) {
    absl::MutexLock lock(&mu_);
    position_.resource_version = version;
  }

  absl::Status Record(std::string line) {
    {
      absl::MutexLock lock(&mu_);
      lines_.push_back(line);
    }
    return on_line(line);
  }

  mutable absl::Mutex mu_;
  StreamPosition position_ ABSL_GUARDED_BY(mu_);
  std::vector<std::string> lines_ ABSL_GUARDED_BY(mu_);
  std::string served_by_;  // the watcher's thread
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_WATCHER_HARNESS_H_
