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
constexpr std::string_view kSupersededKey = "superseded-by";
constexpr absl::Duration kTimeout = absl::Seconds(10);

Resource ConfigMaps() {
  return {.group = "", .version = "v1", .plural = "configmaps", .kind = "ConfigMap"};
}

std::vector<KnownAnchor> AnchorsIn(const Json& list) {
  std::vector<KnownAnchor> anchors;
  const Json* items = JsonAt(list, {"items"});
  if (items == nullptr || !items->is_array()) {
    return anchors;
  }
  for (const Json& item : *items) {
    absl::StatusOr<store::Anchor> anchor = store::ParseAnchor(JsonString(item, {"data", kDataKey}));
    if (anchor.ok()) {
      anchors.push_back({.anchor = *std::move(anchor),
                         .superseded_by = JsonString(item, {"data", kSupersededKey})});
    }
  }
  return anchors;
}

}  // namespace

std::string AnchorKeeper::NameOf(const std::string& uuid) const {
  return Concat("logbook-anchor-", uuid);
}

absl::StatusOr<std::vector<KnownAnchor>> AnchorKeeper::Load(const std::stop_token& stop) {
  LOGBOOK_ASSIGN_OR_RETURN(
      const k8s::ApiReply reply,
      api_.List({.resource = ConfigMaps(), .key = {.ns = ns_}},
                {.label_selector = Concat(kOperatorLabel, "=", operator_name_)},
                {.timeout = kTimeout, .stop = stop}));
  LOGBOOK_ASSIGN_OR_RETURN(const Json list, ParseJson(reply.body));
  return AnchorsIn(list);
}

absl::Status AnchorKeeper::Save(const store::Anchor& anchor, const std::stop_token& stop) {
  return Apply({.anchor = anchor}, stop);
}

absl::Status AnchorKeeper::Supersede(const store::Anchor& lost, const std::string& by,
                                     const std::stop_token& stop) {
  return Apply({.anchor = lost, .superseded_by = by}, stop);
}

absl::Status AnchorKeeper::Drop(const std::string& uuid, const std::stop_token& stop) {
  const absl::Status status =
      api_.Delete({.resource = ConfigMaps(), .key = {.ns = ns_, .name = NameOf(uuid)}}, {},
                  {.timeout = kTimeout, .stop = stop})
          .status();
  return k8s::IsObjectMissing(status) ? absl::OkStatus() : status;
}

absl::Status AnchorKeeper::Apply(const KnownAnchor& known, const std::stop_token& stop) {
  const std::string name = NameOf(known.anchor.uuid);
  Json data = {{std::string(kDataKey), store::ToString(known.anchor)}};
  if (!known.superseded_by.empty()) {
    data[std::string(kSupersededKey)] = known.superseded_by;
  }
  const Json body = {{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata",
                      {{"name", name},
                       {"namespace", ns_},
                       {"labels",
                        {{std::string(kOperatorLabel), operator_name_},
                         {"app.kubernetes.io/managed-by", "logbook"}}}}},
                     {"data", data}};
  return api_
      .Apply({.resource = ConfigMaps(), .key = {.ns = ns_, .name = name}}, DumpJson(body),
             {.field_manager = std::string(kFieldManager), .force = true},
             {.timeout = kTimeout, .stop = stop})
      .status();
}

namespace {

absl::Status Superseded(const store::Journal& journal, const std::string& by) {
  return FailedPrecondition("store ", journal.format().uuid, " in ", journal.directory(),
                            " was superseded by store ", by,
                            ": mount that one, or delete this directory");
}

// Whether nothing ran on the store yet: it is empty, or as a restore left it. Then it may take the
// place of others. One that ran and has no anchor may have lost its place since.
bool IsUnused(const store::Journal& journal) {
  const auto& restored = journal.format().restored;
  return journal.last() == EventSeq() || (restored && journal.last() <= restored->seq);
}

// The stores whose place nobody took, or this one did.
std::vector<store::Anchor> Standing(const std::string& uuid,
                                    const std::vector<KnownAnchor>& anchors) {
  std::vector<store::Anchor> lost;
  for (const KnownAnchor& known : anchors) {
    // Our own doing: a start that ended right after it.
    const bool by_us = known.superseded_by.empty() || known.superseded_by == uuid;
    if (known.anchor.uuid != uuid && by_us) {
      lost.push_back(known.anchor);
    }
  }
  return lost;
}

}  // namespace

AnchorVerdict JudgeAnchors(const store::Journal& journal, const std::vector<KnownAnchor>& anchors,
                           bool require_history) {
  const std::string& uuid = journal.format().uuid;
  const bool is_new = IsUnused(journal);
  const auto own = std::ranges::find_if(
      anchors, [&](const KnownAnchor& known) { return known.anchor.uuid == uuid; });
  if (own != anchors.end()) {
    if (!own->superseded_by.empty()) {
      return {.status = Superseded(journal, own->superseded_by)};
    }
    if (const absl::Status status = store::CheckAnchor(journal, own->anchor);
        !status.ok() || !is_new) {
      return {.status = status};
    }
  } else if (!is_new) {
    // Somebody removed our anchor; a store that took our place would have marked it instead.
    for (const KnownAnchor& known : anchors) {
      if (known.superseded_by.empty()) {
        return {.status = Superseded(journal, known.anchor.uuid)};
      }
    }
  }
  AnchorVerdict verdict;
  for (const KnownAnchor& known : anchors) {
    if (!known.superseded_by.empty() && known.superseded_by != uuid) {
      verdict.obsolete.push_back(known.anchor.uuid);
    }
  }
  if (is_new) {
    verdict.lost = Standing(uuid, anchors);
  }
  // A restored store has history: that of the store it came from.
  if (require_history && !journal.format().restored && !verdict.lost.empty()) {
    const store::Anchor& lost = verdict.lost.front();
    return {.status = FailedPrecondition(
                "the store in ", journal.directory(), " is new, but the cluster remembers store ",
                lost.uuid, " up to event ", lost.position.seq.value,
                ": mount its volume, or start without --require-history to go on without its "
                "history")};
  }
  return verdict;
}

}  // namespace logbook::reconcile
