// kill -9 while a start cuts off a damaged tail: it copies the database, tries the copy, opens up
// to the damage and appends a Gap. Wherever that ends, the next start comes to the same.
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "power_cut.h"
#include "sweep_test.h"

#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"

namespace logbook::crash {
namespace {

namespace fs = std::filesystem;

bool HasGap(const store::Journal& journal) {
  bool gap = false;
  EXPECT_OK(journal.Read(EventSeq(1), journal.last(), [&](const Event& event) {
    gap = gap || event.kind() == EventKind::kGap;
    return true;
  }));
  return gap;
}

class TailCutTest : public SweepTest {
 protected:
  // A store after a power cut that garbled the end of its log, badly enough for a gap.
  void MakeDamagedStore() {
    std::mt19937_64 random(TestSeed());
    ForEachSync([&](const Moment& moment) {
      const bool long_tail = moment.acknowledged.size() > 100 && moment.sync % 3 == 0;
      if (long_tail && acknowledged_.empty()) {
        moment.disk.WriteImage(image_, {Tail::kGarbled, Names::kThere}, random);
        if (NextStartMakesAGap()) {
          acknowledged_ = moment.acknowledged;
        } else {
          fs::remove_all(image_);
        }
      }
    });
    ASSERT_FALSE(acknowledged_.empty()) << "no power cut made a gap";
  }

  bool NextStartMakesAGap() const {
    const Scratch scratch;
    const std::string store = Restore(scratch).store();
    const auto journal = store::Journal::Open(StoreOptions(store));
    EXPECT_OK(journal);
    return journal.ok() && HasGap(**journal);
  }

  Workplace Restore(const Scratch& scratch) const {
    fs::copy(image_, scratch.workplace().disk(), fs::copy_options::recursive);
    return scratch.workplace();
  }

  // Whether the kill was delivered.
  bool KillAt(uint64_t nth) const {
    const Scratch scratch;
    const Workplace place = Restore(scratch);
    FaultJudge judge({.deed = Deed::kKill, .nth = nth});
    const Ending ending =
        RunDriver({.workplace = place}, [&](const Call& call) { return judge(call); });
    EXPECT_TRUE(ending.done() || ending.signal == SIGKILL) << ending.ToString();
    {
      const auto journal = store::Journal::Open(StoreOptions(place.store()));
      EXPECT_OK(journal);
      if (journal.ok()) {
        EXPECT_TRUE(HasGap(**journal));
        EXPECT_EQ(CheckAcknowledged(**journal, acknowledged_, true), Complaints());
        EXPECT_EQ(CheckRows(**journal), Complaints());
      }
    }
    EXPECT_EQ(CheckSound(place.store()), Complaints());
    return judge.delivered();
  }

  const Scratch scratch_;
  const std::string image_ = scratch_.path() + "/image";
  std::vector<Acknowledgement> acknowledged_;
};

TEST_F(TailCutTest, KillAnywhereComesToTheSame) {
  constexpr uint64_t kChangesOfAStart = 160;
  MakeDamagedStore();
  int kills = 0;
  for (uint64_t nth : Sample(kChangesOfAStart, 50)) {
    SCOPED_TRACE(Concat("kill at change ", nth));
    kills += KillAt(nth) ? 1 : 0;
  }
  std::cout << "kill while cutting a tail: " << kills << " effective faults of 50\n";
  EXPECT_GE(kills, 40);
}

}  // namespace
}  // namespace logbook::crash
