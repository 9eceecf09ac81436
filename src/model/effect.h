// Effect: one thing to do to the world, as data. Outcome: what it came to.
//
// A plan's effects are written to the journal before the first of them is sent, and each outcome
// after it is known; between the two an effect is open.
#ifndef LOGBOOK_MODEL_EFFECT_H_
#define LOGBOOK_MODEL_EFFECT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

#include "logbook/model/ids.h"
#include "logbook/model/object_key.h"
#include "logbook/model/resource.h"

namespace logbook {

// Durable (docs/format.md): add at the end, never renumber.
enum class EffectKind : uint8_t {
  kApply = 1,            // server-side apply under the operator's field manager
  kCreate = 2,           // write-once objects only, such as an audit record
  kDelete = 3,           // with uid and resourceVersion as preconditions
  kPatchStatus = 4,      // JSON patch of /status guarded by test (ADR 0004)
  kAddFinalizer = 5,     // JSON patch guarded by test
  kRemoveFinalizer = 6,  // JSON patch guarded by test
  kEmitEvent = 7,        // a Kubernetes Event; never fails a plan
  kExternal = 8,         // a registered handler, at least once under one operation id
  kPatch = 9,            // JSON patch, for what an apply cannot undo (ADR 0005)
};

std::string_view ToString(EffectKind kind);

struct Effect {
  EffectKind kind = EffectKind::kApply;
  Resource resource;  // of the target; empty for kExternal
  ObjectKey target;
  std::string uid;     // the incarnation it is meant for; empty: none yet
  std::string body;    // canonical JSON: the object, the patch, or the handler's arguments
  bool force = false;  // kApply: take fields over from other managers
  std::string resource_version;  // precondition; empty: none
  std::string step;              // kExternal: the handler's name
  std::string finalizer;         // kAddFinalizer, kRemoveFinalizer
  // kCreate: an existing object counts as ours if this annotation equals the one in `body`.
  std::string match_annotation;
  std::string propagation;  // kDelete: Background, Foreground or Orphan

  friend bool operator==(const Effect&, const Effect&) = default;
};

// Durable (docs/format.md): add at the end, never renumber.
enum class OutcomeKind : uint8_t {
  kSucceeded = 1,
  kFailed = 2,
  kSkipped = 3,  // not sent, since an effect before it failed
  kUnknown = 4,  // sent, and whether it happened is not known
};

std::string_view ToString(OutcomeKind kind);

// Classes of failure that are ours; all others are reasons of a Kubernetes Status.
inline constexpr std::string_view kClassNameTaken = "NameTaken";
inline constexpr std::string_view kClassNamespaceTerminating = "NamespaceTerminating";
inline constexpr std::string_view kClassConflict = "Conflict";
inline constexpr std::string_view kClassTransport = "Transport";  // no answer, or none in time
inline constexpr std::string_view kClassGone = "Gone";  // the incarnation it was meant for is gone

struct Outcome {
  EventSeq decided;      // the decision this effect belongs to
  uint32_t ordinal = 0;  // of the effect in its plan, from 0
  OutcomeKind kind = OutcomeKind::kSucceeded;
  std::string failure_class;
  std::string message;
  int http_status = 0;
  std::string uid;
  std::string resource_version;
  std::string response;  // the object the server answered with; empty if it did not
  std::string status;    // the Status the server answered with; empty if it did not
  absl::Time at;
  absl::Duration took;
  bool created = false;  // the write made the object
  bool last = false;     // no later effect of this plan is open

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// "run.seq.ordinal": names one effect of one journal; sent as the Audit-ID header.
std::string OperationId(RunId run, EventSeq decided, uint32_t ordinal);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_EFFECT_H_
