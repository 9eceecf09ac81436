#include "memory_api.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "logbook/base/wait.h"
#include "logbook/k8s/watch_frames.h"

namespace logbook::bench {
namespace {

constexpr char kListVersion[] = "10000001";
constexpr char kKinds[] =
    R"({"resources":[{"name":"simpleapps","kind":"SimpleApp","namespaced":true},)"
    R"({"name":"deployments","kind":"Deployment","namespaced":true},)"
    R"({"name":"services","kind":"Service","namespaced":true},)"
    R"({"name":"ingresses","kind":"Ingress","namespaced":true},)"
    R"({"name":"replicasets","kind":"ReplicaSet","namespaced":true},)"
    R"({"name":"pods","kind":"Pod","namespaced":true}]})";

absl::Status Refused() {
  return FailedPrecondition("MemoryApi takes no such call");
}

class MemoryStream : public k8s::WatchStream {
 public:
  MemoryStream(WatchSource source, std::stop_token stop)
      : source_(std::move(source)), stop_(std::move(stop)) {}

  absl::StatusOr<k8s::WatchRead> Next(absl::Duration timeout) override {
    std::string& buffer = frames_.Buffer();
    const size_t bytes_before = buffer.size();
    if (source_ == nullptr) {
      WaitFor(timeout, stop_);
    } else {
      source_(timeout, stop_, buffer);
    }
    if (stop_.stop_requested()) {
      return Cancelled("stopped");
    }
    k8s::WatchRead read{.bytes = buffer.size() - bytes_before};
    while (const std::optional<std::string_view> frame = frames_.Next()) {
      read.frames.push_back(*frame);
    }
    return read;
  }

 private:
  const WatchSource source_;
  const std::stop_token stop_;
  k8s::WatchFrames frames_;
};

}  // namespace

void MemoryApi::Serve(std::string_view plural, Collection collection) {
  collections_[std::string(plural)] = std::move(collection);
}

absl::StatusOr<k8s::ApiReply> MemoryApi::GetPath(std::string_view path, const k8s::CallOptions&) {
  if (path == "/version") {
    return k8s::ApiReply{.http_status = 200, .body = R"({"gitVersion":"v1.36.3"})"};
  }
  if (path.find("customresourcedefinitions") != std::string_view::npos) {
    return k8s::ApiReply{.http_status = 200,
                         .body = R"({"metadata":{"uid":"crd","generation":1}})"};
  }
  return k8s::ApiReply{.http_status = 200, .body = kKinds};
}

absl::StatusOr<k8s::ApiReply> MemoryApi::List(const k8s::Target& target,
                                              const k8s::ListOptions& list,
                                              const k8s::CallOptions&) {
  std::string items;
  std::string token;
  const auto found = collections_.find(target.resource.plural);
  if (found != collections_.end()) {
    const int64_t begin = std::atoll(list.continue_token.c_str());
    const int64_t end =
        list.limit == 0 ? found->second.count : std::min(found->second.count, begin + list.limit);
    for (int64_t i = begin; i < end; ++i) {
      items += Concat(i == begin ? "" : ",", found->second.item(i));
    }
    token = end < found->second.count ? std::to_string(end) : "";
  }
  return k8s::ApiReply{
      .http_status = 200,
      .body = Concat(R"({"kind":"AnyList","metadata":{"continue":")", token,
                     R"(","resourceVersion":")", kListVersion, R"("},"items":[)", items, "]}")};
}

absl::StatusOr<std::unique_ptr<k8s::WatchStream>> MemoryApi::Watch(const k8s::Target& target,
                                                                   const k8s::WatchOptions&,
                                                                   const std::stop_token& stop) {
  const auto found = collections_.find(target.resource.plural);
  return std::make_unique<MemoryStream>(found == collections_.end() ? nullptr : found->second.watch,
                                        stop);
}

absl::StatusOr<k8s::ApiReply> MemoryApi::Apply(const k8s::Target&, std::string_view body,
                                               const k8s::WriteOptions&, const k8s::CallOptions&) {
  return k8s::ApiReply{.http_status = 200, .body = std::string(body)};
}

absl::StatusOr<k8s::ApiReply> MemoryApi::Get(const k8s::Target&, const k8s::CallOptions&) {
  return Refused();
}

absl::StatusOr<k8s::ApiReply> MemoryApi::Create(const k8s::Target&, std::string_view,
                                                const k8s::WriteOptions&, const k8s::CallOptions&) {
  return Refused();
}

absl::StatusOr<k8s::ApiReply> MemoryApi::MergePatch(const k8s::Target&, std::string_view,
                                                    const k8s::WriteOptions&,
                                                    const k8s::CallOptions&) {
  return Refused();
}

absl::StatusOr<k8s::ApiReply> MemoryApi::JsonPatch(const k8s::Target&, std::string_view,
                                                   const k8s::WriteOptions&,
                                                   const k8s::CallOptions&) {
  return Refused();
}

absl::StatusOr<k8s::ApiReply> MemoryApi::Delete(const k8s::Target&, const k8s::DeleteOptions&,
                                                const k8s::CallOptions&) {
  return Refused();
}

}  // namespace logbook::bench
