// JournalTest: a real journal in a directory of its own, its writer, and the registrations that the
// tests of this folder use.
#ifndef LOGBOOK_TESTS_RECONCILE_JOURNAL_FIXTURE_H_
#define LOGBOOK_TESTS_RECONCILE_JOURNAL_FIXTURE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "builders.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/base/check.h"
#include "logbook/reconcile/marks.h"
#include "logbook/reconcile/operator.h"
#include "logbook/reconcile/outcome_recorder.h"
#include "logbook/reconcile/writer.h"
#include "logbook/store/journal.h"
#include "logbook/support/fake_clock.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::reconcile {

inline constexpr std::string_view kDeployments = "deployments.apps";
inline constexpr std::string_view kManager = "simpleapp-operator";
inline constexpr std::string_view kFinalizer = "apps.bootcamp.local/simpleapp-finalizer";

// SimpleApps that own Deployments and release something outside when they go.
inline OperatorSpec TestOperator(ExternalHandler release = [](const ExternalCall&) {
  return absl::OkStatus();
}) {
  const auto nothing = [](const View&, const ObjectKey&) { return Plan::AwaitChange("settled"); };
  absl::StatusOr<OperatorSpec> spec =
      Operator("simpleapp")
          .For("apps.bootcamp.local/v1/simpleapps", "SimpleApp")
          .Owns("apps/v1/deployments")
          .Effects({EffectKind::kApply, EffectKind::kCreate, EffectKind::kDelete,
                    EffectKind::kPatchStatus, EffectKind::kExternal})
          .External("release", std::move(release))
          .Finalizer({.name = std::string(kFinalizer)}, nothing)
          .Reconciles(nothing)
          .Build();
  LOGBOOK_CHECK(spec.ok());
  return *std::move(spec);
}

// Keeps the writer's thread busy, so that what is submitted meanwhile waits.
class Gate {
 public:
  explicit Gate(JournalWriter& writer) {
    writer.Submit({.propose = [this](Draft&) {
      entered_.Notify();
      open_.WaitForNotification();
    }});
    entered_.WaitForNotification();
  }

  ~Gate() {
    if (!open_.HasBeenNotified()) {
      Open();
    }
  }

  void Open() { open_.Notify(); }

 private:
  absl::Notification entered_;
  absl::Notification open_;
};

class JournalTest : public ::testing::Test {
 protected:
  explicit JournalTest(std::vector<OperatorSpec> specs = {TestOperator()})
      : specs_(std::move(specs)), marks_(specs_) {}

  ~JournalTest() override { CloseJournal(); }

  // Opens the journal, folds it and starts its writer, as a session does.
  void OpenJournal(WriterOptions options = {}) {
    absl::StatusOr<std::unique_ptr<store::Journal>> journal =
        store::Journal::Open({.directory = temp_ / "store",
                              .identity = {.cluster_uid = "cluster", .operator_name = "simpleapp"},
                              .create_if_missing = true,
                              .clock = &clock_,
                              .env = env_});
    ASSERT_OK(journal);
    journal_ = *std::move(journal);
    Fold fold{ViewState()};
    for (const Event& event : Events()) {
      fold.Apply(event);
    }
    writer_ = std::make_unique<JournalWriter>(
        *journal_, std::move(fold), options, clock_, Logger(),
        [this](const Publication& publication) {
          published_(publication);
          absl::MutexLock lock(&mu_);
          publications_.push_back(publication);
        },
        [this](const absl::Status& status) {
          absl::MutexLock lock(&mu_);
          deaths_.push_back(status);
        });
  }

  // As the end of the process does.
  void CloseJournal() {
    writer_.reset();
    journal_.reset();
  }

  void OpenStreams() {
    Add(StreamEvent(StreamChange::kOpened, kAppStream, AppResource()));
    Add(StreamEvent(StreamChange::kOpened, kDeploymentStream, DeploymentResource()));
  }

  // Commits `event` and returns its seq.
  EventSeq Add(Event event) {
    EventSeq seq;
    EXPECT_OK(writer_->SubmitAndWait([&](Draft& draft) { seq = draft.Add(std::move(event)); }));
    return seq;
  }

  // Commits a decision for `name` with `effects`, as a worker does, on the newest view.
  PlanRun Decide(
      std::string_view name, std::vector<Effect> effects,
      const std::function<void(Decided&)>& change = [](Decided&) {}) {
    const ObjectPtr object = FindIn(kApps, name);
    Event event =
        DecidedEvent(name, object == nullptr ? "" : object->uid(), view()->seq, std::move(effects));
    auto& decided = std::get<Decided>(event.body);
    decided.segment = "reconcile";
    change(decided);
    event.subjects = {
        {.resource = decided.resource, .key = decided.key.object, .uid = decided.uid}};
    Decided decision = decided;
    const EventSeq seq = Add(std::move(event));
    return {.spec = &specs_.front(),
            .run = journal_->run(),
            .decided = seq,
            .decision = std::move(decision)};
  }

  ViewStatePtr view() const { return writer_->view(); }

  // The object `name` in namespace "shop"; null if it is not in the view.
  ObjectPtr FindIn(std::string_view resource, std::string_view name) const {
    const ViewStatePtr now = view();
    const ObjectEntry* entry = now->FindObject(resource, {.ns = "shop", .name = std::string(name)});
    return entry == nullptr ? nullptr : entry->object;
  }

  // Of the same object; empty if it is not in the view.
  std::string UidOf(std::string_view resource, std::string_view name) const {
    const ObjectPtr object = FindIn(resource, name);
    return object == nullptr ? "" : std::string(object->uid());
  }

  std::string VersionOf(std::string_view resource, std::string_view name) const {
    const ObjectPtr object = FindIn(resource, name);
    return object == nullptr ? "" : std::string(object->resource_version());
  }

  // What the view says of the key; nothing of a key that it does not know.
  KeyState KeyOf(std::string_view name) const {
    const ViewStatePtr now = view();
    const KeyState* state = now->FindKey(Key(name));
    return state == nullptr ? KeyState() : *state;
  }

  // Why the key is dirty, oldest first.
  std::vector<MarkReason> CausesOf(std::string_view name) const {
    std::vector<MarkReason> reasons;
    for (const Cause& cause : KeyOf(name).causes) {
      reasons.push_back(cause.reason);
    }
    return reasons;
  }

  // What is in the journal after `after`.
  std::vector<Event> Events(EventSeq after = EventSeq()) const {
    std::vector<Event> events;
    EXPECT_OK(journal_->Read(after.Next(), journal_->last(),
                             [&](const Event& event) -> absl::StatusOr<bool> {
                               events.push_back(event);
                               return true;
                             }));
    return events;
  }

  // The bodies of one kind among them.
  template <typename Body>
  std::vector<Body> Bodies(EventSeq after = EventSeq()) const {
    std::vector<Body> bodies;
    for (const Event& event : Events(after)) {
      if (const Body* body = std::get_if<Body>(&event.body); body != nullptr) {
        bodies.push_back(*body);
      }
    }
    return bodies;
  }

  // The seqs of the views that were published.
  std::vector<EventSeq> Published() const {
    absl::MutexLock lock(&mu_);
    std::vector<EventSeq> seqs;
    for (const Publication& publication : publications_) {
      seqs.push_back(publication.view->seq);
    }
    return seqs;
  }

  std::vector<absl::Status> Deaths() const {
    absl::MutexLock lock(&mu_);
    return deaths_;
  }

  TempDir temp_;
  FakeClock clock_;
  rocksdb::Env* env_ = nullptr;
  std::function<void(const Publication&)> published_ = [](const Publication&) {};
  const std::vector<OperatorSpec> specs_;
  const MarkTable marks_;
  mutable absl::Mutex mu_;
  std::vector<Publication> publications_ ABSL_GUARDED_BY(mu_);
  std::vector<absl::Status> deaths_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<store::Journal> journal_;
  std::unique_ptr<JournalWriter> writer_;
};

// The same with both streams watched.
class WatchedJournalTest : public JournalTest {
 protected:
  explicit WatchedJournalTest(std::vector<OperatorSpec> specs = {TestOperator()})
      : JournalTest(std::move(specs)) {}

  void SetUp() override {
    OpenJournal();
    OpenStreams();
  }
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_TESTS_RECONCILE_JOURNAL_FIXTURE_H_
