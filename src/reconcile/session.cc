#include "logbook/reconcile/session.h"

#include <utility>

#include "logbook/base/wait.h"
#include "logbook/reconcile/recovery.h"
#include "logbook/reconcile/streams.h"
#include "logbook/reconcile/view_at.h"
#include "logbook/store/anchor.h"

namespace logbook::reconcile {
namespace {

constexpr absl::Duration kRecoveryRetry = absl::Seconds(2);

}  // namespace

Session::Session(const RuntimeOptions& options, const std::vector<OperatorSpec>& specs,
                 const Redactor& redactor, k8s::ApiClient& api, std::string cluster,
                 const Clock& clock, const Logger& log)
    : options_(options),
      specs_(specs),
      redactor_(redactor),
      api_(api),
      cluster_(std::move(cluster)),
      clock_(clock),
      log_(log),
      marks_(specs),
      queue_(clock),
      sources_([this] {
        {
          absl::MutexLock lock(&mu_);
          synced_ = true;
        }
        OpenQueueIfReady();
      }),
      anchors_(api, options.anchor_ns, options.operator_name),
      performer_(api, clock) {
  for (const OperatorSpec& spec : specs) {
    controllers_.insert(spec.name);
  }
}

Session::~Session() {
  Stop();
}

bool Session::IsOurs(const ControllerKey& key) const {
  return controllers_.contains(key.controller);
}

void Session::OpenQueueIfReady() {
  absl::MutexLock lock(&mu_);
  queue_.SetOpen(synced_ && space_.ok());
}

void Session::OnSpace(const absl::Status& space) {
  {
    absl::MutexLock lock(&mu_);
    space_ = space;
    if (quiescing_) {
      return;  // watchers are on their way out, and must not wait for space
    }
    writer_->SetIntake(space.ok());
  }
  OpenQueueIfReady();
}

void Session::OnPublished(const Publication& publication) {
  for (const ControllerKey& key : publication.keys) {
    if (IsOurs(key)) {
      queue_.Update(key, publication.view->FindKey(key));
    }
  }
}

absl::Status Session::Start(const std::stop_token& stop) {
  LOGBOOK_RETURN_IF_ERROR(OpenJournal());
  LOGBOOK_ASSIGN_OR_RETURN(const std::vector<store::Anchor> lost, CheckAnchors(stop));
  LOGBOOK_RETURN_IF_ERROR(LoadView());
  LOGBOOK_RETURN_IF_ERROR(BeginRun(lost));
  recorder_ = std::make_unique<OutcomeRecorder>(*writer_, marks_);
  LOGBOOK_RETURN_IF_ERROR(Recover(stop));
  StartWorking();
  return StartWatching();
}

absl::Status Session::OpenJournal() {
  LOGBOOK_ASSIGN_OR_RETURN(
      journal_,
      store::Journal::Open(
          {.directory = options_.data_dir,
           .identity = {.cluster_uid = cluster_, .operator_name = options_.operator_name},
           .create_if_missing = true,
           .durability = options_.strict ? store::Durability::kStrict : store::Durability::kDefault,
           .clock = &clock_,
           .logger = log_.Named("store")}));
  log_.Info("Journal opened", {{"directory", options_.data_dir},
                               {"store", journal_->format().uuid},
                               {"run", journal_->run().value},
                               {"events", journal_->last().value}});
  return absl::OkStatus();
}

absl::StatusOr<std::vector<store::Anchor>> Session::CheckAnchors(const std::stop_token& stop) {
  const absl::StatusOr<std::vector<KnownAnchor>> anchors = anchors_.Load(stop);
  if (!anchors.ok()) {
    if (options_.require_history || !absl::IsPermissionDenied(anchors.status())) {
      return WithContext(anchors.status(), "anchors of earlier stores cannot be read");
    }
    log_.Error("Anchors cannot be read, so a lost or restored volume would not be noticed",
               {{"namespace", options_.anchor_ns}, {"error", anchors.status()}});
    return std::vector<store::Anchor>();
  }
  AnchorVerdict verdict = JudgeAnchors(*journal_, *anchors, options_.require_history);
  LOGBOOK_RETURN_IF_ERROR(verdict.status);
  if (const absl::Status saved = anchors_.Save(journal_->anchor(), stop); !saved.ok()) {
    log_.Error("Anchor not saved", {{"error", saved}});
  }
  for (const store::Anchor& lost : verdict.lost) {
    // Before the gap is recorded: until then this store counts as new, and the next start tries it.
    const absl::Status status = anchors_.Supersede(lost, journal_->format().uuid, stop);
    if (!status.ok() && !absl::IsPermissionDenied(status)) {
      return WithContext(status, "the anchor of a lost store cannot be marked");
    }
  }
  for (const std::string& uuid : verdict.obsolete) {
    if (const absl::Status dropped = anchors_.Drop(uuid, stop); !dropped.ok()) {
      log_.Error("Old anchor not removed", {{"store", uuid}, {"error", dropped}});
    }
  }
  return verdict.lost;
}

absl::Status Session::LoadView() {
  LOGBOOK_ASSIGN_OR_RETURN(NewestView newest, FoldNewest(*journal_));
  if (!newest.unreadable.ok()) {
    log_.Error("State checkpoint cannot be read, folded from the oldest event",
               {{"error", newest.unreadable}});
    rows_unreadable_ = true;
  }
  state_seq_ = newest.state_seq;
  writer_ = std::make_unique<JournalWriter>(
      *journal_, std::move(newest.fold), WriterOptions{.redactor = &redactor_}, clock_,
      log_.Named("journal"), [this](const Publication& publication) { OnPublished(publication); },
      [this](const absl::Status& status) {
        absl::MutexLock lock(&mu_);
        dead_ = status;
      });
  {
    absl::MutexLock lock(&mu_);
    running_ = true;
  }
  writer_->view()->keys.ForEach([&](const std::string& path, const KeyStatePtr& state) {
    if (const ControllerKey key = KeyFromPath(path); IsOurs(key)) {
      queue_.Update(key, state.get());
    }
  });
  return absl::OkStatus();
}

absl::Status Session::BeginRun(const std::vector<store::Anchor>& lost_stores) {
  BuildStarted build{.build_id = options_.build_id,
                     .version = options_.version,
                     .operator_name = options_.operator_name,
                     .cluster = cluster_};
  for (const OperatorSpec& spec : specs_) {
    build.configuration += Concat(spec.Configuration(), "\n");
    build.controllers.push_back(Concat(spec.name, "=", spec.primary.GroupResource()));
  }
  return writer_->SubmitAndWait([&](Draft& draft) {
    for (const store::Anchor& lost : lost_stores) {
      draft.Add({.body = Gap{.reason = Concat("history lost: the volume of store ", lost.uuid,
                                              " is gone")}});
    }
    const BuildStarted& before = draft.view().build;
    build.changed =
        before.build_id != build.build_id || before.configuration != build.configuration;
    draft.Add({.body = build});
    draft.RequireSync();
  });
}

absl::Status Session::Recover(const std::stop_token& stop) {
  const RecoveryTools tools{.specs = specs_,
                            .journal = *journal_,
                            .performer = performer_,
                            .recorder = *recorder_,
                            .clock = clock_,
                            .log = log_};
  while (true) {
    absl::Status status = RecoverOpenPlans(*writer_->view(), tools, stop);
    if (status.ok() || !writer_->failure().ok() || absl::IsDataLoss(status)) {
      return status;
    }
    log_.Error("Open plans cannot be looked into yet", {{"error", status}});
    if (!WaitFor(kRecoveryRetry, stop)) {
      return Cancelled("stopped");
    }
  }
}

void Session::StartWorking() {
  for (const OperatorSpec& spec : specs_) {
    log_.Info("Starting Controller", {{"controller", spec.name},
                                      {"controllerGroup", spec.primary.group},
                                      {"controllerKind", spec.primary.kind}});
  }
  runner_ =
      std::make_unique<EffectRunner>(performer_, *recorder_, options_.effect_runners, clock_, log_,
                                     [this](const ControllerKey& key) { queue_.Release(key); });
  workers_ = std::make_unique<WorkerPool>(specs_, queue_, *writer_, *runner_, options_.workers,
                                          clock_, log_);
  log_.Info("Starting workers", {{"worker count", options_.workers}});
}

absl::Status Session::StartWatching() {
  LOGBOOK_ASSIGN_OR_RETURN(
      const auto streams,
      OpenStreams(*writer_, NeededStreams(specs_, options_.namespaces, cluster_)));
  LOGBOOK_ASSIGN_OR_RETURN(const auto bookmarks, journal_->Bookmarks());
  for (const auto& [id, identity] : streams) {
    sources_.Add(id, identity.ToString());
  }
  for (const auto& [id, identity] : streams) {
    const StreamState& state = *writer_->view()->streams.Find(id);
    const auto bookmark = bookmarks.find(id);
    k8s::StreamPosition position{.served_by = state.served_by, .listed = state.listed};
    if (bookmark != bookmarks.end()) {
      position.resource_version = bookmark->second.resource_version;
    }
    log_.Info("Starting EventSource",
              {{"source", identity.ToString()}, {"resourceVersion", position.resource_version}});
    ingesters_.push_back(std::make_unique<Ingester>(id, identity, position, *writer_, marks_,
                                                    sources_, log_.Named("ingester")));
    watchers_.push_back(std::make_unique<k8s::Watcher>(identity, api_, *ingesters_.back(), clock_,
                                                       log_.Named("watcher"), id.value));
    watcher_threads_.emplace_back(
        [watcher = watchers_.back().get()](const std::stop_token& token) { watcher->Run(token); });
  }
  housekeeper_ = std::make_unique<Housekeeper>(
      *journal_, *writer_, anchors_, state_seq_,
      HousekeepingOptions{.retention = options_.retention,
                          .disk_reserve = options_.disk_reserve,
                          .on_space = [this](const absl::Status& space) { OnSpace(space); },
                          .write_everything = rows_unreadable_},
      clock_, log_);
  return absl::OkStatus();
}

absl::Status Session::Wait(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { absl::MutexLock lock(&mu_); });
  absl::MutexLock lock(&mu_);
  const auto over = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return !dead_.ok() || stop.stop_requested();
  };
  mu_.Await(absl::Condition(&over));
  return dead_;
}

absl::Status Session::CheckJournal() const {
  absl::MutexLock lock(&mu_);
  if (!running_) {
    return Unavailable("journal is not open yet");
  }
  return dead_.ok() ? space_ : dead_;
}

void Session::Quiesce() {
  if (writer_ != nullptr) {
    absl::MutexLock lock(&mu_);
    quiescing_ = true;
    writer_->SetIntake(true);  // a watcher that waits there would not see that it is to stop
  }
  for (std::jthread& thread : watcher_threads_) {
    thread.request_stop();
  }
  watcher_threads_.clear();
  if (workers_ != nullptr) {
    workers_->Stop();
    // Decisions that were submitted are committed, and their plans handed to the runner.
    const bool alive = writer_->SubmitAndWait([](Draft&) {}).ok();
    if (alive && !runner_->Drain(options_.graceful_timeout)) {
      log_.Error("Plans left open, they are looked into at the next start",
                 {{"plans", uint64_t{runner_->waiting()}}});
    }
    runner_->Stop();
  }
  if (housekeeper_ != nullptr) {
    housekeeper_->Finish();
    housekeeper_.reset();
  }
}

void Session::Stop() {
  Quiesce();
  const bool alive = writer_ != nullptr && writer_->failure().ok();
  writer_.reset();
  if (journal_ != nullptr) {
    if (const absl::Status status = alive ? journal_->Close() : absl::OkStatus(); !status.ok()) {
      log_.Error("Journal not closed cleanly", {{"error", status}});
    }
    journal_.reset();
  }
  watchers_.clear();
  ingesters_.clear();
  workers_.reset();
  runner_.reset();
  recorder_.reset();
}

}  // namespace logbook::reconcile
