// RandomHistory: plausible events of every kind that a fold looks at, one after the other, made
// from a seed: objects that come, change, go and come again, decisions and outcomes, lists, builds,
// streams that are closed.
#ifndef LOGBOOK_TESTS_RECONCILE_RANDOM_HISTORY_H_
#define LOGBOOK_TESTS_RECONCILE_RANDOM_HISTORY_H_

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "builders.h"

#include "logbook/reconcile/fold.h"

namespace logbook::reconcile {

class RandomHistory {
 public:
  // Without lists, no end of a block is in the midst of one.
  RandomHistory(uint64_t seed, bool lists) : random_(seed), lists_(lists) {
    Plan(StreamEvent(StreamChange::kOpened, kAppStream, AppResource()));
    Plan(StreamEvent(StreamChange::kOpened, kDeploymentStream, DeploymentResource()));
  }

  // The event that comes after `fold`, which has all before it; not numbered.
  Event Next(const Fold& fold) {
    while (planned_.empty()) {
      Invent(fold.state());
    }
    Event event = std::move(planned_.back());
    planned_.pop_back();
    return event;
  }

 private:
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  // Comes before what is planned already.
  void Plan(Event event) { planned_.insert(planned_.begin(), std::move(event)); }

  std::string Name() { return Concat("app-", Below(40)); }

  // A uid changes now and then: another incarnation of the name.
  std::string Uid(const std::string& name) { return Concat(name, "-", version_ / 1500); }

  Json RandomObject() {
    const std::string name = Name();
    version_ += 1 + Below(3);
    return Below(2) == 0 ? App(name, Uid(name), version_)
                         : DeploymentOf(name, Uid(name), Concat("d-", Uid(name)), version_);
  }

  void Invent(const ViewState& state) {
    const int kind = Below(1000);
    if (kind < 500) {
      Observe();
    } else if (kind < 700) {
      Decide(state);
    } else if (kind < 900) {
      FinishOpenPlan(state);
    } else if (kind < 990) {
      Plan({.body = Quarantined{.bytes = "{", .error = "cut short"}});
    } else if (kind < 993) {
      lists_ ? List() : Observe();
    } else if (kind < 995) {
      Plan({.body = Gap{.reason = "history lost"}});
    } else if (kind < 997) {
      Plan({.marks = {MarkOf(Name(), MarkReason::kRequested)}, .body = Admin{.who = "ann"}});
    } else {
      Rarely();
    }
  }

  void Rarely() {
    switch (Below(3)) {
      case 0:
        return Plan({.body = BuildStarted{.build_id = std::to_string(version_),
                                          .controllers = {Concat("simpleapp=", kApps)},
                                          .changed = true}});
      case 1:
        Plan(StreamEvent(StreamChange::kClosed, kDeploymentStream, DeploymentResource()));
        return Plan(StreamEvent(StreamChange::kOpened, kDeploymentStream, DeploymentResource()));
      default:
        return Plan(StreamEvent(StreamChange::kRewound, kAppStream, AppResource()));
    }
  }

  void Observe() {
    const Json object = RandomObject();
    const int change = Below(10);
    Plan(ObservedEvent(change == 0   ? ChangeType::kDeleted
                       : change == 1 ? ChangeType::kLeftScope
                                     : ChangeType::kModified,
                       object, {MarkOf(object["metadata"]["name"].get<std::string>())}));
  }

  void Decide(const ViewState& state) {
    const std::string name = Name();
    const ObjectEntry* app = state.FindObject(kApps, {.ns = "shop", .name = name});
    const Effect apply{.kind = EffectKind::kApply,
                       .resource = DeploymentResource(),
                       .target = {.ns = "shop", .name = name},
                       .body = "{}"};
    const absl::Time due =
        Below(3) == 0 ? absl::FromUnixSeconds(1'800'000'000 + version_) : absl::InfiniteFuture();
    Event event =
        DecidedEvent(name, app == nullptr ? "" : app->object->uid(), state.seq,
                     Below(2) == 0 ? std::vector<Effect>() : std::vector<Effect>{apply}, due);
    event.subjects = {{.resource = std::string(kApps),
                       .key = {.ns = "shop", .name = name},
                       .uid = std::get<Decided>(event.body).uid}};
    Plan(std::move(event));
  }

  // The outcome of a plan that is open, with the answer that the server gave.
  void FinishOpenPlan(const ViewState& state) {
    const std::string name = Name();
    const KeyState* key = state.FindKey(Key(name));
    if (key == nullptr || !key->open) {
      return;
    }
    version_ += 1;
    const Json answer = DeploymentOf(name, Uid(name), Concat("d-", Uid(name)), version_);
    Event event = ObservedEvent(ChangeType::kModified, answer);
    event.body = OutcomeRecorded{
        .key = Key(name),
        .resource = std::string(kApps),
        .outcome = {.decided = key->decided, .response = DumpJson(answer), .last = true}};
    Plan(std::move(event));
  }

  // A list, sometimes cut short, with other things in between.
  void List() {
    Plan(StreamEvent(StreamChange::kListStarted, kAppStream, AppResource()));
    const int objects = Below(200);
    for (int i = 0; i < objects; ++i) {
      const std::string name = Name();
      version_ += 1;
      Plan(ObservedEvent(ChangeType::kModified, App(name, Uid(name), version_), {MarkOf(name)},
                         true));
      if (Below(10) == 0) {
        Observe();
      }
    }
    if (Below(8) != 0) {
      Plan(StreamEvent(Below(3) == 0 ? StreamChange::kResumed : StreamChange::kListed, kAppStream,
                       AppResource()));
    }
  }

  std::mt19937_64 random_;
  const bool lists_;
  std::vector<Event> planned_;  // the next one is the last
  int version_ = 10;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_TESTS_RECONCILE_RANDOM_HISTORY_H_
