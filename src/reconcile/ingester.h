// Ingester: brings one stream into the journal, and of a list only its difference to the view.
//
// How:      a listed object is recorded if it is new, or differs from the view by uid or
//           resourceVersion (by content where those do not tell); what the view has and a complete
//           list does not have vanished while nobody looked: deleted-while-away, with its last
//           known state. The listed events enter the view together.
// Threads:  Confined to the watcher's thread. Blocks only while the writer has too much waiting.
#ifndef LOGBOOK_RECONCILE_INGESTER_H_
#define LOGBOOK_RECONCILE_INGESTER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "logbook/base/log.h"
#include "logbook/k8s/watch_sink.h"
#include "logbook/reconcile/marks.h"
#include "logbook/reconcile/observation.h"
#include "logbook/reconcile/sources.h"
#include "logbook/reconcile/writer.h"

namespace logbook::reconcile {

class Ingester : public k8s::WatchSink {
 public:
  // `writer`, `marks` and `sources` outlive the ingester. `position` is the stream's on disk.
  Ingester(StreamId id, StreamIdentity identity, k8s::StreamPosition position,
           JournalWriter& writer, const MarkTable& marks, Sources& sources, Logger log);

  k8s::StreamPosition Position() override { return position_; }

  absl::Status OnListStarted(const k8s::ListStart& start) override;
  absl::Status OnListPage(std::vector<ObjectPtr> objects) override;
  absl::Status OnListed(std::string_view resource_version) override;
  absl::Status OnResumed(const k8s::ServedResource& served) override;
  absl::Status OnEvents(std::vector<k8s::WatchEvent> events,
                        std::string_view resource_version) override;
  absl::Status OnBookmark(std::string_view resource_version) override;
  absl::Status OnQuarantined(const k8s::UndecodableObject& object) override;
  absl::Status OnRewound(std::string_view reason) override;
  void OnUnavailable(const absl::Status& status) override;

 private:
  // The list that is being received.
  struct Listing {
    k8s::ListStart start;
    absl::flat_hash_set<std::string> seen;  // ObjectPath
    bool complete_view = true;              // what is missing in it has vanished
    uint64_t listed = 0;
    uint64_t changed = 0;
  };

  Observation Observe(ChangeType change, ObjectPtr object, Origin origin) const;
  void Compare(const ViewState& view, const ObjectPtr& object,
               std::vector<Observation>& differences);
  std::vector<Observation> Vanished(std::string_view resource_version) const;
  absl::Status Submit(std::vector<Observation> observations, std::string_view bookmark);
  Event StreamEvent(StreamChange change, std::string_view reason) const;

  const StreamId id_;
  StreamIdentity identity_;
  k8s::StreamPosition position_;
  JournalWriter& writer_;
  const MarkTable& marks_;
  Sources& sources_;
  const Logger log_;
  Listing listing_;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_INGESTER_H_
