// Some hundred damages at each run of the tests; the whole campaign is in campaign_test.cc.
#include <iostream>

#include "campaign.h"
#include "plain_store.h"
#include <gtest/gtest.h>

#include "logbook/support/seed.h"

namespace logbook::store {
namespace {

TEST(CorruptionTest, SomeHundredDamagesNoneSilent) {
  const CampaignResult result = RunCampaign(
      {.make_subject = MakeStoreSubject, .each = true, .random = 400, .seed = TestSeed()});
  EXPECT_GE(result.damages, 500);
  ExpectNothingSilent(result);
}

// Whole directories that are consistent in themselves are all that only an anchor can tell.
TEST(CorruptionTest, WithoutAnAnchorOnlyWholeDirectoriesGoUnnoticed) {
  const CampaignResult result =
      RunCampaign({.make_subject = MakeStoreSubject, .each = true, .seed = TestSeed()});
  const Tally& tally = result.without_anchor;
  const int unnoticed = tally.Of(Verdict::kSilent);
  std::cout << unnoticed << " of " << result.damages << " go unnoticed without an anchor\n";
  EXPECT_GT(unnoticed, 0);
  EXPECT_EQ(unnoticed, tally.Of(DamageKind::kOlderDirectory, Verdict::kSilent) +
                           tally.Of(DamageKind::kOtherDirectory, Verdict::kSilent) +
                           tally.Of(DamageKind::kEmptyVolume, Verdict::kSilent));
}

TEST(CorruptionTest, ThePlainStoreLosesSilently) {
  const CampaignResult result =
      RunCampaign({.make_subject = MakePlainSubject, .random = 500, .seed = TestSeed()});
  result.with_anchor.Print("a plain RocksDB with its default options");
  EXPECT_GT(result.with_anchor.Of(Verdict::kSilent), 0);
}

}  // namespace
}  // namespace logbook::store
