#include "judge.h"

#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>
#include <utility>
#include <variant>

#include "contents.h"

#include "logbook/store/verify.h"

namespace logbook::store {
namespace {

// Whether the last event is a Gap that this opening appended.
bool EndsWithGap(const Contents& found, const Truth& truth) {
  if (found.records.empty()) {
    return false;
  }
  const absl::StatusOr<Event> last = DecodeRecord(found.records.back());
  const size_t at = found.records.size() - 1;
  return last.ok() && std::holds_alternative<Gap>(last->body) &&
         std::get<Gap>(last->body).first_missing == last->seq &&
         (at >= truth.records.size() || truth.records[at] != found.records.back());
}

// What is wrong with `found` as the store's state at event `last`; empty: nothing.
std::string Flaw(const Contents& found, const Truth& truth, EventSeq last,
                 const Bookmarks& bookmarks) {
  for (uint64_t i = 0; i < last.value; ++i) {
    if (found.records[i] != truth.records[i]) {
      return Concat("event ", i + 1, " has other bytes");
    }
  }
  if (found.bookmarks != bookmarks) {
    return Concat("bookmarks are not those of event ", last.value);
  }
  if (found.view != truth.views[last.value]) {
    return Concat("the view is not that of event ", last.value);
  }
  for (const auto& [name, history] : HistoriesOf(truth.records, last)) {
    if (found.histories.at(name) != history) {
      return Concat("history of ", name, " is not that of event ", last.value);
    }
  }
  return "";
}

struct Found {
  Verdict verdict = Verdict::kSilent;
  std::string text;
};

Found JudgeContents(const Contents& found, const Truth& truth) {
  const bool gap = EndsWithGap(found, truth);
  const EventSeq last(found.last().value - (gap ? 1 : 0));
  const auto bookmarks = truth.bookmarks.find(last.value);
  if (last > EventSeq(truth.records.size()) || bookmarks == truth.bookmarks.end()) {
    return {.text = Concat("ends at event ", last.value, ", where no Append did")};
  }
  if (last < truth.synced) {
    return {.text = Concat("ends at event ", last.value, ", though ", truth.synced.value,
                           " was synced")};
  }
  const std::string flaw = Flaw(found, truth, last, gap ? Bookmarks() : bookmarks->second);
  if (!flaw.empty()) {
    return {.text = flaw};
  }
  if (gap) {
    return {.verdict = Verdict::kRecovered};
  }
  if (!found.rows_refused.ok()) {
    return {.verdict = Verdict::kRefused, .text = std::string(found.rows_refused.message())};
  }
  return {.verdict =
              last.value == truth.records.size() ? Verdict::kNoEffect : Verdict::kRolledBack};
}

Found Refused(const absl::Status& status) {
  const std::string flaw = FlawOfRefusal(status);
  const std::string text(status.message());
  return flaw.empty() ? Found{.verdict = Verdict::kRefused, .text = text}
                      : Found{.text = Concat(flaw, ": ", status.ToString())};
}

// With the anchors the runtime finds in the cluster, after what is known without them.
Found JudgeWithAnchors(const Journal& journal, const Truth& truth, const Found& without) {
  const reconcile::AnchorVerdict verdict = reconcile::JudgeAnchors(journal, truth.anchors, false);
  if (!verdict.status.ok()) {
    return Refused(verdict.status);
  }
  if (!verdict.lost.empty()) {  // the session records a Gap for each of them
    return {.verdict = Verdict::kRecovered};
  }
  return without;
}

// Whether VerifyStore has anything against the store. Errors are for what keeps it from looking: no
// store at all, or one of a newer format.
bool VerifyObjects(const Damage& damage, const std::string& directory) {
  const absl::StatusOr<VerifyReport> report = VerifyStore({.directory = directory});
  if (report.ok()) {
    return !report->ok();
  }
  return damage.OfDirectory() ||
         report.status().message().find("this build reads") != std::string_view::npos;
}

// FORMAT may name another owner without being damaged to the eye of who knows neither.
bool IsRefusedOwner(const Found& found) {
  return found.verdict == Verdict::kRefused && found.text.find(" belongs to ") != std::string::npos;
}

}  // namespace

std::string ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRefused:
      return "refused";
    case Verdict::kRecovered:
      return "recovered";
    case Verdict::kRolledBack:
      return "rolled back";
    case Verdict::kNoEffect:
      return "no effect";
    case Verdict::kAborted:
      return "aborted";
    case Verdict::kSilent:
      return "silent";
  }
  return "unknown";
}

std::string FlawOfRefusal(const absl::Status& refusal) {
  if (!absl::IsDataLoss(refusal) && !absl::IsFailedPrecondition(refusal)) {
    return "a refusal of a kind that is tried again";
  }
  static const std::regex kPlace(
      R"(FORMAT|SYNCED|CURRENT|MANIFEST|OPTIONS|IDENTITY|\.sst|\.log|event \d|events \d|row |log number: \d+|)"
      R"(database|belongs to|has format|superseded|number of \d+ bytes)");
  return std::regex_search(std::string(refusal.message()), kPlace) ? ""
                                                                   : "a refusal without a place";
}

Judgement Judge(const Truth& truth, const Damage& damage, const std::string& directory) {
  const bool verify_objects = VerifyObjects(damage, directory);
  const absl::StatusOr<std::unique_ptr<Journal>> journal = Journal::Open(
      {.directory = directory, .identity = kVictimIdentity, .create_if_missing = true});
  Found without;
  std::optional<Found> with;
  if (!journal.ok()) {
    without = Refused(journal.status());
  } else {
    const absl::StatusOr<Contents> contents =
        ReadContents(**journal, HistoriesOf(truth.records, EventSeq(truth.records.size())));
    without = contents.ok() ? JudgeContents(*contents, truth) : Refused(contents.status());
    with = JudgeWithAnchors(**journal, truth, without);
  }
  const bool as_it_was =
      without.verdict == Verdict::kNoEffect || without.verdict == Verdict::kRolledBack;
  const Found& last = with ? *with : without;
  return {.with_anchor = last.verdict,
          .without_anchor = without.verdict,
          .verify_missed =
              !verify_objects && !as_it_was && !damage.OfDirectory() && !IsRefusedOwner(without),
          .text = last.text};
}

int Tally::Of(Verdict verdict) const {
  int sum = 0;
  for (const auto& [kind, counts] : counts_) {
    sum += counts[static_cast<size_t>(verdict)];
  }
  return sum;
}

int Tally::Of(DamageKind kind, Verdict verdict) const {
  const auto counts = counts_.find(kind);
  return counts == counts_.end() ? 0 : counts->second[static_cast<size_t>(verdict)];
}

int Tally::Sum(DamageKind kind) const {
  int sum = 0;
  for (int i = 0; i < kVerdicts; ++i) {
    sum += Of(kind, static_cast<Verdict>(i));
  }
  return sum;
}

void Tally::Print(const std::string& title) const {
  std::cout << title << "\n" << std::left << std::setw(20) << "  damage";
  for (int i = 0; i < kVerdicts; ++i) {
    std::cout << std::right << std::setw(12) << ToString(static_cast<Verdict>(i));
  }
  std::cout << "\n";
  for (const auto& [kind, counts] : counts_) {
    std::cout << "  " << std::left << std::setw(18) << ToString(kind) << std::right;
    for (const int count : counts) {
      std::cout << std::setw(12) << count;
    }
    std::cout << "\n";
  }
}

}  // namespace logbook::store
