// kill -9 while old events are trimmed. Wherever that ends, every view from the watermark on is
// what it was, and the next trimming comes to the same.
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "fault_plans.h"
#include "random_history.h"
#include "scratch.h"
#include "sweep_test.h"
#include "view_text.h"

#include "logbook/reconcile/view_at.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/trim.h"
#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"

namespace logbook::crash {
namespace {

namespace fs = std::filesystem;
using reconcile::Fold;
using reconcile::TextOf;

constexpr uint64_t kBlock = store::kBlockEvents;
constexpr EventSeq kLast{3 * kBlock + 500};

class TrimTest : public SweepTest {
 protected:
  void SetUp() override {
    SweepTest::SetUp();
    if (!IsSkipped()) {
      MakeStore();
    }
  }

  // Three blocks of random events, and what the view was at some of them.
  void MakeStore() {
    fs::create_directories(fs::path(image_).parent_path());
    auto options = StoreOptions(image_ + "/store");
    options.create_if_missing = true;
    auto journal = store::Journal::Open(options);
    ASSERT_OK(journal);
    reconcile::RandomHistory history(TestSeed(), false);
    Fold fold{ViewState()};
    while (fold.state().seq < kLast) {
      Event event = history.Next(fold);
      event.seq = fold.state().seq.Next();
      event.run = (*journal)->run();
      fold.Apply(event);
      ASSERT_OK((*journal)->Append({&event, 1}, {}, store::Fsync::kNo));
      if (event.seq.value % 1000 == 999 || event.seq == kLast) {
        views_[event.seq] = TextOf(fold.state());
      }
    }
    ASSERT_OK((*journal)->Sync());
    ASSERT_OK(store::WriteCheckpoint(
        **journal, {.state = std::make_shared<const ViewState>(fold.state()), .everything = true}));
    ASSERT_OK((*journal)->Close());
  }

  void ExpectViews(const std::string& store) const {
    const auto journal = store::Journal::Open(StoreOptions(store));
    ASSERT_OK(journal);
    const EventSeq watermark = (*journal)->watermark().seq;
    EXPECT_EQ(watermark, store::LastBlockEnd(watermark));
    for (const auto& [seq, text] : views_) {
      const absl::StatusOr<Fold> fold = reconcile::FoldTo(**journal, seq);
      if (seq < watermark) {
        EXPECT_THAT(fold.status(), StatusIs(absl::StatusCode::kOutOfRange));
      } else {
        ASSERT_OK(fold);
        EXPECT_EQ(TextOf(fold->state()), text) << "at " << seq.value;
      }
    }
  }

  Ending RunTrim(const Workplace& place, const Fault& fault, bool& delivered) const {
    FaultJudge judge(fault);
    const Ending ending = RunDriver({.workplace = place, .trim = true},
                                    [&](const Call& call) { return judge(call); });
    delivered = judge.delivered();
    return ending;
  }

  // Whether the kill was delivered.
  bool KillAt(uint64_t nth) const {
    const Scratch scratch;
    const Workplace place = scratch.workplace();
    fs::copy(image_, place.disk(), fs::copy_options::recursive);
    bool delivered = false;
    const Ending ending = RunTrim(place, {.deed = Deed::kKill, .nth = nth}, delivered);
    EXPECT_TRUE(ending.done() || ending.signal == SIGKILL) << ending.ToString();
    ExpectViews(place.store());
    bool undisturbed = false;
    EXPECT_TRUE(RunTrim(place, {.nth = UINT64_MAX}, undisturbed).done());
    EXPECT_EQ(CheckSound(place.store()), Complaints());
    ExpectViews(place.store());
    return delivered;
  }

  uint64_t ChangesOfATrim() const {
    const Scratch scratch;
    fs::copy(image_, scratch.workplace().disk(), fs::copy_options::recursive);
    uint64_t changes = 0;
    const Ending ending = RunDriver({.workplace = scratch.workplace(), .trim = true},
                                    [&](const Call& call) -> Answer {
                                      changes += call.changes ? 1 : 0;
                                      return {};
                                    });
    EXPECT_TRUE(ending.done()) << ending.ToString();
    return changes;
  }

  const Scratch scratch_;
  const std::string image_ = scratch_.path() + "/image";
  std::map<EventSeq, std::string> views_;
};

TEST_F(TrimTest, KillAnywhereLeavesEveryView) {
  constexpr uint64_t kKills = 16;
  const uint64_t changes = ChangesOfATrim();
  int kills = 0;
  for (uint64_t nth : Sample(changes, kKills)) {
    SCOPED_TRACE(Concat("kill at change ", nth));
    kills += KillAt(nth) ? 1 : 0;
  }
  std::cout << "kill while trimming: " << kills << " effective faults of " << kKills << " at "
            << changes << " changes\n";
  EXPECT_GE(kills, 12);
}

}  // namespace
}  // namespace logbook::crash
