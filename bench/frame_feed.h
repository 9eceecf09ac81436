// FrameFeed: the frames of many apps as one watch, let through as a benchmark asks for them.
//
// Threads:  Thread-safe; one watch reads it.
#ifndef LOGBOOK_BENCH_FRAME_FEED_H_
#define LOGBOOK_BENCH_FRAME_FEED_H_

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "memory_api.h"
#include "simple_apps.h"

#include "logbook/base/clock.h"

namespace logbook::bench {

class FrameFeed {
 public:
  FrameFeed(const ObjectTemplate& app, int64_t apps) : frames_(app, apps) {}

  // The apps themselves, and the feed as what is watched of them. Outlived by the feed.
  Collection AsCollection(const ObjectTemplate& app) {
    return {.count = frames_.count(),
            .item = [&app](int64_t i) { return app.Render(i); },
            .watch = [this](absl::Duration timeout, const std::stop_token& stop,
                            std::string& buffer) { Read(timeout, stop, buffer); }};
  }

  // Lets `count` more changes through, one of each app in turn.
  void Let(int64_t count) {
    absl::MutexLock lock(&mu_);
    let_ += count;
  }

  // The next change is number `n`; those before it came another way.
  void StartAt(int64_t n) {
    absl::MutexLock lock(&mu_);
    let_ = read_ = n;
  }

  // When the last read returned, on the monotonic clock.
  absl::Duration read_at() const {
    absl::MutexLock lock(&mu_);
    return read_at_;
  }

 private:
  void Read(absl::Duration timeout, const std::stop_token& stop, std::string& buffer) {
    const std::stop_callback wake(stop, [this] { absl::MutexLock lock(&mu_); });
    absl::MutexLock lock(&mu_);
    const auto something = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
      return read_ < let_ || stop.stop_requested();
    };
    mu_.AwaitWithTimeout(absl::Condition(&something), timeout);
    const size_t full = buffer.size() + kReadBytes;
    read_at_ = SystemClock().Monotonic();
    while (read_ < let_ && buffer.size() < full) {
      buffer += frames_.Change(read_++);
    }
  }

  mutable absl::Mutex mu_;
  AppFrames frames_ ABSL_GUARDED_BY(mu_);
  int64_t let_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t read_ ABSL_GUARDED_BY(mu_) = 0;
  absl::Duration read_at_ ABSL_GUARDED_BY(mu_);
};

}  // namespace logbook::bench

#endif  // LOGBOOK_BENCH_FRAME_FEED_H_
