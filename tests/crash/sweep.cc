#include "sweep.h"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "scratch.h"
#include <gtest/gtest.h>

namespace logbook::crash {
namespace {

constexpr int kViolationsShown = 20;

// Whether an error's text ends with what to do about it.
bool TellsANextStep(const std::string& text) {
  for (const char* advice : {"free space", "check the volume", "open it again", "opened again",
                             "make it ", "restore", "try again", "use another"}) {
    if (text.find(advice) != std::string::npos) {
      return true;
    }
  }
  return false;
}

// A driver that met a fault: killed by us, done in spite of it, or ended with words.
Complaints CheckEnding(const Ending& ending, const Fault& fault, const Workplace& place) {
  if (ending.signal != 0) {
    const bool by_us = ending.signal == SIGKILL && fault.deed != Deed::kFail;
    return by_us ? Complaints() : Complaints{Concat("the driver ended with ", ending.ToString())};
  }
  if (ending.done()) {
    return {};
  }
  // By the code the runtime decides: to wait for space, or to try again; never to stop for good,
  // nor to take the store for damaged.
  const bool full = ending.errors.find("RESOURCE_EXHAUSTED: ") != std::string::npos;
  const bool failed = ending.errors.find("UNAVAILABLE: ") != std::string::npos;
  // Why CURRENT could not be opened RocksDB forgets when it tries again.
  const bool told = fault.error == ENOSPC ? full || (failed && fault.call == "openat") : failed;
  if (!told) {
    return {Concat("wrong code: ", ending.ToString())};
  }
  const bool names_a_file = ending.errors.find(place.disk()) != std::string::npos;
  return names_a_file && TellsANextStep(ending.errors)
             ? Complaints()
             : Complaints{Concat("unclear: ", ending.ToString())};
}

}  // namespace

std::string Fault::ToString() const {
  const std::string what = deed == Deed::kKill          ? "kill at "
                           : deed == Deed::kTearAndKill ? "kill within "
                                                        : std::generic_category().message(error) +
                                                              (sticky ? " from " : " at ");
  return Concat(what, call.empty() ? "change" : call, " ", nth);
}

Answer FaultJudge::operator()(const Call& call) {
  const bool counts = fault_.call.empty() ? call.changes : call.name == fault_.call;
  if (!counts || (++seen_ != fault_.nth && !(fault_.sticky && seen_ > fault_.nth))) {
    return {};
  }
  if (!delivered_) {
    where_ = Concat(call.name, " of ", std::filesystem::path(call.path).filename().string());
  }
  delivered_ = true;
  return {.deed = fault_.deed, .error = fault_.error};
}

std::vector<uint64_t> Sample(uint64_t last, uint64_t count) {
  std::vector<uint64_t> numbers;
  const uint64_t many = count == 0 || count > last ? last : count;
  for (uint64_t i = 0; i < many; ++i) {
    numbers.push_back(1 + i * last / many);
  }
  return numbers;
}

Sweep::Sweep(bool strict) : strict_(strict) {
  const Scratch scratch;
  const Ending ending = RunDriver({.workplace = scratch.workplace(), .strict = strict},
                                  [&](const Call& call) -> Answer {
                                    ++calls_[std::string(call.name)];
                                    calls_[""] += call.changes ? 1 : 0;
                                    return {};
                                  });
  EXPECT_TRUE(ending.done()) << ending.ToString();
}

Ending Sweep::Run(const Workplace& place, const Fault& fault, bool& delivered) {
  FaultJudge judge(fault);
  const Ending ending = RunDriver({.workplace = place, .strict = strict_},
                                  [&](const Call& call) { return judge(call); });
  delivered = delivered && judge.delivered();
  if (judge.delivered()) {
    ++met_[judge.where().substr(0, judge.where().find(' '))];
  }
  return ending;
}

void Sweep::Try(const std::vector<Fault>& faults) {
  const Scratch scratch;
  const Workplace place = scratch.workplace();
  std::string trial;
  bool delivered = true;
  ++tried_;
  for (const Fault& fault : faults) {
    trial += Concat(trial.empty() ? "" : ", then ", fault.ToString());
    for (const std::string& what : CheckEnding(Run(place, fault, delivered), fault, place)) {
      Violated(trial, what);
    }
  }
  effective_ += delivered ? 1 : 0;
  const Ending ending = RunDriver({.workplace = place, .strict = strict_});
  if (!ending.done()) {
    Violated(trial, Concat("the next start failed: ", ending.ToString()));
    return;
  }
  for (const std::string& what : reference_.Check(place)) {
    Violated(trial, what);
  }
}

void Sweep::Violated(const std::string& trial, const std::string& what) {
  if (++violations_ <= kViolationsShown) {
    ADD_FAILURE() << trial << ": " << what;
  }
}

void Sweep::Finish(const std::string& name, int effective_min) const {
  std::cout << name << ": " << effective_ << " effective faults of " << tried_ << ", "
            << violations_ << " violations;";
  for (const auto& [call, times] : met_) {
    std::cout << " " << call << " " << times;
  }
  std::cout << "\n";
  EXPECT_GE(effective_, effective_min);
}

}  // namespace logbook::crash
