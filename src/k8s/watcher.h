// Watcher: keeps one stream of changes flowing from the API server into a WatchSink, for ever.
//
// Shape:    Run goes through the states of watch_policy.h until it is stopped. At the bookmark it
//           resumes; where that is impossible it lists, and the sink finds the difference.
// Threads:  Confined to the thread that calls Run.
// Source:   docs/architecture.md; the table in watch_policy.h says which failure leads where.
//
// Invariants
//   1. No request asks for resourceVersion 0 or one that is older than the bookmark; lists ask for
//      the most recent state.
//   2. The sink's position moves past an event only after that event was delivered.
//   3. A list that is older than the bookmark is never delivered. Only after OnRewound may one be.
//   4. While the bookmark is good, a start makes no list.
#ifndef LOGBOOK_K8S_WATCHER_H_
#define LOGBOOK_K8S_WATCHER_H_

#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/backoff.h"
#include "logbook/base/clock.h"
#include "logbook/base/json_peek.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/base/wait.h"
#include "logbook/k8s/api_client.h"
#include "logbook/k8s/discovery.h"
#include "logbook/k8s/watch_policy.h"
#include "logbook/k8s/watch_sink.h"
#include "logbook/model/event.h"

namespace logbook::k8s {

struct WatcherOptions {
  int page_limit = 500;                             // objects a list page
  absl::Duration call_timeout = absl::Seconds(60);  // of a list page and other small calls
  // The server ends a watch after a random time in between, so that load spreads.
  absl::Duration watch_timeout_min = absl::Seconds(300);
  absl::Duration watch_timeout_max = absl::Seconds(600);
  // Bookmarks come about every minute, so a watch that is silent for longer is dead.
  absl::Duration silence_max = absl::Seconds(90);
  // A 410 comes at once; a watch that was quiet for this long has resumed.
  absl::Duration resume_quiet = absl::Milliseconds(100);
  WaitFunction wait = &WaitFor;
};

class Watcher {
 public:
  // `api`, `sink` and `clock` outlive the watcher. `seed` chooses timeouts and jitter.
  Watcher(StreamIdentity stream, ApiClient& api, WatchSink& sink, const Clock& clock,
          const Logger& log, uint64_t seed, WatcherOptions options = {});

  // Returns when `stop` is requested.
  void Run(std::stop_token stop);

 private:
  // Through the states once, until something fails or the server ends the watch.
  absl::Status Cycle();
  absl::Status Discover();
  absl::Status Probe();
  absl::Status List();
  absl::Status Watch();

  absl::Status WaitBeforeList();
  absl::Status ListOnce(int limit);
  absl::Status StartList(const PeekedList& first_page);
  absl::Status DeliverPage(const PeekedList& page);
  absl::Status EndList(const std::string& resource_version);

  absl::Status ReadStream(WatchStream& stream, absl::Duration timeout);
  absl::Status TakeFrames(const std::vector<std::string_view>& frames);
  absl::Status TakeFrame(std::string_view raw);
  absl::Status TakeBookmark(std::string_view json);
  absl::Status TakeChange(ChangeType change, std::string_view json);
  absl::Status CheckOrder(std::string_view version, WatchFailure failure) const;
  absl::StatusOr<ChangeType> RemovalOf(const Object& object);
  absl::Status Deliver();
  absl::Status Established();
  absl::StatusOr<ObjectPtr> Decode(std::string_view json);
  absl::Status Undecodable(std::string_view bytes, std::string_view object,
                           const absl::Status& why);
  absl::Status Quarantine(std::string_view bytes, std::string_view object, const absl::Status& why);

  void LoadPosition();
  absl::Status Rewind(std::string_view resource_version);
  // Sets up the next cycle; returns how long to wait before it.
  absl::Duration React(const absl::Status& status);
  absl::Duration PauseFor(Pause pause, const absl::Status& status);
  void ReportUnavailable(const absl::Status& status);
  void RequireList(std::string_view reason);
  bool HasSelector() const;
  Target Collection() const;
  CallOptions Call() const;

  const StreamIdentity stream_;
  ApiClient& api_;
  WatchSink& sink_;
  const Clock& clock_;
  const Logger log_;
  const WatcherOptions options_;
  std::stop_token stop_;
  std::mt19937_64 random_;
  ConnectionBackoff backoff_, missing_backoff_, forbidden_backoff_, older_backoff_, list_backoff_;
  JsonPeeker peeker_;  // of frames and pages, and of the objects in them

  WatchState state_ = WatchState::kDiscovering;
  StreamPosition position_;
  ServedResource served_;
  bool at_start_ = true;         // nothing was delivered since the position was loaded
  std::string list_reason_;      // why a list is needed; empty: none is
  bool doubt_versions_ = false;  // since the last list the cluster was, or may have been, rewound
  bool probe_needed_ = false;
  int older_answers_ = 0;  // to probes, in a row
  int strange_ends_ = 0;   // in a row: kInternal, kEndedEarly
  int page_limit_;         // smaller than the option's after a page was too large
  std::optional<absl::Duration> last_list_end_;
  std::string unavailable_;  // what the sink was told last; empty: it is available

  // Of the watch that is open.
  bool established_ = false;
  size_t frames_seen_ = 0;
  std::vector<WatchEvent> taken_;  // from frames, not delivered yet
  std::string taken_version_;      // the position after them; empty: nothing to deliver
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_WATCHER_H_
