#include "script.h"

#include <utility>

#include "logbook/support/events.h"

namespace logbook::crash {
namespace {

using store::Fsync;

constexpr int kApps = 30;
constexpr int kLaps = 60;
constexpr StreamId kStream(1);

std::string Filler(size_t bytes) {
  std::string filler;
  for (size_t i = 0; i < bytes; ++i) {
    filler += static_cast<char>('a' + i * i % 23);
  }
  return filler;
}

EventMaker Make(EventBody body) {
  return [body = std::move(body)](EventSeq seq, RunId run, const ViewState&) {
    Event event = MakeEvent(seq, run, body);
    event.stream = std::holds_alternative<StreamChanged>(body) ? kStream : StreamId();
    return event;
  };
}

EventMaker Observe(const ObjectSpec& spec, ChangeType change, bool listed = false) {
  return [=](EventSeq seq, RunId run, const ViewState&) {
    Event event = ObservedEvent(seq, run, spec, change);
    auto& observed = std::get<Observed>(event.body);
    observed.listed = listed;
    observed.origin = listed ? Origin::kList : Origin::kWatch;
    event.marks = {{.key = AppKey(spec), .reason = MarkReason::kObserved}};
    return event;
  };
}

EventMaker Decide(const ObjectSpec& spec, int effects) {
  return [=](EventSeq seq, RunId run, const ViewState&) {
    return DecidedEvent(seq, run, spec, effects);
  };
}

EventMaker Conclude(const ObjectSpec& spec, uint32_t ordinal, bool last) {
  return [=](EventSeq seq, RunId run, const ViewState& view) {
    Event event = OutcomeEvent(seq, run, spec, view.FindKey(AppKey(spec))->decided, ordinal);
    std::get<OutcomeRecorded>(event.body).outcome.last = last;
    return event;
  };
}

// Writes the script lap by lap. Confined.
class Author {
 public:
  std::vector<Step> Write() {
    Append({Make(BuildStarted{.build_id = "b1", .version = "1", .controllers = {"simpleapp"}})},
           Fsync::kYes);
    Append({Make(StreamChanged{.change = StreamChange::kOpened,
                               .identity = {.cluster = "cluster-1", .resource = AppResource()}})},
           Fsync::kNo);
    List();
    for (lap_ = 1; lap_ <= kLaps; ++lap_) {
      Lap();
    }
    Do(StepKind::kSync);
    Do(StepKind::kCheckpoint);
    return std::move(steps_);
  }

 private:
  void Append(std::vector<EventMaker> events, Fsync fsync, bool bookmark = false) {
    events_ += events.size();
    Step step{.events = std::move(events), .bookmarks = {}, .fsync = fsync};
    if (bookmark) {
      step.bookmarks = {{.stream = kStream, .resource_version = BookmarkAfter(events_)}};
    }
    steps_.push_back(std::move(step));
  }

  void Do(StepKind kind) { steps_.push_back({.kind = kind, .events = {}, .bookmarks = {}}); }

  // What an app is now; each deletion begins another incarnation.
  ObjectSpec App(int number) {
    return {.name = Concat("app-", number),
            .uid = Concat("uid-", number, "-", incarnation_[number]),
            .resource_version = Concat(++version_),
            .filler = Filler(300 + static_cast<size_t>(number) * 40)};
  }

  // A list of everything, in pages, that enters the view when it is complete.
  void List() {
    constexpr int kPage = 10;
    Append({Make(StreamChanged{.change = StreamChange::kListStarted})}, Fsync::kNo);
    for (int first = 0; first < kApps; first += kPage) {
      std::vector<EventMaker> page;
      for (int i = first; i < first + kPage; ++i) {
        page.push_back(Observe(App(i), ChangeType::kAdded, true));
      }
      Append(std::move(page), Fsync::kNo);
    }
    Append({Make(StreamChanged{.change = StreamChange::kListed, .objects_listed = kApps})},
           Fsync::kNo, true);
  }

  // A change of one app is seen, decided on and acted on; and every so many laps something else.
  void Lap() {
    const int number = lap_ * 7 % kApps;
    Append({Observe(App(number), ChangeType::kModified)}, Fsync::kNo, true);
    const ObjectSpec app = App(number);
    Append({Decide(app, 2)}, Fsync::kYes);
    Append({Conclude(app, 0, false)}, Fsync::kNo);
    Append({Observe(App(number), ChangeType::kModified), Conclude(app, 1, true)}, Fsync::kNo, true);
    Append({Decide(App(number), 0)}, Fsync::kNo);
    Rarely(number);
    Housekeep();
  }

  void Rarely(int number) {
    if (lap_ % 5 == 0) {
      Append({Observe(App(number), ChangeType::kDeleted)}, Fsync::kNo, true);
      ++incarnation_[number];
      Append({Observe(App(number), ChangeType::kAdded)}, Fsync::kNo, true);
    }
    if (lap_ % 9 == 0) {
      Append({Make(Leadership{.holder = "pod-1", .term = static_cast<uint64_t>(lap_)})},
             Fsync::kYes);
      Append({Make(Admin{.who = "ann", .action = "retry", .why = "test"}),
              Make(Quarantined{.bytes = Filler(200), .error = "not JSON"})},
             Fsync::kYes);
    }
    if (lap_ % 20 == 0) {
      List();
    }
  }

  void Housekeep() {
    if (lap_ % 4 == 0) {
      Append({}, Fsync::kNo, true);  // a bookmark alone, as the server sends them
      Do(StepKind::kSync);
      Do(StepKind::kRecordSynced);
    }
    if (lap_ % 6 == 0) {
      Do(StepKind::kCheckpoint);
    }
    if (lap_ % 15 == 0) {
      Do(lap_ % 30 == 0 ? StepKind::kReopen : StepKind::kReopenDirty);
    }
  }

  std::vector<Step> steps_;
  uint64_t events_ = 0;
  uint64_t version_ = 1000;
  int lap_ = 0;
  std::array<int, kApps> incarnation_ = {};
};

}  // namespace

std::vector<Step> MakeScript() {
  return Author().Write();
}

std::string BookmarkAfter(uint64_t events) {
  return Concat("rv-", events);
}

}  // namespace logbook::crash
