// AnchorKeeper: keeps the anchors of this operator's stores in the cluster, where losing, emptying
// or restoring the volume does not reach them.
//
// Shape:    one ConfigMap per store, named by the store's uuid, in the operator's own namespace.
// Errors:   those of the API client. kPermissionDenied is for the caller to judge: without the
//           right to read them, a lost or restored volume cannot be told from a good one.
// Threads:  Thread-compatible; blocks on the API server.
#ifndef LOGBOOK_RECONCILE_ANCHOR_KEEPER_H_
#define LOGBOOK_RECONCILE_ANCHOR_KEEPER_H_

#include <stop_token>
#include <string>
#include <vector>

#include "logbook/base/status.h"
#include "logbook/store/anchor.h"

namespace logbook::k8s {
class ApiClient;
}

namespace logbook::store {
class Journal;
}

namespace logbook::reconcile {

struct KnownAnchor {
  store::Anchor anchor;
  std::string superseded_by;  // uuid of the store that took its place; empty: none did
};

class AnchorKeeper {
 public:
  // `api` outlives the keeper.
  AnchorKeeper(k8s::ApiClient& api, std::string ns, std::string operator_name)
      : api_(api), ns_(std::move(ns)), operator_name_(std::move(operator_name)) {}

  // The anchors of all stores this operator ever had here.
  absl::StatusOr<std::vector<KnownAnchor>> Load(const std::stop_token& stop);

  absl::Status Save(const store::Anchor& anchor, const std::stop_token& stop);

  // The store of `lost` is lost, and its history with it; store `by` takes its place. The anchor
  // stays and says so, should the volume turn up again.
  absl::Status Supersede(const store::Anchor& lost, const std::string& by,
                         const std::stop_token& stop);

  // Of a store whose successor was superseded in its turn: an anchor without a mark is enough to
  // refuse it.
  absl::Status Drop(const std::string& uuid, const std::stop_token& stop);

 private:
  absl::Status Apply(const KnownAnchor& known, const std::stop_token& stop);
  std::string NameOf(const std::string& uuid) const;

  k8s::ApiClient& api_;
  const std::string ns_;
  const std::string operator_name_;
};

// What the anchors say about a journal that was just opened.
struct AnchorVerdict {
  absl::Status status;                // not OK: the journal must not be used
  std::vector<store::Anchor> lost;    // of stores whose place this new one takes
  std::vector<std::string> obsolete;  // uuids of stores whose anchors say nothing new any more
};

// A journal without events is new: anchors of other stores then mean that their history is lost,
// which `require_history` makes an error. One that was restored from a backup (FORMAT says so), and
// that nothing ran on since, takes the place of other stores too, and has history. Any other
// journal with events must have what its own anchor says.
AnchorVerdict JudgeAnchors(const store::Journal& journal, const std::vector<KnownAnchor>& anchors,
                           bool require_history);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_ANCHOR_KEEPER_H_
