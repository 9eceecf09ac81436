#include "logbook/store/dictionaries.h"

#include <string>
#include <thread>

#include "bodies_fixture.h"

#include "logbook/store/key_codec.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

class DictionariesTest : public BodiesTest {
 protected:
  // A store whose last event, 1001, needs dictionary 1.
  void SetUp() override {
    const auto journal = MustOpen();
    AppendAndTrain(*journal);
    Append(*journal, 1, 1);
    ASSERT_OK(journal->Close());
  }

  // Verification finds something of `check`, saying `text`.
  void ExpectFinding(const std::string& check, const std::string& text) const {
    EXPECT_THAT(Verify().findings, Contains(AllOf(Field(&Finding::check, check),
                                                  Field(&Finding::text, HasSubstr(text)))));
  }
};

TEST_F(DictionariesTest, StoreIsReadWithItsDictionariesAfterReopening) {
  ExpectSound();
  auto journal = MustOpen();
  ASSERT_NE(journal->dictionaries().newest(), nullptr);
  EXPECT_EQ(journal->dictionaries().newest()->id, 1u);
  Append(*journal, 1, 1);
  EXPECT_EQ(FormOf(*journal, journal->last().value).dictionary, 1u);
  ExpectReadsBack(*journal);
  Crash(journal);
  journal = MustOpen();
  ExpectReadsBack(*journal);
}

TEST_F(DictionariesTest, MissingDictionaryIsNamedWithTheEventThatNeedsIt) {
  Tamper([](const Database&, RowBatch& batch) {
    batch.Delete(ColumnFamily::kMeta, DictionaryRowKey(1));
  });
  ExpectFinding("dictionaries", "event 1001: dictionary 1 is missing");
  const auto journal = MustOpen();
  EXPECT_OK(journal->Get(EventSeq(1'000)));
  EXPECT_THAT(
      journal->Get(EventSeq(1'001)),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("event 1001: dictionary 1 is missing")));
}

TEST_F(DictionariesTest, DamagedDictionaryIsNamedAndItsNumberNotGivenAgain) {
  Tamper([](const Database& database, RowBatch& batch) {
    v1::DictionaryRow row;
    ASSERT_TRUE(row.ParseFromString(*database.Get(ColumnFamily::kMeta, DictionaryRowKey(1))));
    (*row.mutable_dictionary())[1'000] ^= 1;
    batch.Put(ColumnFamily::kMeta, DictionaryRowKey(1), row.SerializeAsString());
  });
  ExpectFinding("dictionaries", "dictionary 1 is damaged: its checksum is another");
  ExpectFinding("dictionaries", "event 1001: dictionary 1 is damaged");
  const auto journal = MustOpen();
  EXPECT_THAT(journal->Get(EventSeq(1'001)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("event 1001: dictionary 1 is dam")));
  EXPECT_EQ(journal->dictionaries().newest(), nullptr);
  EXPECT_EQ(journal->dictionaries().next_id(), 2u);
}

TEST_F(DictionariesTest, SameMixGetsNoOtherDictionary) {
  const auto journal = MustOpen();
  for (int round = 0; round < 3; ++round) {
    ASSERT_OK(journal->TrainDictionaryIfDue());
    Append(*journal, BodySampler::kWindowBodies, 5'000);
  }
  ASSERT_OK(journal->TrainDictionaryIfDue());
  EXPECT_EQ(journal->dictionaries().newest()->id, 1u);
}

TEST_F(DictionariesTest, AnotherMixGetsOneAndBothAreReadWith) {
  const auto journal = MustOpen();
  ASSERT_OK(journal->TrainDictionaryIfDue());
  Append(*journal, BodySampler::kWindowBodies, 5'000, "sidecar");
  EXPECT_EQ(FormOf(*journal, journal->last().value).dictionary, 1u);
  ASSERT_OK(journal->TrainDictionaryIfDue());
  ASSERT_EQ(journal->dictionaries().newest()->id, 2u);
  Append(*journal, 10, 10, "sidecar");
  EXPECT_EQ(FormOf(*journal, journal->last().value).dictionary, 2u);
  ExpectReadsBack(*journal);
}

TEST_F(DictionariesTest, TrainingGoesOnBesideAppending) {
  std::filesystem::remove_all(directory());
  bodies_.clear();
  const auto journal = MustOpen();
  Append(*journal, 600, 600);
  std::thread trainer([&] { EXPECT_OK(journal->TrainDictionaryIfDue()); });
  while (journal->dictionaries().newest() == nullptr) {
    Append(*journal, 10, 10);
  }
  trainer.join();
  Append(*journal, 10, 10);
  ExpectReadsBack(*journal);
}

TEST_F(DictionariesTest, NoneIsTrainedOfFewBodies) {
  std::filesystem::remove_all(directory());
  bodies_.clear();
  const auto journal = MustOpen();
  Append(*journal, 100, 100);
  ASSERT_OK(journal->TrainDictionaryIfDue());
  EXPECT_EQ(journal->dictionaries().newest(), nullptr);
}

}  // namespace
}  // namespace logbook::store
