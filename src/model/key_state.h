// KeyState: what the journal says about one key of one controller: why it is dirty, how often it
// failed, when it is due, what its last plan came to. The durable queue is the set of these.
#ifndef LOGBOOK_MODEL_KEY_STATE_H_
#define LOGBOOK_MODEL_KEY_STATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"

#include "logbook/model/effect.h"
#include "logbook/model/event.h"
#include "logbook/model/ids.h"

namespace logbook {

// Why a key is dirty: the event that made it so, and since which seq the view shows it. The two
// differ for listed objects, which enter the view when their list is complete.
struct Cause {
  EventSeq seq;
  EventSeq visible;
  MarkReason reason = MarkReason::kObserved;

  friend bool operator==(const Cause&, const Cause&) = default;
};

// One effect of the key's last plan, and what it came to.
struct EffectState {
  Effect effect;          // without its body
  bool recorded = false;  // an outcome is in the journal
  OutcomeKind kind = OutcomeKind::kUnknown;
  std::string failure_class;
  std::string message;
  EventSeq seq;                  // of the outcome
  uint64_t body_hash = 0;        // of the body that is left out of `effect`
  std::string resource_version;  // of the target after it succeeded

  friend bool operator==(const EffectState&, const EffectState&) = default;
};

struct KeyState {
  // Causes beyond this number replace the newest, and are counted: a key that thousands of events
  // made dirty needs one reconcile, and a person reads the first and the last of them.
  static constexpr size_t kCausesMax = 32;

  EventSeq seq;               // of the last event that changed this
  std::string resource;       // of the object the key names
  std::string uid;            // the incarnation that `attempts` and `steps_done` belong to
  std::vector<Cause> causes;  // not yet decided on, oldest first
  uint64_t causes_dropped = 0;
  bool low_priority = false;                // every cause is of low priority
  uint32_t attempts = 0;                    // failures in a row
  absl::Time due = absl::InfiniteFuture();  // when to look again; infinite: when something changes
  EventSeq decided;                         // the last decision; 0: none
  bool open = false;                        // the last plan has effects without an outcome
  std::vector<EffectState> effects;         // of the last plan that had any
  std::vector<std::string> steps_done;      // external steps that succeeded for `uid`
  std::string reason;                       // of the last decision

  bool dirty() const { return !causes.empty(); }

  friend bool operator==(const KeyState&, const KeyState&) = default;
};

using KeyStatePtr = std::shared_ptr<const KeyState>;

}  // namespace logbook

#endif  // LOGBOOK_MODEL_KEY_STATE_H_
