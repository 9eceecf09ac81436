#include "logbook/store/anchor.h"

#include "store_fixture.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class AnchorTest : public StoreTest {
 protected:
  void SetUp() override {
    journal_ = MustOpen();
    AppendObserved(*journal_, 10, Fsync::kYes);
  }

  std::unique_ptr<Journal> journal_;
};

TEST_F(AnchorTest, TextReadsBack) {
  const Anchor anchor = journal_->anchor();
  EXPECT_EQ(*ParseAnchor(ToString(anchor)), anchor);
}

TEST_F(AnchorTest, OtherTextIsRefused) {
  for (const char* text : {"", "uuid", "uuid 1 2", "uuid 1 2 zz", "uuid 1 x 00", " 1 2 3"}) {
    EXPECT_THAT(ParseAnchor(text), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_F(AnchorTest, NamesOnlySyncedEvents) {
  AppendObserved(*journal_, 5, Fsync::kNo);
  EXPECT_EQ(journal_->anchor().position.seq, EventSeq(10));
}

TEST_F(AnchorTest, StoreThatWentOnIsAccepted) {
  const Anchor anchor = journal_->anchor();
  AppendObserved(*journal_, 5, Fsync::kNo);
  EXPECT_OK(CheckAnchor(*journal_, anchor));
  EXPECT_OK(CheckAnchor(*journal_, {.uuid = anchor.uuid, .position = {}}));
}

TEST_F(AnchorTest, OtherStoreIsRefused) {
  Anchor anchor = journal_->anchor();
  anchor.uuid = "another";
  EXPECT_THAT(CheckAnchor(*journal_, anchor),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("another"), HasSubstr("mount the volume"))));
}

TEST_F(AnchorTest, OlderCopyIsRefusedWithTheNumbers) {
  Anchor anchor = journal_->anchor();
  anchor.position.seq = EventSeq(11);
  EXPECT_THAT(CheckAnchor(*journal_, anchor),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("older copy"), HasSubstr("ends at event 10"),
                             HasSubstr("names event 11"))));
  anchor = journal_->anchor();
  anchor.position.run = RunId(2);
  EXPECT_THAT(CheckAnchor(*journal_, anchor),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("of run 2")));
}

TEST_F(AnchorTest, CopyThatWentAnotherWayIsRefused) {
  Anchor anchor = journal_->anchor();
  anchor.position.chain[3] ^= 1;
  EXPECT_THAT(CheckAnchor(*journal_, anchor),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("went another way")));
}

}  // namespace
}  // namespace logbook::store
