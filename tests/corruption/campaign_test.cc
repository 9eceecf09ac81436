// The whole campaign: more than ten thousand damages, in parts that run beside each other.
#include "campaign.h"

#include <iostream>

#include "plain_store.h"
#include <gtest/gtest.h>

#include "logbook/support/seed.h"

namespace logbook::store {
namespace {

class CampaignTest : public ::testing::TestWithParam<int> {};

TEST_P(CampaignTest, FiveHundredDamagesNoneSilent) {
  // What there is only so many of belongs to the first part.
  const CampaignResult result =
      RunCampaign({.make_subject = MakeStoreSubject,
                   .each = GetParam() == 0,
                   .random = 510,
                   .seed = TestSeed() + static_cast<uint64_t>(GetParam())});
  EXPECT_GE(result.damages, 510);
  ExpectNothingSilent(result);
}

INSTANTIATE_TEST_SUITE_P(Parts, CampaignTest, ::testing::Range(0, 20));

// RocksDB writes while it opens. So a refusal can come too late to try again with the good file in
// its place: restore all files. How often is printed; see docs/operations.md.
TEST(RefusalTest, MostRefusalsLeaveTheStoreRepairable) {
  const CampaignResult result =
      RunCampaign({.make_subject = MakeRepairedStoreSubject, .random = 500, .seed = TestSeed()});
  const int refused = result.without_anchor.Of(Verdict::kRefused);
  std::cout << result.consumed << " of " << refused
            << " refusals cannot be repaired file by file\n";
  EXPECT_LT(result.consumed * 4, refused);
}

TEST(ControlTest, ThePlainStoreLosesSilently) {
  const CampaignResult result = RunCampaign(
      {.make_subject = MakePlainSubject, .each = true, .random = 2000, .seed = TestSeed()});
  result.with_anchor.Print("a plain RocksDB with its default options");
  EXPECT_GT(result.with_anchor.Of(Verdict::kSilent), 0);
}

}  // namespace
}  // namespace logbook::store
