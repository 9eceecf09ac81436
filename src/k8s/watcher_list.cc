// Listing: all objects of the stream, page by page, from one snapshot.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"

#include "logbook/k8s/transport_status.h"
#include "logbook/k8s/watcher.h"
#include "logbook/model/resource_version.h"

namespace logbook::k8s {
namespace {

constexpr int kListAttemptsMax = 3;
// Lists that follow one another faster than this are slowed down: something keeps going wrong.
constexpr absl::Duration kListsApart = absl::Minutes(2);

}  // namespace

absl::Status Watcher::List() {
  LOGBOOK_RETURN_IF_ERROR(WaitBeforeList());
  for (int attempt = 1;; ++attempt) {
    // Pages expire if all of them take longer than the server keeps its snapshot. The last attempt
    // asks for everything at once, which cannot.
    const int limit = attempt < kListAttemptsMax ? page_limit_ : 0;
    absl::Status status = ListOnce(limit);
    if (IsResponseTooLarge(status) && limit > 1) {
      page_limit_ = std::max(1, limit / 4);
      --attempt;
      continue;
    }
    const bool again = !status.ok() && FailureOf(status) == WatchFailure::kExpired;
    if (!again || attempt == kListAttemptsMax) {
      return status;
    }
  }
}

absl::Status Watcher::WaitBeforeList() {
  if (!last_list_end_.has_value() || clock_.Monotonic() - *last_list_end_ >= kListsApart) {
    list_backoff_.Reset();
    return absl::OkStatus();
  }
  return options_.wait(list_backoff_.Next(), stop_) ? absl::OkStatus() : Cancelled("stopped");
}

absl::Status Watcher::ListOnce(int limit) {
  ListOptions options{.limit = limit,
                      .label_selector = stream_.label_selector,
                      .field_selector = stream_.field_selector};
  std::string version;
  do {
    LOGBOOK_ASSIGN_OR_RETURN(const ApiReply reply, api_.List(Collection(), options, Call()));
    LOGBOOK_ASSIGN_OR_RETURN(const PeekedList page, peeker_.List(reply.body));
    if (version.empty()) {
      LOGBOOK_RETURN_IF_ERROR(StartList(page));
      version = page.resource_version;
    }
    LOGBOOK_RETURN_IF_ERROR(DeliverPage(page));
    options.continue_token = page.continue_token;
  } while (!options.continue_token.empty());
  return EndList(version);
}

absl::Status Watcher::StartList(const PeekedList& first_page) {
  if (!absl::EndsWith(ToAbsl(first_page.kind), "List") || first_page.resource_version.empty()) {
    return Unavailable("the answer to a list is no list: kind \"", first_page.kind,
                       "\", resourceVersion \"", first_page.resource_version, "\"");
  }
  if (IsOlderVersion(first_page.resource_version, position_.resource_version)) {
    return WatchError(WatchFailure::kOlder,
                      Concat("the list has resourceVersion ", first_page.resource_version,
                             ", the bookmark ", position_.resource_version));
  }
  const bool same = SameServer(position_.served_by, served_.served_by);
  log_.Info("List started", {{"reason", list_reason_}, {"served_by", served_.served_by}});
  return FromSink(sink_.OnListStarted(
      {.served = served_, .reason = list_reason_, .compare_content = doubt_versions_ || !same}));
}

absl::Status Watcher::DeliverPage(const PeekedList& page) {
  std::vector<ObjectPtr> objects;
  objects.reserve(page.items.size());
  for (std::string_view item : page.items) {
    absl::StatusOr<ObjectPtr> object = Decode(item);
    if (object.ok()) {
      objects.push_back(*std::move(object));
    } else {
      LOGBOOK_RETURN_IF_ERROR(Quarantine(item, item, object.status()));
    }
  }
  return FromSink(sink_.OnListPage(std::move(objects)));
}

absl::Status Watcher::EndList(const std::string& resource_version) {
  LOGBOOK_RETURN_IF_ERROR(FromSink(sink_.OnListed(resource_version)));
  position_ = {
      .resource_version = resource_version, .served_by = served_.served_by, .listed = true};
  list_reason_.clear();
  doubt_versions_ = at_start_ = false;
  unavailable_.clear();
  last_list_end_ = clock_.Monotonic();
  return absl::OkStatus();
}

}  // namespace logbook::k8s
