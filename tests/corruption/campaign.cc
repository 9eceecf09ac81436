#include "campaign.h"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <random>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "victim.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "logbook/base/check.h"

namespace logbook::store {
namespace {

class StoreSubject : public Subject {
 public:
  explicit StoreSubject(bool repairs) : repairs_(repairs) {}

  const Image& image() const override { return victim_->image; }

  Judgement Judge(const Damage& damage) override {
    const std::string directory = victim_->root / "damaged";
    std::filesystem::remove_all(directory);
    MakeDamaged(victim_->image, damage, directory);
    Judgement judgement = store::Judge(victim_->truth, damage, directory);
    if (repairs_ && judgement.without_anchor == Verdict::kRefused && !damage.OfDirectory()) {
      Repair(victim_->image, damage, directory);
      judgement.consumed =
          store::Judge(victim_->truth, {}, directory).without_anchor != Verdict::kNoEffect;
    }
    return judgement;
  }

 private:
  const bool repairs_;
  const std::unique_ptr<Victim> victim_ = MakeVictim();
};

std::vector<Damage> DamagesOf(const CampaignOptions& options, const Image& image) {
  const DamagePlan plan(image);
  std::mt19937_64 random(options.seed);
  std::vector<Damage> damages = options.each ? plan.Each() : std::vector<Damage>();
  for (int i = 0; i < options.random; ++i) {
    damages.push_back(plan.Random(random));
  }
  return damages;
}

// One line before a damage is judged and one after it, so that it is known which was the last.
void WriteLine(std::FILE* out, const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += absl::CEscape(field) + "\t";
  }
  LOGBOOK_CHECK(std::fputs((line + "\n").c_str(), out) >= 0 && std::fflush(out) == 0);
}

std::vector<std::string> ReadLine(const std::string& line) {
  std::vector<std::string> fields;
  for (const std::string& escaped : std::vector<std::string>(absl::StrSplit(line, '\t'))) {
    std::string field;
    LOGBOOK_CHECK(absl::CUnescape(escaped, &field));
    fields.push_back(field);
  }
  return fields;
}

// The other process: judges the damages from `first` on.
void Work(const CampaignOptions& options, size_t first, std::FILE* out) {
  const std::unique_ptr<Subject> subject = options.make_subject();
  const uint64_t sum = SumOf(subject->image().path);
  const std::vector<Damage> damages = DamagesOf(options, subject->image());
  for (size_t i = first; i < damages.size(); ++i) {
    const std::string kind = std::to_string(static_cast<int>(damages[i].kind));
    WriteLine(out, {"begin", kind, damages[i].ToString()});
    const Judgement judgement = subject->Judge(damages[i]);
    WriteLine(out, {"end", std::to_string(static_cast<int>(judgement.with_anchor)),
                    std::to_string(static_cast<int>(judgement.without_anchor)),
                    judgement.verify_missed ? "missed" : "", judgement.consumed ? "consumed" : "",
                    judgement.text});
  }
  // Else a file was changed in place, through its second name, and nothing here holds.
  LOGBOOK_CHECK(SumOf(subject->image().path) == sum);
  WriteLine(out, {"done"});
}

int Number(const std::string& text) {
  int number = 0;
  LOGBOOK_CHECK(absl::SimpleAtoi(text, &number));
  return number;
}

// What the other process says, taken down. Confined.
class Listener {
 public:
  explicit Listener(CampaignResult& result) : result_(result) {}

  void Take(const std::vector<std::string>& line) {
    if (line[0] == "begin") {
      ++result_.damages;
      kind_ = static_cast<DamageKind>(Number(line[1]));
      damage_ = line[2];
    } else if (line[0] == "end") {
      Count(static_cast<Verdict>(Number(line[1])), static_cast<Verdict>(Number(line[2])));
      if (static_cast<Verdict>(Number(line[1])) == Verdict::kSilent) {
        result_.silent.push_back(damage_ + ": " + line[5]);
      }
      if (!line[3].empty()) {
        result_.missed.push_back(damage_ + ": " + line[5]);
      }
      result_.consumed += line[4].empty() ? 0 : 1;
    } else {
      done_ = true;
    }
  }

  bool done() const { return done_; }

  void Died() {
    LOGBOOK_CHECK(!damage_.empty());
    Count(Verdict::kAborted, Verdict::kAborted);
    result_.aborted.push_back(damage_);
  }

 private:
  void Count(Verdict with, Verdict without) {
    result_.with_anchor.Add(kind_, with);
    result_.without_anchor.Add(kind_, without);
  }

  CampaignResult& result_;
  DamageKind kind_ = DamageKind::kNone;
  std::string damage_;
  bool done_ = false;
};

// One worker, from its start to its end; true if it came to the end of the damages.
bool RunWorker(const CampaignOptions& options, CampaignResult& result) {
  int pipe[2];
  LOGBOOK_CHECK(::pipe(pipe) == 0);
  const pid_t child = ::fork();
  LOGBOOK_CHECK(child >= 0);
  if (child == 0) {
    ::close(pipe[0]);
    Work(options, static_cast<size_t>(result.damages), ::fdopen(pipe[1], "w"));
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::FILE* in = ::fdopen(pipe[0], "r");
  Listener listener(result);
  char* line = nullptr;
  size_t capacity = 0;
  for (ssize_t size = 0; (size = ::getline(&line, &capacity, in)) > 0;) {
    listener.Take(ReadLine(std::string(line, static_cast<size_t>(size) - 1)));
  }
  std::free(line);
  std::fclose(in);
  int status = 0;
  LOGBOOK_CHECK(::waitpid(child, &status, 0) == child);
  if (!listener.done()) {
    listener.Died();
  }
  return listener.done();
}

}  // namespace

std::unique_ptr<Subject> MakeStoreSubject() {
  return std::make_unique<StoreSubject>(false);
}

std::unique_ptr<Subject> MakeRepairedStoreSubject() {
  return std::make_unique<StoreSubject>(true);
}

CampaignResult RunCampaign(const CampaignOptions& options) {
  CampaignResult result;
  while (!RunWorker(options, result)) {
  }
  return result;
}

void ExpectNothingSilent(const CampaignResult& result) {
  std::cout << result.damages << " damages\n";
  result.with_anchor.Print("with the anchor");
  result.without_anchor.Print("without any anchor");
  EXPECT_EQ(result.with_anchor.Of(DamageKind::kNone, Verdict::kNoEffect),
            result.with_anchor.Sum(DamageKind::kNone));
  for (const std::string& silent : result.silent) {
    ADD_FAILURE() << "silent: " << silent;
  }
  for (const std::string& missed : result.missed) {
    ADD_FAILURE() << "missed by verify: " << missed;
  }
  for (const std::string& aborted : result.aborted) {
    ADD_FAILURE() << "ended the process: " << aborted;
  }
}

}  // namespace logbook::store
