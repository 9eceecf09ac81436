#include "logbook/reconcile/writer.h"

#include <utility>

#include "logbook/base/check.h"
#include "logbook/store/journal.h"

namespace logbook::reconcile {

const ViewState& Draft::view() const {
  return writer_.fold_.state();
}

RunId Draft::run() const {
  return writer_.journal_.run();
}

bool Draft::ListPending() const {
  return writer_.fold_.ListPending();
}

ViewChanges Draft::TakeChanges() {
  return writer_.fold_.TakeChanges();
}

EventSeq Draft::Add(Event event) {
  event.seq = view().seq.Next();
  event.run = run();
  event.wall_time = writer_.clock_.Now();
  writer_.redactor_.Redact(view(), event);
  writer_.fold_.Apply(event);
  writer_.batch_.events.push_back(std::move(event));
  return view().seq;
}

void Draft::SetBookmark(StreamId stream, std::string resource_version) {
  writer_.batch_.bookmarks[stream] = std::move(resource_version);
}

void Draft::RequireSync() {
  writer_.batch_.sync = true;
}

void Draft::OnCommitted(std::function<void()> callback) {
  writer_.batch_.callbacks.push_back(std::move(callback));
}

JournalWriter::JournalWriter(store::Journal& journal, Fold fold, WriterOptions options,
                             const Clock& clock, Logger log,
                             std::function<void(const Publication&)> on_published,
                             std::function<void(const absl::Status&)> on_dead)
    : journal_(journal),
      options_(options),
      redactor_(options.redactor == nullptr ? default_redactor_ : *options.redactor),
      clock_(clock),
      log_(std::move(log)),
      on_published_(std::move(on_published)),
      on_dead_(std::move(on_dead)),
      fold_(std::move(fold)),
      view_(std::make_shared<const ViewState>(fold_.state())) {
  LOGBOOK_CHECK(fold_.state().seq == journal_.last());
  fold_.TakeTouchedKeys();
  thread_ = std::jthread([this] { Run(); });
}

JournalWriter::~JournalWriter() {
  {
    absl::MutexLock lock(&mu_);
    stopping_ = true;
  }
  thread_.join();
}

void JournalWriter::Submit(Proposal proposal) {
  {
    absl::MutexLock lock(&mu_);
    const auto admitted = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
      return (waiting_bytes_ <= options_.waiting_bytes_max && (intake_open_ || !proposal.intake)) ||
             !failure_.ok() || stopping_;
    };
    mu_.Await(absl::Condition(&admitted));
    if (failure_.ok()) {
      waiting_bytes_ += proposal.bytes;
      waiting_.push_back(std::move(proposal));
      return;
    }
  }
  if (proposal.on_failed != nullptr) {
    proposal.on_failed();
  }
}

absl::Status JournalWriter::SubmitAndWait(std::function<void(Draft&)> propose, size_t bytes) {
  // Shared with the callbacks, which may outlive this frame's wait by an instant.
  struct Wait {
    absl::Mutex mu;
    bool done = false;
    bool committed = false;

    void Finish(bool ok) {
      absl::MutexLock lock(&mu);
      committed = ok;
      done = true;
    }
  };

  auto wait = std::make_shared<Wait>();
  Submit({.propose =
              [wait, propose = std::move(propose)](Draft& draft) {
                propose(draft);
                draft.OnCommitted([wait] { wait->Finish(true); });
              },
          .on_failed = [wait] { wait->Finish(false); },
          .bytes = bytes});
  absl::MutexLock lock(&wait->mu);
  wait->mu.Await(absl::Condition(&wait->done));
  return wait->committed ? absl::OkStatus() : failure();
}

void JournalWriter::SetIntake(bool open) {
  absl::MutexLock lock(&mu_);
  intake_open_ = open;
}

ViewStatePtr JournalWriter::view() const {
  absl::MutexLock lock(&mu_);
  return view_;
}

absl::Status JournalWriter::failure() const {
  absl::MutexLock lock(&mu_);
  return failure_;
}

size_t JournalWriter::waiting() const {
  absl::MutexLock lock(&mu_);
  return waiting_.size();
}

void JournalWriter::Run() {
  while (true) {
    std::deque<Proposal> proposals = TakeWaiting();
    if (proposals.empty()) {
      SyncIfDue();
      absl::MutexLock lock(&mu_);
      if (!failure_.ok() || (stopping_ && waiting_.empty())) {
        break;
      }
      continue;
    }
    Make(std::move(proposals));
    const absl::Status status = Commit();
    if (!status.ok()) {
      Die(status);
      return;
    }
    Publish();
  }
  if (failure().ok()) {
    const absl::Status status = journal_.Sync();
    if (!status.ok()) {
      Die(status);
    }
  }
}

std::deque<Proposal> JournalWriter::TakeWaiting() {
  const absl::Duration until_sync =
      unsynced_since_ == absl::InfiniteDuration()
          ? absl::InfiniteDuration()
          : unsynced_since_ + options_.sync_interval - clock_.Monotonic();
  std::deque<Proposal> taken;
  absl::MutexLock lock(&mu_);
  const auto something = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return !waiting_.empty() || stopping_;
  };
  mu_.AwaitWithTimeout(absl::Condition(&something), until_sync);
  size_t bytes = 0;
  while (!waiting_.empty() && bytes <= options_.batch_bytes_max &&
         taken.size() < options_.batch_events_max) {
    bytes += waiting_.front().bytes;
    taken.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  waiting_bytes_ -= bytes;
  return taken;
}

void JournalWriter::Make(std::deque<Proposal> proposals) {
  batch_ = {};
  Draft draft(*this);
  for (Proposal& proposal : proposals) {
    proposal.propose(draft);
    if (proposal.on_failed != nullptr) {
      batch_.failures.push_back(std::move(proposal.on_failed));
    }
  }
}

absl::Status JournalWriter::Commit() {
  if (batch_.empty()) {
    return batch_.sync ? journal_.Sync() : absl::OkStatus();
  }
  std::vector<store::BookmarkUpdate> bookmarks;
  bookmarks.reserve(batch_.bookmarks.size());
  for (auto& [stream, version] : batch_.bookmarks) {
    bookmarks.push_back({.stream = stream, .resource_version = std::move(version)});
  }
  const absl::Duration now = clock_.Monotonic();
  const bool overdue = unsynced_since_ != absl::InfiniteDuration() &&
                       now >= unsynced_since_ + options_.sync_interval;
  const bool sync = batch_.sync || overdue;
  LOGBOOK_RETURN_IF_ERROR(
      journal_.Append(batch_.events, bookmarks, sync ? store::Fsync::kYes : store::Fsync::kNo));
  if (sync) {
    unsynced_since_ = absl::InfiniteDuration();
  } else if (unsynced_since_ == absl::InfiniteDuration()) {
    unsynced_since_ = now;
  }
  return absl::OkStatus();
}

void JournalWriter::Publish() {
  Publication publication{.view = std::make_shared<const ViewState>(fold_.state()),
                          .keys = fold_.TakeTouchedKeys()};
  {
    absl::MutexLock lock(&mu_);
    view_ = publication.view;
  }
  on_published_(publication);
  for (const std::function<void()>& callback : batch_.callbacks) {
    callback();
  }
  batch_ = {};  // a later failure is none of theirs
}

void JournalWriter::SyncIfDue() {
  if (unsynced_since_ == absl::InfiniteDuration() ||
      clock_.Monotonic() < unsynced_since_ + options_.sync_interval) {
    return;
  }
  const absl::Status status = journal_.Sync();
  if (!status.ok()) {
    Die(status);
    return;
  }
  unsynced_since_ = absl::InfiniteDuration();
}

void JournalWriter::Die(const absl::Status& error) {
  // Of somebody else's write, if that was the first to fail.
  const absl::Status first = journal_.failure();
  const absl::Status& status = first.ok() ? error : first;
  log_.Error("Journal write failed, opening the journal again", {{"error", status}});
  std::deque<Proposal> refused;
  {
    absl::MutexLock lock(&mu_);
    failure_ = status;
    refused.swap(waiting_);
    waiting_bytes_ = 0;
  }
  for (const std::function<void()>& failed : batch_.failures) {
    failed();
  }
  batch_ = {};
  for (const Proposal& proposal : refused) {
    if (proposal.on_failed != nullptr) {
      proposal.on_failed();
    }
  }
  on_dead_(status);
}

}  // namespace logbook::reconcile
