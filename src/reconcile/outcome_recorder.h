// OutcomeRecorder: brings outcomes into the journal, and with them our own writes into the view.
//
// A response enters the view before the key is reconciled again, so a decision never overlooks what
// we wrote. It makes no key dirty if it only carries what we asked for (an echo); if somebody
// else's change came with it, the key becomes dirty with cause `foreign`.
//
// Threads:  Thread-safe; Record blocks for one commit.
#ifndef LOGBOOK_RECONCILE_OUTCOME_RECORDER_H_
#define LOGBOOK_RECONCILE_OUTCOME_RECORDER_H_

#include "logbook/base/status.h"
#include "logbook/reconcile/effect_performer.h"
#include "logbook/reconcile/effect_runner.h"
#include "logbook/reconcile/marks.h"
#include "logbook/reconcile/writer.h"

namespace logbook::reconcile {

// How one outcome bears on its key.
struct OutcomeContext {
  bool plan_failed = false;     // this effect, or one before it in the plan
  bool only_conflicts = false;  // and nothing worse than conflicts happened to any of them
  bool must_sync = false;       // before the next effect may leave
  bool recovered = false;       // of a plan that the end of the process cut short
};

class OutcomeRecorder {
 public:
  // Both outlive the recorder.
  OutcomeRecorder(JournalWriter& writer, const MarkTable& marks) : writer_(writer), marks_(marks) {}

  // Errors: why the journal is dead; then nothing further may be sent.
  absl::Status Record(const PlanRun& plan, const Performed& performed,
                      const OutcomeContext& context);

  // Takes out of `outcome` what must not be recorded or logged.
  void Redact(const Effect& effect, Outcome& outcome) const;

  // Why the journal is dead, if it is.
  absl::Status failure() const { return writer_.failure(); }

  // The effect's target as the newest view has it; null if it is not there.
  ObjectPtr TargetInView(const Effect& effect) const;

  // An object that was read, apart from any stream. Errors: as Record.
  absl::Status Observe(const Resource& resource, const ObjectPtr& object);

 private:
  void AddRead(Draft& draft, const Resource& resource, const ObjectPtr& read) const;

  JournalWriter& writer_;
  const MarkTable& marks_;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_OUTCOME_RECORDER_H_
