// Session: carries out the script on a store, from wherever the store's journal ends.
#ifndef LOGBOOK_TESTS_CRASH_SESSION_H_
#define LOGBOOK_TESTS_CRASH_SESSION_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "script.h"

#include "logbook/base/status.h"
#include "logbook/reconcile/fold.h"
#include "logbook/store/journal.h"

namespace logbook::crash {

// What a journal acknowledged: it ends at `last`, and is synced up to `synced`.
struct Acknowledgement {
  EventSeq last;
  Chain chain = {};  // of `last`
  EventSeq synced;

  friend bool operator==(const Acknowledgement&, const Acknowledgement&) = default;
};

// Options that the crash tests open stores with.
store::JournalOptions StoreOptions(const std::string& directory);

// Events that are of the script, and not of an opening that cut off a tail.
bool IsScripted(const Event& event);

// Confined.
class Session {
 public:
  using Acknowledge = std::function<void(const Acknowledgement&)>;

  // `acknowledge` is called after each call of the journal that succeeded.
  Session(store::JournalOptions options, Acknowledge acknowledge);

  // Errors: those of the store; kInternal if the journal ends within a batch.
  absl::Status Run();

 private:
  absl::Status Open();
  absl::Status LoadView();
  absl::StatusOr<size_t> FirstStep() const;
  absl::Status Do(const Step& step);
  absl::Status Append(const Step& step);
  absl::Status WriteCheckpoint();
  void RecordSynced();
  void Acknowledged();

  const store::JournalOptions options_;
  const Acknowledge acknowledge_;
  const std::vector<Step> script_ = MakeScript();
  std::unique_ptr<store::Journal> journal_;
  std::unique_ptr<reconcile::Fold> fold_;
  bool rows_unreadable_ = false;
};

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_SESSION_H_
