// Judge: opens a damaged store as the runtime does and says what became of the damage.
#ifndef LOGBOOK_TESTS_CORRUPTION_JUDGE_H_
#define LOGBOOK_TESTS_CORRUPTION_JUDGE_H_

#include <array>
#include <map>
#include <string>

#include "damage.h"
#include "victim.h"

namespace logbook::store {

enum class Verdict {
  kRefused,     // with an error that says where
  kRecovered,   // a Gap event tells what is missing, which was not synced; all before it is as it
                // was
  kRolledBack,  // ends at an earlier Append behind the last sync, with the bookmarks of that
                // Append: what every power cut may leave, and what is then observed again
  kNoEffect,    // every event, bookmark, row and history is as it was
  kAborted,     // the library's own assertions ended the process
  kSilent,      // anything else
};
inline constexpr int kVerdicts = 6;

std::string ToString(Verdict verdict);

struct Judgement {
  Verdict with_anchor = Verdict::kSilent;
  Verdict without_anchor = Verdict::kSilent;
  bool verify_missed = false;  // VerifyStore said "ok" of a store that is not what it was
  bool consumed = false;       // after the refusal, the good file put back does not help any more
  std::string text;            // the refusal, or what is wrong
};

// What is wrong with a refusal as people read it; empty: nothing.
std::string FlawOfRefusal(const absl::Status& refusal);

// Judges the store in `directory`, which is changed thereby.
Judgement Judge(const Truth& truth, const Damage& damage, const std::string& directory);

// Verdicts by kind of damage. Confined.
class Tally {
 public:
  void Add(DamageKind kind, Verdict verdict) { ++counts_[kind][static_cast<size_t>(verdict)]; }

  int Of(Verdict verdict) const;
  int Of(DamageKind kind, Verdict verdict) const;
  int Sum(DamageKind kind) const;

  // A table, with `title` over it.
  void Print(const std::string& title) const;

 private:
  std::map<DamageKind, std::array<int, kVerdicts>> counts_;
};

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_CORRUPTION_JUDGE_H_
