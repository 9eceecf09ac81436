// The campaign: many damages, each to a copy of one store, and what became of them.
//
// It runs in a process of its own, which makes the store, since some damages end the process that
// opens it: another one then goes on behind it.
#ifndef LOGBOOK_TESTS_CORRUPTION_CAMPAIGN_H_
#define LOGBOOK_TESTS_CORRUPTION_CAMPAIGN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "damage.h"
#include "judge.h"

namespace logbook::store {

struct CampaignResult {
  Tally with_anchor;
  Tally without_anchor;
  std::vector<std::string> silent;   // damages, with what is wrong
  std::vector<std::string> missed;   // by VerifyStore
  std::vector<std::string> aborted;  // what ended the process
  int consumed = 0;                  // refused openings after which repair comes too late
  int damages = 0;
};

// What is damaged, and how that is judged.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual const Image& image() const = 0;
  // `directory` is where to put the damaged copy; it is there no more when this is called.
  virtual Judgement Judge(const Damage& damage) = 0;
};

struct CampaignOptions {
  std::function<std::unique_ptr<Subject>()> make_subject;  // called in the other process
  bool each = false;                                       // all damages of DamagePlan::Each
  int random = 0;                                          // so many of DamagePlan::Random
  uint64_t seed = 0;
};

CampaignResult RunCampaign(const CampaignOptions& options);

// The store of victim.h, judged by judge.h.
std::unique_ptr<Subject> MakeStoreSubject();

// The same, and after each refusal the good files are put back to see whether that still helps.
std::unique_ptr<Subject> MakeRepairedStoreSubject();

// Prints the tables, and fails the test for what was silent, missed or ended the process.
void ExpectNothingSilent(const CampaignResult& result);

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_CORRUPTION_CAMPAIGN_H_
