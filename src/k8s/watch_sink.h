// WatchSink: where a Watcher delivers one stream, and where it learns how far the stream is.
//
// Shape:    a list is OnListStarted, OnListPage…, OnListed; a new OnListStarted replaces one that
// did
//           not complete. Between lists come OnEvents and OnBookmark, each with the resourceVersion
//           up to which the stream is complete once the call has returned OK.
// Errors:   a call that fails makes the watcher forget where it is and begin again at Position().
// Threads:  all calls come from the watcher's thread, one at a time. They may block for a moment,
// as
//           backpressure; meanwhile nothing is read, and the server ends a watch whose reader is
//           slow.
#ifndef LOGBOOK_K8S_WATCH_SINK_H_
#define LOGBOOK_K8S_WATCH_SINK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/base/status.h"
#include "logbook/k8s/discovery.h"
#include "logbook/model/event.h"
#include "logbook/model/object.h"

namespace logbook::k8s {

// How far a stream is, as the sink has it on disk.
struct StreamPosition {
  std::string resource_version;  // the bookmark; empty: none
  std::string served_by;         // ServedResource::served_by at the last list
  bool listed = false;           // whether there was a complete list
};

struct WatchEvent {
  ChangeType change = ChangeType::kModified;  // kAdded, kModified, kDeleted or kLeftScope
  ObjectPtr object;
};

struct ListStart {
  ServedResource served;
  std::string reason;  // "bookmark expired"
  // uid and resourceVersion do not tell changed from unchanged: another server, CRD or history.
  bool compare_content = false;
};

// Bytes that are no object. During a list, an item: what is known under `key` keeps its old state,
// and is not vanished; with an empty key nothing may be said of any object the list lacks.
struct UndecodableObject {
  std::string_view bytes;
  absl::Status error;
  ObjectKey key;    // as far as it can be told
  std::string uid;  // likewise
};

class WatchSink {
 public:
  virtual ~WatchSink() = default;

  virtual StreamPosition Position() = 0;

  virtual absl::Status OnListStarted(const ListStart& start) = 0;
  virtual absl::Status OnListPage(std::vector<ObjectPtr> objects) = 0;
  virtual absl::Status OnListed(std::string_view resource_version) = 0;

  // The watch goes on at the bookmark: at the start, or after OnUnavailable.
  virtual absl::Status OnResumed(const ServedResource& served) = 0;
  virtual absl::Status OnEvents(std::vector<WatchEvent> events,
                                std::string_view resource_version) = 0;
  virtual absl::Status OnBookmark(std::string_view resource_version) = 0;

  // Outside a list, one follows.
  virtual absl::Status OnQuarantined(const UndecodableObject& object) = 0;
  // The cluster is older than the bookmark: its etcd was restored. A list follows.
  virtual absl::Status OnRewound(std::string_view reason) = 0;

  // What is known may be out of date until OnListed or OnResumed. Called again if the reason
  // changes.
  virtual void OnUnavailable(const absl::Status& status) = 0;
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_WATCH_SINK_H_
