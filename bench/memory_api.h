// MemoryApi: an API server in memory that lists objects and streams watch frames, for benchmarks of
// everything behind the network: no sockets, no TLS.
//
// Threads:  Serve is called before the first watcher runs; the rest is thread-safe.
#ifndef LOGBOOK_BENCH_MEMORY_API_H_
#define LOGBOOK_BENCH_MEMORY_API_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "absl/time/time.h"

#include "logbook/k8s/api_client.h"

namespace logbook::bench {

// As much as one read of the HTTP client returns at most.
inline constexpr size_t kReadBytes = 64 * 1024;

// Appends what has arrived of a watch, some kReadBytes, waiting up to `timeout` for the first byte.
using WatchSource =
    std::function<void(absl::Duration timeout, const std::stop_token& stop, std::string& buffer)>;

struct Collection {
  int64_t count = 0;
  std::function<std::string(int64_t i)> item;  // its JSON
  WatchSource watch;                           // null: it is quiet
};

class MemoryApi : public k8s::ApiClient {
 public:
  // What is not served is empty and quiet.
  void Serve(std::string_view plural, Collection collection);

  absl::StatusOr<k8s::ApiReply> GetPath(std::string_view path,
                                        const k8s::CallOptions& call) override;
  absl::StatusOr<k8s::ApiReply> List(const k8s::Target& target, const k8s::ListOptions& list,
                                     const k8s::CallOptions& call) override;
  absl::StatusOr<std::unique_ptr<k8s::WatchStream>> Watch(const k8s::Target& target,
                                                          const k8s::WatchOptions& options,
                                                          const std::stop_token& stop) override;

  // Anchors are taken and forgotten; everything else is refused.
  absl::StatusOr<k8s::ApiReply> Apply(const k8s::Target& target, std::string_view body,
                                      const k8s::WriteOptions& write,
                                      const k8s::CallOptions& call) override;
  absl::StatusOr<k8s::ApiReply> Get(const k8s::Target& target,
                                    const k8s::CallOptions& call) override;
  absl::StatusOr<k8s::ApiReply> Create(const k8s::Target& target, std::string_view body,
                                       const k8s::WriteOptions& write,
                                       const k8s::CallOptions& call) override;
  absl::StatusOr<k8s::ApiReply> MergePatch(const k8s::Target& target, std::string_view body,
                                           const k8s::WriteOptions& write,
                                           const k8s::CallOptions& call) override;
  absl::StatusOr<k8s::ApiReply> JsonPatch(const k8s::Target& target, std::string_view body,
                                          const k8s::WriteOptions& write,
                                          const k8s::CallOptions& call) override;
  absl::StatusOr<k8s::ApiReply> Delete(const k8s::Target& target, const k8s::DeleteOptions& options,
                                       const k8s::CallOptions& call) override;

 private:
  std::map<std::string, Collection, std::less<>> collections_;
};

}  // namespace logbook::bench

#endif  // LOGBOOK_BENCH_MEMORY_API_H_
