#include "logbook/reconcile/streams.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace logbook::reconcile {
namespace {

// What makes a stream the same one; kind and scope are the server's to tell.
auto IdentityOf(const StreamIdentity& stream) {
  return std::tie(stream.cluster, stream.resource.group, stream.resource.version,
                  stream.resource.plural, stream.ns, stream.label_selector, stream.field_selector);
}

struct ByIdentity {
  bool operator()(const StreamIdentity& a, const StreamIdentity& b) const {
    return IdentityOf(a) < IdentityOf(b);
  }
};

using StreamSet = std::set<StreamIdentity, ByIdentity>;

void AddStreams(const Resource& resource, const std::string& selector,
                const std::vector<std::string>& namespaces, const std::string& cluster,
                StreamSet& streams) {
  if (namespaces.empty()) {
    streams.insert({.cluster = cluster, .resource = resource, .label_selector = selector});
  }
  for (const std::string& ns : namespaces) {
    streams.insert(
        {.cluster = cluster, .resource = resource, .ns = ns, .label_selector = selector});
  }
}

}  // namespace

std::vector<StreamIdentity> NeededStreams(const std::vector<OperatorSpec>& specs,
                                          const std::vector<std::string>& namespaces,
                                          const std::string& cluster) {
  StreamSet streams;
  for (const OperatorSpec& spec : specs) {
    AddStreams(spec.primary, "", namespaces, cluster, streams);
    for (const Resource& owned : spec.owned) {
      AddStreams(owned, "", namespaces, cluster, streams);
    }
    for (const WatchSpec& watch : spec.watched) {
      AddStreams(watch.resource, watch.label_selector, namespaces, cluster, streams);
    }
  }
  // An object is of one stream: two would take it away from each other. So where a kind is wanted
  // by two selectors, it is watched whole.
  std::map<StreamIdentity, std::string, ByIdentity> selectors;  // by the stream without one
  for (const StreamIdentity& stream : streams) {
    StreamIdentity whole = stream;
    whole.label_selector.clear();
    const auto [found, added] = selectors.emplace(whole, stream.label_selector);
    if (!added) {
      found->second.clear();
    }
  }
  std::vector<StreamIdentity> needed;
  for (const auto& [whole, selector] : selectors) {
    needed.push_back(whole);
    needed.back().label_selector = selector;
  }
  return needed;
}

absl::StatusOr<std::map<StreamId, StreamIdentity>> OpenStreams(
    JournalWriter& writer, const std::vector<StreamIdentity>& needed) {
  std::map<StreamId, StreamIdentity> open;
  const auto propose = [&](Draft& draft) {
    StreamSet missing(needed.begin(), needed.end());
    std::vector<std::pair<StreamId, StreamIdentity>> unneeded;
    std::map<StreamIdentity, StreamId, ByIdentity> closed;
    StreamId last;
    draft.view().streams.ForEach([&](StreamId id, const StreamState& stream) {
      last = std::max(last, id);
      if (stream.closed) {
        closed.emplace(stream.identity, id);
      } else if (missing.erase(stream.identity) > 0) {
        open.emplace(id, stream.identity);
      } else {
        unneeded.emplace_back(id, stream.identity);
      }
    });
    for (auto& [id, identity] : unneeded) {
      draft.Add({.stream = id,
                 .body = StreamChanged{.change = StreamChange::kClosed,
                                       .identity = std::move(identity),
                                       .reason = "not needed by this configuration"}});
      draft.SetBookmark(id, "");
    }
    for (const StreamIdentity& identity : missing) {
      const auto before = closed.find(identity);
      const StreamId id = before == closed.end() ? ++last : before->second;
      draft.Add({.stream = id,
                 .body = StreamChanged{.change = StreamChange::kOpened, .identity = identity}});
      open.emplace(id, identity);
    }
    draft.RequireSync();
  };
  LOGBOOK_RETURN_IF_ERROR(writer.SubmitAndWait(propose));
  return open;
}

}  // namespace logbook::reconcile
