#include "author.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "logbook/base/check.h"
#include "logbook/reconcile/checkpoint_of.h"
#include "logbook/store/checkpoint.h"
#include "logbook/support/events.h"

namespace logbook::store {
namespace {

constexpr int kObjects = 11;
constexpr StreamId kStream(1);

// Incompressible enough that table files have several blocks, and the same at each run.
std::string Filler(uint64_t seed, size_t bytes) {
  std::string filler;
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  while (filler.size() < bytes) {
    state = state * 6364136223846793005 + 1442695040888963407;
    filler += static_cast<char>('a' + (state >> 33) % 26);
  }
  return filler;
}

StreamChanged Stream(StreamChange change) {
  StreamChanged body;
  body.change = change;
  body.identity = {.cluster = "cluster-1", .resource = AppResource()};
  return body;
}

}  // namespace

Event Author::Observation(EventSeq seq, RunId run) {
  const int i = static_cast<int>(seq.value % kObjects);
  const bool dies = seq.value % 17 == 0;
  const ObjectSpec spec{.name = Concat("app-", i),
                        .uid = Concat(salt_, "-", i, "-", births_[i]),
                        .resource_version = Concat(seq.value),
                        .filler = Filler(seq.value, 300)};
  births_[i] += dies ? 1 : 0;
  Event event = ObservedEvent(seq, run, spec, dies ? ChangeType::kDeleted : ChangeType::kModified);
  event.marks = {{.key = AppKey(spec), .reason = MarkReason::kObserved}};
  return event;
}

Event Author::NextEvent(EventSeq seq, RunId run) {
  if (seq.value <= 2) {
    Event event =
        MakeEvent(seq, run, Stream(seq.value == 1 ? StreamChange::kOpened : StreamChange::kListed));
    event.stream = kStream;
    return event;
  }
  const ObjectSpec spec{.name = Concat("app-", seq.value / 10 % kObjects)};
  if (seq.value % 10 == 7) {
    decided_ = seq;
    return DecidedEvent(seq, run, spec, 1);
  }
  if (seq.value % 10 == 8 && decided_ > EventSeq(0)) {
    return OutcomeEvent(seq, run, spec, decided_, 0);
  }
  return Observation(seq, run);
}

void Author::Append(Journal& journal, int count, Fsync fsync) {
  while (count > 0) {
    const int size = std::min<int>(count, 1 + static_cast<int>(journal.last().value % 3));
    std::vector<Event> batch;
    for (int i = 0; i < size; ++i) {
      batch.push_back(
          NextEvent(EventSeq(journal.last().value + 1 + static_cast<uint64_t>(i)), journal.run()));
      fold_.Apply(batch.back());
      truth_.views.push_back(RowsOf(fold_.state()));
    }
    const EventSeq last = batch.back().seq;
    const BookmarkUpdate update{.stream = kStream, .resource_version = Concat(last.value)};
    LOGBOOK_CHECK(journal.Append(batch, {&update, 1}, fsync).ok());
    for (const Event& event : batch) {
      truth_.records.push_back(journal.GetRecord(event.seq).value());  // as it is coded there
    }
    bookmarks_[kStream] = {.resource_version = update.resource_version, .seq = last};
    truth_.bookmarks[last.value] = bookmarks_;
    count -= size;
  }
}

void Author::Checkpoint(Journal& journal) {
  CheckpointInput input = reconcile::CheckpointOf(fold_.state(), fold_.TakeChanges());
  input.everything = !std::exchange(checkpointed_, true);
  LOGBOOK_CHECK(WriteCheckpoint(journal, input).ok());
}

void Author::Anchor(Journal& journal) {
  LOGBOOK_CHECK(journal.Sync().ok());
  LOGBOOK_CHECK(journal.RecordSynced().ok());
  truth_.synced = journal.last_synced();
  truth_.anchors = {{.anchor = journal.anchor(), .superseded_by = ""}};
}

}  // namespace logbook::store
