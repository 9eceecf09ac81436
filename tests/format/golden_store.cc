#include "golden_store.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "model/sample_events.h"
#include <rocksdb/env.h>

#include "logbook/reconcile/fold.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/posix_file.h"
#include "logbook/support/events.h"
#include "logbook/support/fake_clock.h"

namespace logbook::store {
namespace {

namespace fs = std::filesystem;

// Table files name the host they were written on.
class NamelessEnv : public rocksdb::EnvWrapper {
 public:
  NamelessEnv() : rocksdb::EnvWrapper(rocksdb::Env::Default()) {}

  const char* Name() const override { return "NamelessEnv"; }

  rocksdb::Status GetHostName(char* name, uint64_t size) override {
    std::strncpy(name, "golden", size);
    return rocksdb::Status::OK();
  }
};

// One of each kind, at their places in this journal.
void AddSamples(std::vector<Event>& events) {
  const size_t first = events.size();
  for (Event event : SampleEvents()) {
    event.seq = EventSeq(events.size() + 1);
    event.causes = {EventSeq(1), EventSeq(events.size())};
    if (auto* decided = std::get_if<Decided>(&event.body)) {
      decided->view_seq = EventSeq(events.size());
    } else if (auto* recorded = std::get_if<OutcomeRecorded>(&event.body)) {
      recorded->outcome.decided = EventSeq(first + 3);
    }
    events.push_back(std::move(event));
  }
}

void AddObservations(std::vector<Event>& events, int count) {
  for (int i = 0; i < count; ++i) {
    const EventSeq seq(events.size() + 1);
    const ObjectSpec spec{.name = Concat("app-", i % 3),
                          .uid = Concat("uid-", i),
                          .resource_version = Concat(100 + seq.value)};
    events.push_back(
        ObservedEvent(seq, RunId(), spec, i % 4 == 3 ? ChangeType::kDeleted : ChangeType::kAdded));
    events.back().marks = {{.key = AppKey(spec), .reason = MarkReason::kObserved}};
  }
}

absl::StatusOr<std::unique_ptr<Journal>> Open(const std::string& directory, const Clock& clock,
                                              rocksdb::Env& env) {
  return Journal::Open({.directory = directory,
                        .identity = kGoldenIdentity,
                        .create_if_missing = true,
                        .clock = &clock,
                        .env = &env});
}

absl::Status AppendAll(Journal& journal, std::span<const Event> events) {
  const BookmarkUpdate bookmark{.stream = kGoldenStream,
                                .resource_version = GoldenBookmark().resource_version};
  return journal.Append(events, {&bookmark, 1}, Fsync::kYes);
}

absl::Status WriteRun1(const std::string& directory, std::span<const Event> events,
                       const Clock& clock, rocksdb::Env& env) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, Open(directory, clock, env));
  LOGBOOK_RETURN_IF_ERROR(AppendAll(*journal, events));
  reconcile::Fold fold{ViewState()};
  for (const Event& event : events) {
    fold.Apply(event);
  }
  LOGBOOK_RETURN_IF_ERROR(WriteCheckpoint(
      *journal, {.state = std::make_shared<const ViewState>(fold.state()), .everything = true}));
  return journal->Close();
}

// The locks name who had it open, the options are written anew at each opening.
void RemoveWhatIsNotFormat(const std::string& directory) {
  for (const auto& entry : fs::directory_iterator(directory + "/db")) {
    if (entry.path().filename().string().starts_with("OPTIONS") ||
        entry.path().filename() == "LOCK") {
      fs::remove(entry.path());
    }
  }
  fs::remove(directory + "/LOGBOOK_LOCK");
}

}  // namespace

std::vector<Event> GoldenEvents() {
  std::vector<Event> events;
  AddObservations(events, 6);
  AddSamples(events);
  AddObservations(events, 4);
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].run = RunId(i < kGoldenEventsOfRun1 ? 1 : 2);
  }
  return events;
}

Bookmark GoldenBookmark() {
  return {.resource_version = "4711", .seq = EventSeq(GoldenEvents().size())};
}

absl::Status WriteGoldenStore(const std::string& directory) {
  if (fs::exists(directory)) {
    return AlreadyExists(directory, " exists: remove it first");
  }
  LOGBOOK_RETURN_IF_ERROR(MakeDirectory(directory));
  LOGBOOK_RETURN_IF_ERROR(WriteFormat(
      directory, {.version = kFormatVersion, .uuid = kGoldenUuid, .identity = kGoldenIdentity}));
  const FakeClock clock;
  NamelessEnv env;
  const std::vector<Event> events = GoldenEvents();
  const std::span<const Event> all(events);
  LOGBOOK_RETURN_IF_ERROR(WriteRun1(directory, all.first(kGoldenEventsOfRun1), clock, env));
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, Open(directory, clock, env));
  LOGBOOK_RETURN_IF_ERROR(AppendAll(*journal, all.subspan(kGoldenEventsOfRun1)));
  LOGBOOK_RETURN_IF_ERROR(journal->RecordSynced());
  RemoveWhatIsNotFormat(directory);
  return absl::OkStatus();
}

}  // namespace logbook::store
