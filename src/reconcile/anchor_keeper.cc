#include "logbook/reconcile/anchor_keeper.h"

#include <algorithm>
#include <utility>

#include "logbook/base/json.h"
#include "logbook/k8s/api_client.h"
#include "logbook/k8s/api_status.h"
#include "logbook/store/anchor.h"
#include "logbook/store/journal.h"

namespace logbook::reconcile {
namespace {

constexpr std::string_view kOperatorLabel = "logbook.dev/operator";
constexpr std::string_view kFieldManager = "logbook-anchor";
constexpr std::string_view kDataKey = "anchor";
constexpr absl::Duration kTimeout = absl::Seconds(10);

Resource ConfigMaps() {
  return {.group = "", .version = "v1", .plural = "configmaps", .kind = "ConfigMap"};
}

std::vector<store::Anchor> AnchorsIn(const Json& list) {
  std::vector<store::Anchor> anchors;
  const Json* items = JsonAt(list, {"items"});
  if (items == nullptr || !items->is_array()) {
    return anchors;
  }
  for (const Json& item : *items) {
    absl::StatusOr<store::Anchor> anchor = store::ParseAnchor(JsonString(item, {"data", kDataKey}));
    if (anchor.ok()) {
      anchors.push_back(*std::move(anchor));
    }
  }
  return anchors;
}

}  // namespace

std::string AnchorKeeper::NameOf(const std::string& uuid) const {
  return Concat("logbook-anchor-", uuid);
}

absl::StatusOr<std::vector<store::Anchor>> AnchorKeeper::Load(const std::stop_token& stop) {
  LOGBOOK_ASSIGN_OR_RETURN(
      const k8s::ApiReply reply,
      api_.List({.resource = ConfigMaps(), .key = {.ns = ns_}},
                {.label_selector = Concat(kOperatorLabel, "=", operator_name_)},
                {.timeout = kTimeout, .stop = stop}));
  LOGBOOK_ASSIGN_OR_RETURN(const Json list, ParseJson(reply.body));
  return AnchorsIn(list);
}

absl::Status AnchorKeeper::Save(const store::Anchor& anchor, const std::stop_token& stop) {
  const Json body = {{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata",
                      {{"name", NameOf(anchor.uuid)},
                       {"namespace", ns_},
                       {"labels",
                        {{std::string(kOperatorLabel), operator_name_},
                         {"app.kubernetes.io/managed-by", "logbook"}}}}},
                     {"data", {{std::string(kDataKey), store::ToString(anchor)}}}};
  return api_
      .Apply({.resource = ConfigMaps(), .key = {.ns = ns_, .name = NameOf(anchor.uuid)}},
             DumpJson(body), {.field_manager = std::string(kFieldManager), .force = true},
             {.timeout = kTimeout, .stop = stop})
      .status();
}

absl::Status AnchorKeeper::Drop(const std::string& uuid, const std::stop_token& stop) {
  const absl::Status status =
      api_.Delete({.resource = ConfigMaps(), .key = {.ns = ns_, .name = NameOf(uuid)}}, {},
                  {.timeout = kTimeout, .stop = stop})
          .status();
  return k8s::IsObjectMissing(status) ? absl::OkStatus() : status;
}

AnchorVerdict JudgeAnchors(const store::Journal& journal, const std::vector<store::Anchor>& anchors,
                           bool require_history) {
  AnchorVerdict verdict;
  const std::string& uuid = journal.format().uuid;
  const auto own = std::ranges::find(anchors, uuid, &store::Anchor::uuid);
  if (own != anchors.end()) {
    verdict.status = store::CheckAnchor(journal, *own);
    if (!verdict.status.ok() || journal.last() != EventSeq()) {
      return verdict;
    }
  }
  // A new store may have an anchor of its own already, of a start that ended right after saving it.
  const auto found = std::ranges::find_if(
      anchors, [&](const store::Anchor& anchor) { return anchor.uuid != uuid; });
  if (found == anchors.end()) {
    return verdict;
  }
  const store::Anchor& other = *found;
  if (journal.last() != EventSeq()) {
    verdict.status = FailedPrecondition(
        "store ", uuid, " in ", journal.directory(), " was superseded by store ", other.uuid,
        " (event ", other.position.seq.value, "): mount that one, or delete this directory");
  } else if (require_history) {
    verdict.status = FailedPrecondition(
        "the store in ", journal.directory(), " is new, but the cluster remembers store ",
        other.uuid, " up to event ", other.position.seq.value,
        ": mount its volume, or start without --require-history to go on without its history");
  } else {
    for (const store::Anchor& anchor : anchors) {
      if (anchor.uuid != uuid) {
        verdict.lost.push_back(anchor.uuid);
      }
    }
  }
  return verdict;
}

}  // namespace logbook::reconcile
