#include "pipe.h"

#include <utility>

#include "logbook/base/check.h"
#include "logbook/reconcile/streams.h"

namespace logbook::bench {

Pipe::Pipe(const std::vector<reconcile::OperatorSpec>& specs, MemoryApi& api, PipeOptions options)
    : specs_(specs),
      api_(api),
      options_(std::move(options)),
      marks_(specs),
      queue_(SystemClock()),
      sources_([this] { synced_.Notify(); }),
      anchors_(api, "default", "bench"),
      performer_(api, SystemClock()) {
  auto journal =
      store::Journal::Open({.directory = directory_.path(),
                            .identity = {.cluster_uid = "cluster", .operator_name = "bench"},
                            .create_if_missing = true});
  LOGBOOK_CHECK(journal.ok());
  journal_ = *std::move(journal);
  writer_ = std::make_unique<reconcile::JournalWriter>(
      *journal_, reconcile::Fold({}), reconcile::WriterOptions{}, SystemClock(), Logger(),
      [this](const reconcile::Publication& publication) {
        for (const ControllerKey& key : publication.keys) {
          queue_.Update(key, publication.view->FindKey(key));
        }
        if (options_.on_published != nullptr) {
          options_.on_published(publication);
        }
      },
      [](const absl::Status&) {});
  const auto streams =
      reconcile::OpenStreams(*writer_, reconcile::NeededStreams(specs, {}, "cluster"));
  LOGBOOK_CHECK(streams.ok());
  for (const auto& [id, identity] : *streams) {
    sources_.Add(id, identity.ToString());
  }
  for (const auto& [id, identity] : *streams) {
    ingesters_.push_back(std::make_unique<reconcile::Ingester>(
        id, identity, k8s::StreamPosition{}, *writer_, marks_, sources_, Logger()));
    watchers_.push_back(std::make_unique<k8s::Watcher>(identity, api, *ingesters_.back(),
                                                       SystemClock(), Logger(), id.value));
    watcher_threads_.emplace_back(
        [watcher = watchers_.back().get()](std::stop_token stop) { watcher->Run(stop); });
  }
  synced_.WaitForNotification();
  // As a session's housekeeper does within a second.
  LOGBOOK_CHECK(journal_->TrainDictionaryIfDue().ok());
  if (options_.keep_house) {
    housekeeper_ = std::make_unique<reconcile::Housekeeper>(
        *journal_, *writer_, anchors_, EventSeq(), reconcile::HousekeepingOptions{}, SystemClock(),
        Logger());
  }
}

Pipe::~Pipe() {
  for (std::jthread& thread : watcher_threads_) {
    thread.request_stop();
  }
  watcher_threads_.clear();
  if (workers_ != nullptr) {
    workers_->Stop();
  }
  Sync();  // after it, no callback of a worker's proposal is outstanding
  housekeeper_.reset();
  writer_.reset();
}

void Pipe::StartWorking() {
  recorder_ = std::make_unique<reconcile::OutcomeRecorder>(*writer_, marks_);
  runner_ = std::make_unique<reconcile::EffectRunner>(
      performer_, *recorder_, 1, SystemClock(), Logger(),
      [this](const ControllerKey& key) { queue_.Release(key); });
  workers_ = std::make_unique<reconcile::WorkerPool>(specs_, queue_, *writer_, *runner_, 1,
                                                     SystemClock(), Logger());
  queue_.SetOpen(true);
}

void Pipe::Sync() {
  const absl::Status synced = writer_->SubmitAndWait([](reconcile::Draft& draft) {
    draft.Add({.body = Marked{.reason = "bench"}});
    draft.RequireSync();
  });
  LOGBOOK_CHECK(synced.ok());
}

}  // namespace logbook::bench
