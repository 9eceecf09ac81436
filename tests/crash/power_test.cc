// Power cuts at some of the syncs of a session; the campaign has all of them.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "power_cut.h"
#include "sweep_test.h"

#include "logbook/store/position.h"
#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"

namespace logbook::crash {
namespace {

class PowerTest : public SweepTest {
 protected:
  // Damages the log and opens the store; true if it was refused. If not, the event that SYNCED
  // notes must be there.
  static bool FlipABitOfTheLog(const std::string& store, std::mt19937_64& random) {
    const std::string log = NewestLog(store);
    std::string bytes = DiskModel::Read(log);
    const auto noted = store::ReadSynced(store);
    if (bytes.empty() || !noted.ok() || !noted->has_value()) {
      return false;
    }
    bytes[random() % bytes.size()] ^= 0x10;
    DiskModel::Write(log, bytes);
    const auto journal = store::Journal::Open(StoreOptions(store));
    if (!journal.ok()) {
      EXPECT_THAT(journal, StatusIs(absl::StatusCode::kDataLoss));
      return true;
    }
    if ((*noted)->seq > EventSeq(0)) {
      const auto record = (*journal)->GetRecord((*noted)->seq);
      EXPECT_TRUE(record.ok() && *ChainOf(*record) == (*noted)->chain) << record.status();
    }
    return false;
  }

  // The log that is written to; empty if there is no database yet.
  static std::string NewestLog(const std::string& store) {
    std::string newest;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(store + "/db", ignored)) {
      if (entry.path().extension() == ".log") {
        newest = std::max(newest, entry.path().string());
      }
    }
    return newest;
  }
};

TEST_F(PowerTest, CutLosesNothingSynced) {
  constexpr uint64_t kEvery = 12;
  PowerCuts cuts(TestSeed());
  ForEachSync([&](const Moment& moment) {
    if (moment.sync % kEvery == 1) {
      cuts.CutAt(moment);
    }
  });
  cuts.Finish(200);
}

// The control: what was noted as synced and is then destroyed is never passed over in silence.
TEST_F(PowerTest, SyncedRecordThatIsDestroyedIsRefused) {
  std::mt19937_64 random(TestSeed());
  int refused = 0;
  ForEachSync([&](const Moment& moment) {
    if (moment.sync % 8 == 3) {
      const Scratch scratch;
      moment.disk.WriteImage(scratch.workplace().disk(), {Tail::kThere, Names::kThere}, random);
      refused += FlipABitOfTheLog(scratch.workplace().store(), random) ? 1 : 0;
    }
  });
  std::cout << refused << " refused\n";
  EXPECT_GT(refused, 5);
}

}  // namespace
}  // namespace logbook::crash
