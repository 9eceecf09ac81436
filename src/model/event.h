// Event: a fact, past tense, with a seq. What the journal is a sequence of.
//
// Shape:    what all kinds share stands in Event itself, the rest in `body`; docs/format.md tells
//           how each looks on disk.
// Why:      an event says everything its fold needs: which keys it made dirty, when a key is due.
//           So the fold calls no user code, and a journal folds the same in every build (ADR 0003).
#ifndef LOGBOOK_MODEL_EVENT_H_
#define LOGBOOK_MODEL_EVENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/time/time.h"

#include "logbook/model/effect.h"
#include "logbook/model/ids.h"
#include "logbook/model/object.h"
#include "logbook/model/object_key.h"
#include "logbook/model/resource.h"

namespace logbook {

// Durable (docs/format.md): add at the end, never renumber.
enum class EventKind : uint8_t {
  kObserved = 1,
  kStreamChanged = 2,
  kDecided = 3,
  kOutcome = 4,
  kMarked = 5,
  kLeadership = 6,
  kAdmin = 7,
  kBuild = 8,
  kQuarantined = 9,
  kGap = 10,
};

std::string_view ToString(EventKind kind);

// Durable.
enum class ChangeType : uint8_t {
  kAdded = 1,
  kModified = 2,
  kDeleted = 3,
  kDeletedWhileAway = 4,  // found missing by a list; the object is the last known state
  kLeftScope = 5,         // no longer matches the stream's selector, but exists
};

std::string_view ToString(ChangeType change);

inline bool IsRemoval(ChangeType change) {
  return change >= ChangeType::kDeleted;
}

// Durable.
enum class Origin : uint8_t { kWatch = 1, kList = 2, kGet = 3, kResponse = 4 };

std::string_view ToString(Origin origin);

// Durable.
enum class MarkReason : uint8_t {
  kObserved = 1,  // the object itself changed
  kOwned = 2,     // an object it owns changed
  kMapped = 3,    // a mapper named it
  kForeign = 4,   // a response to a write of ours carried somebody else's change
  kBuildChanged = 5,
  kRecovered = 6,   // an effect was open when the process ended
  kConflicted = 7,  // a write of ours met a conflict
  kRequested = 8,   // an admin asked for it
};

std::string_view ToString(MarkReason reason);

// A key that an event made dirty, and why.
struct Mark {
  ControllerKey key;
  MarkReason reason = MarkReason::kObserved;
  bool low_priority = false;

  friend bool operator==(const Mark&, const Mark&) = default;
};

struct Observed {
  ChangeType change = ChangeType::kAdded;
  Origin origin = Origin::kWatch;
  Resource resource;             // kind and scope may be empty when read back from disk
  bool content_changed = false;  // differs from the view in more than bookkeeping
  bool listed = false;           // enters the view when its stream's list is complete
  ObjectPtr object;
};

struct StreamIdentity {
  std::string cluster;  // cluster uid
  Resource resource;
  std::string ns;  // empty: all namespaces
  std::string label_selector;
  std::string field_selector;

  // "pods", "pods in shop", "pods with app=web".
  std::string ToString() const;

  friend bool operator==(const StreamIdentity&, const StreamIdentity&) = default;
};

// Durable.
enum class StreamChange : uint8_t {
  kOpened = 1,
  kListStarted = 2,
  kListed = 3,
  kResumed = 4,
  kUnavailable = 5,
  kRewound = 6,
  kClosed = 7,
};

std::string_view ToString(StreamChange change);

struct StreamChanged {
  StreamChange change = StreamChange::kOpened;
  StreamIdentity identity;
  std::string served_by;  // CRD uid and generation, or the server's version
  std::string reason;
  uint64_t generation = 1;  // grows when the cluster went back in time
  uint64_t objects_listed = 0;
  uint64_t objects_changed = 0;
  uint64_t objects_vanished = 0;
};

// Durable.
enum class Verdict : uint8_t {
  kSettled = 1,   // content until something changes, or until `due`
  kFailed = 2,    // tried again by backoff
  kTerminal = 3,  // not tried again until something changes
};

std::string_view ToString(Verdict verdict);

struct Decided {
  ControllerKey key;
  std::string resource;  // "simpleapps.apps.bootcamp.local"
  std::string uid;       // of the object the key names; empty if it does not exist
  EventSeq view_seq;     // the view it was decided on; clears causes up to it
  absl::Time now;        // what the reconciler was told
  uint32_t attempt = 0;  // failures in a row before it
  std::vector<Effect> effects;
  std::string reason;  // why there are no effects, or what the plan is for
  Verdict verdict = Verdict::kSettled;
  absl::Time due = absl::InfiniteFuture();  // when to look again; infinite: when something changes
  std::string segment;                      // "finalize", "add-finalizer", "reconcile", "none"
  uint32_t attempts_after = 0;
};

struct OutcomeRecorded {
  ControllerKey key;
  std::string resource;
  Outcome outcome;
  Resource target;  // of the effect, for the response
  uint32_t attempts_after = 0;
  absl::Time due = absl::InfiniteFuture();  // of the key; infinite: as it was
  bool content_changed = false;             // the response differs from the view
  // An observation that brought this write before its own answer did: as a cause it is void.
  EventSeq echo;
};

struct Marked {
  std::string reason;
};

struct BuildStarted {
  std::string build_id;
  std::string version;
  std::string operator_name;
  std::string cluster;
  std::string configuration;  // canonical text of what the operator declares
  std::vector<std::string> controllers;
  bool changed = false;  // differs from the run before: every key becomes dirty, at low priority
};

struct Quarantined {
  std::string bytes;
  std::string error;
};

struct Gap {
  std::string reason;
  EventSeq first_missing;
  EventSeq last_missing;
};

struct Leadership {
  std::string holder;
  uint64_t term = 0;
};

struct Admin {
  std::string who;
  std::string action;
  std::string why;
};

// In the order of EventKind, so that the index tells the kind.
using EventBody = std::variant<Observed, StreamChanged, Decided, OutcomeRecorded, Marked,
                               Leadership, Admin, BuildStarted, Quarantined, Gap>;

struct Event {
  EventSeq seq;
  RunId run;
  absl::Time wall_time;             // for people; no decision depends on it
  StreamId stream;                  // 0: none
  std::vector<ObjectRef> subjects;  // whose history it belongs to; the first is the main one
  std::string resource_version;
  std::vector<EventSeq> causes;
  std::vector<Mark> marks;
  EventBody body;

  EventKind kind() const { return static_cast<EventKind>(body.index() + 1); }
};

}  // namespace logbook

#endif  // LOGBOOK_MODEL_EVENT_H_
