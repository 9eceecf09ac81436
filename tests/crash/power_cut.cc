#include "power_cut.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "acknowledgements.h"
#include <gtest/gtest.h>

namespace logbook::crash {
namespace {

constexpr int kViolationsShown = 20;
constexpr int kCutsPerFinish = 10;  // the script is finished after every so many cuts

constexpr Tail kTails[] = {Tail::kLost,    Tail::kPrefix,   Tail::kTorn, Tail::kZeroed,
                           Tail::kGarbled, Tail::kExtended, Tail::kThere};

EventSeq LastOf(const std::vector<Acknowledgement>& all) {
  return all.empty() ? EventSeq(0) : all.back().last;
}

// A bookmark is the one that came with the events it names, and none is left behind a gap.
Complaints CheckBookmarks(const store::Journal& journal, bool gap_just_now) {
  const auto bookmarks = journal.Bookmarks();
  if (!bookmarks.ok()) {
    return {std::string(bookmarks.status().message())};
  }
  Complaints complaints;
  if (gap_just_now && !bookmarks->empty()) {
    complaints.push_back("a tail was cut off, but bookmarks are there");
  }
  for (const auto& [stream, bookmark] : *bookmarks) {
    uint64_t scripted = 0;
    (void)journal.Read(EventSeq(1), bookmark.seq, [&](const Event& event) {
      scripted += IsScripted(event) ? 1 : 0;
      return true;
    });
    if (bookmark.resource_version != BookmarkAfter(scripted)) {
      complaints.push_back(
          Concat("bookmark ", bookmark.resource_version, " is not of event ", bookmark.seq.value));
    }
  }
  return complaints;
}

}  // namespace

uint64_t ForEachSync(const std::function<void(const Moment&)>& look) {
  const Scratch scratch;
  const Workplace place = scratch.workplace();
  DiskModel disk(place.disk());
  uint64_t syncs = 0;
  const Ending ending = RunDriver({.workplace = place}, [&](const Call& call) -> Answer {
    if (DiskModel::IsSync(call)) {
      const std::string file = std::filesystem::path(call.path).filename().string();
      look({.sync = ++syncs,
            .what = Concat(call.name, " of ", file),
            .disk = disk,
            .acknowledged = ReadAcknowledgements(place.acknowledgements())});
    }
    disk.Before(call);
    return {};
  });
  EXPECT_TRUE(ending.done()) << ending.ToString();
  return syncs;
}

void PowerCuts::CutAt(const Moment& moment) {
  for (Names names : {Names::kUndone, Names::kThere}) {
    for (Tail tail : kTails) {
      const Cut cut{.tail = tail, .names = names};
      ++cuts_;
      for (const std::string& complaint : CutOnce(moment, cut)) {
        if (++violations_ <= kViolationsShown) {
          ADD_FAILURE() << "power cut before sync " << moment.sync << ", " << moment.what << ", "
                        << ToString(cut) << ": " << complaint;
        }
      }
    }
  }
}

Complaints PowerCuts::CutOnce(const Moment& moment, const Cut& cut) {
  const Scratch scratch;
  const Workplace place = scratch.workplace();
  moment.disk.WriteImage(place.disk(), cut, random_);
  {
    const auto journal = store::Journal::Open(StoreOptions(place.store()));
    if (!journal.ok()) {
      return {Concat("it does not start: ", journal.status().ToString())};
    }
    if (Complaints complaints = CheckOpened(**journal, moment); !complaints.empty()) {
      return complaints;
    }
  }
  if (Complaints complaints = CheckSound(place.store()); !complaints.empty()) {
    return complaints;
  }
  if (cuts_ % kCutsPerFinish != 0) {
    return {};
  }
  ++finished_;
  return CheckFinished(place);
}

Complaints PowerCuts::CheckOpened(const store::Journal& journal, const Moment& moment) {
  Complaints complaints = CheckAcknowledged(journal, moment.acknowledged, true);
  bool gap = false;
  if (journal.last() > EventSeq(0)) {
    const absl::StatusOr<Event> last = journal.Get(journal.last());
    if (!last.ok()) {
      return {std::string(last.status().message())};
    }
    gap = last->kind() == EventKind::kGap;
  }
  gaps_ += gap ? 1 : 0;
  shortened_ += journal.last() < LastOf(moment.acknowledged) ? 1 : 0;
  for (std::string& complaint : CheckBookmarks(journal, gap)) {
    complaints.push_back(std::move(complaint));
  }
  for (std::string& complaint : CheckRows(journal)) {
    complaints.push_back(std::move(complaint));
  }
  return complaints;
}

// The script goes on from there to its end.
Complaints PowerCuts::CheckFinished(const Workplace& place) const {
  const Ending ending = RunDriver({.workplace = place});
  if (!ending.done()) {
    return {Concat("it cannot go on: ", ending.ToString())};
  }
  return reference_.CheckObjects(place);
}

void PowerCuts::Finish(int cuts_min) const {
  std::cout << "power: " << cuts_ << " cuts, " << violations_ << " violations; " << shortened_
            << " lost events that were not synced, " << gaps_ << " told of it by a gap, "
            << finished_ << " went on to the end\n";
  EXPECT_GE(cuts_, cuts_min);
}

}  // namespace logbook::crash
