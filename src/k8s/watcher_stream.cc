// Watching: frames from the bookmark on.
#include <algorithm>
#include <utility>

#include "logbook/k8s/api_status.h"
#include "logbook/k8s/watcher.h"
#include "logbook/model/resource_version.h"

namespace logbook::k8s {
namespace {

// What a server may take longer than the timeout it was given.
constexpr absl::Duration kTimeoutMargin = absl::Seconds(30);
constexpr absl::Duration kEarly = absl::Seconds(1);

}  // namespace

absl::Status Watcher::Watch() {
  const absl::Duration timeout = absl::Floor(
      options_.watch_timeout_min + (options_.watch_timeout_max - options_.watch_timeout_min) *
                                       std::uniform_real_distribution<double>()(random_),
      absl::Seconds(1));
  LOGBOOK_ASSIGN_OR_RETURN(const std::unique_ptr<WatchStream> stream,
                           api_.Watch(Collection(),
                                      {.resource_version = position_.resource_version,
                                       .label_selector = stream_.label_selector,
                                       .field_selector = stream_.field_selector,
                                       .timeout = timeout},
                                      stop_));
  frames_seen_ = 0;
  taken_.clear();
  taken_version_.clear();
  return ReadStream(*stream, timeout + kTimeoutMargin);
}

absl::Status Watcher::ReadStream(WatchStream& stream, absl::Duration timeout) {
  const absl::Duration opened = clock_.Monotonic();
  absl::Duration last_bytes = opened;
  for (;;) {
    const absl::Duration now = clock_.Monotonic();
    const absl::Duration due = std::min(last_bytes + options_.silence_max,
                                        opened + (established_ ? timeout : options_.resume_quiet));
    LOGBOOK_ASSIGN_OR_RETURN(const WatchRead read,
                             stream.Next(std::max(due - now, absl::ZeroDuration())));
    LOGBOOK_RETURN_IF_ERROR(TakeFrames(read.frames));
    const absl::Duration after = clock_.Monotonic();
    last_bytes = read.bytes > 0 ? after : last_bytes;
    if (!read.oversized.empty()) {
      return Undecodable(read.oversized, "", InvalidArgument("watch frame beyond the size limit"));
    }
    if (read.ended) {
      return frames_seen_ == 0 && after - opened < kEarly
                 ? WatchError(WatchFailure::kEndedEarly, "the server ended the watch at once")
                 : absl::OkStatus();
    }
    if (!established_ && after - opened >= options_.resume_quiet) {
      LOGBOOK_RETURN_IF_ERROR(Established());
    }
    if (after - last_bytes >= options_.silence_max) {
      return WatchError(WatchFailure::kSilent, "the watch is silent");
    }
    if (after - opened >= timeout) {
      return absl::OkStatus();
    }
  }
}

absl::Status Watcher::TakeFrames(const std::vector<std::string_view>& frames) {
  for (std::string_view frame : frames) {
    if (absl::Status status = TakeFrame(frame); !status.ok()) {
      LOGBOOK_RETURN_IF_ERROR(Deliver());  // what came before it is good
      return status;
    }
  }
  return Deliver();
}

absl::Status Watcher::TakeFrame(std::string_view raw) {
  ++frames_seen_;
  const absl::StatusOr<PeekedFrame> frame = peeker_.Frame(raw);
  if (!frame.ok()) {
    return Undecodable(raw, "", frame.status());
  }
  if (frame->type == "ERROR") {
    return StatusOfErrorEvent(frame->object);
  }
  LOGBOOK_RETURN_IF_ERROR(Established());
  if (frame->type == "BOOKMARK") {
    return TakeBookmark(frame->object);
  }
  if (frame->type == "ADDED") {
    return TakeChange(ChangeType::kAdded, frame->object);
  }
  if (frame->type == "MODIFIED") {
    return TakeChange(ChangeType::kModified, frame->object);
  }
  if (frame->type == "DELETED") {
    return TakeChange(ChangeType::kDeleted, frame->object);
  }
  log_.Info("Watch event of an unknown type skipped", {{"type", frame->type}});
  return absl::OkStatus();
}

absl::Status Watcher::TakeBookmark(std::string_view json) {
  const absl::StatusOr<PeekedObject> object = peeker_.Object(json);
  if (!object.ok()) {
    return Undecodable(json, json, object.status());
  }
  if (object->resource_version.empty()) {
    return Undecodable(json, json, InvalidArgument("bookmark without resourceVersion"));
  }
  LOGBOOK_RETURN_IF_ERROR(CheckOrder(object->resource_version, WatchFailure::kBookmarkBehind));
  taken_version_ = object->resource_version;
  return absl::OkStatus();
}

absl::Status Watcher::TakeChange(ChangeType change, std::string_view json) {
  absl::StatusOr<ObjectPtr> object = Decode(json);
  if (!object.ok()) {
    return Undecodable(json, json, object.status());
  }
  const std::string_view version = (*object)->resource_version();
  LOGBOOK_RETURN_IF_ERROR(CheckOrder(version, WatchFailure::kWentBack));
  if (change == ChangeType::kDeleted && HasSelector()) {
    LOGBOOK_RETURN_IF_ERROR(Deliver());  // what came before need not wait for the question below
    LOGBOOK_ASSIGN_OR_RETURN(change, RemovalOf(**object));
  }
  taken_version_ = version;
  taken_.push_back({change, *std::move(object)});
  return absl::OkStatus();
}

absl::Status Watcher::CheckOrder(std::string_view version, WatchFailure failure) const {
  const std::string& last = taken_version_.empty() ? position_.resource_version : taken_version_;
  return IsOlderVersion(version, last)
             ? WatchError(failure, Concat("resourceVersion ", version, " after ", last))
             : absl::OkStatus();
}

// With a selector, DELETED says that the object left the set, and only the server knows whether it
// is gone. Until it has told us, the position does not pass the event.
absl::StatusOr<ChangeType> Watcher::RemovalOf(const Object& object) {
  const absl::StatusOr<ApiReply> reply = api_.Get({served_.resource, object.key()}, Call());
  if (IsObjectMissing(reply.status()) || IsKindMissing(reply.status())) {
    return ChangeType::kDeleted;
  }
  if (absl::IsPermissionDenied(reply.status())) {
    return ChangeType::kLeftScope;  // who may not ask must not claim that it is gone
  }
  LOGBOOK_RETURN_IF_ERROR(reply.status());
  LOGBOOK_ASSIGN_OR_RETURN(const ObjectPtr now, Object::FromJson(reply->body));
  return now->uid() == object.uid() ? ChangeType::kLeftScope : ChangeType::kDeleted;
}

absl::StatusOr<ObjectPtr> Watcher::Decode(std::string_view json) {
  LOGBOOK_ASSIGN_OR_RETURN(const PeekedObject peeked, peeker_.Object(json));
  if (peeked.name.empty() || peeked.resource_version.empty()) {
    return InvalidArgument("object without name or resourceVersion");
  }
  if (peeked.kind.empty()) {
    return Object::FromJson(WithTypeMeta(peeked.json, peeked, served_.resource));
  }
  return std::make_shared<const Object>(peeked);
}

absl::Status Watcher::Undecodable(std::string_view bytes, std::string_view object,
                                  const absl::Status& why) {
  LOGBOOK_RETURN_IF_ERROR(Deliver());  // what came before is good
  LOGBOOK_RETURN_IF_ERROR(Quarantine(bytes, object, why));
  return WatchError(WatchFailure::kUndecodable, ToStd(why.message()));
}

absl::Status Watcher::Quarantine(std::string_view bytes, std::string_view object,
                                 const absl::Status& why) {
  UndecodableObject undecodable{.bytes = bytes, .error = why, .key = {}, .uid = ""};
  if (!object.empty()) {
    const PeekedObject known = peeker_.Identity(object);
    undecodable.key = {std::string(known.ns), std::string(known.name)};
    undecodable.uid = known.uid;
  }
  log_.Error("Undecodable object quarantined",
             {{"object", undecodable.key.ToString()}, {"error", why}});
  return FromSink(sink_.OnQuarantined(undecodable));
}

absl::Status Watcher::Deliver() {
  if (taken_version_.empty()) {
    return absl::OkStatus();
  }
  const std::string version = std::exchange(taken_version_, "");
  const absl::Status status = taken_.empty() ? sink_.OnBookmark(version)
                                             : sink_.OnEvents(std::exchange(taken_, {}), version);
  if (status.ok()) {
    position_.resource_version = version;
  }
  return FromSink(status);
}

absl::Status Watcher::Established() {
  if (std::exchange(established_, true)) {
    return absl::OkStatus();
  }
  backoff_.Reset();
  missing_backoff_.Reset();
  forbidden_backoff_.Reset();
  strange_ends_ = 0;
  const bool resumed = at_start_ || !unavailable_.empty();
  at_start_ = false;
  unavailable_.clear();
  return resumed ? FromSink(sink_.OnResumed(served_)) : absl::OkStatus();
}

}  // namespace logbook::k8s
