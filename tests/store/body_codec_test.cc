// Bodies in a journal: compressed once there is a dictionary, deltas where they pay, read back in
// whatever order they are asked for.
#include "logbook/store/body_codec.h"

#include <random>
#include <string>
#include <vector>

#include "bodies_fixture.h"

#include "logbook/store/checkpoint.h"
#include "logbook/store/key_codec.h"
#include "logbook/support/seed.h"

namespace logbook::store {
namespace {

using ::testing::HasSubstr;

class BodyCodecTest : public BodiesTest {};

TEST_F(BodyCodecTest, BodiesAreStoredAsTheyAreWithoutADictionary) {
  const auto journal = MustOpen();
  Append(*journal, 10, 10);
  ExpectReadsBack(*journal);
  EXPECT_EQ(FormOf(*journal, 10), BodyForm());
}

TEST_F(BodyCodecTest, BodiesAreCompressedWithTheDictionary) {
  const auto journal = MustOpen();
  AppendAndTrain(*journal);
  Append(*journal, 100, 100);
  EXPECT_EQ(FormOf(*journal, journal->last().value),
            (BodyForm{.codec = BodyCodec::kZstd, .dictionary = 1, .delta_base = {}}));
  EXPECT_LT(journal->GetRecord(journal->last())->size(), 700u);
  ExpectReadsBack(*journal);
}

TEST_F(BodyCodecTest, SmallBodiesAreLeftAlone) {
  const auto journal = MustOpen();
  AppendAndTrain(*journal);
  const Event event = MakeEvent(Next(*journal), journal->run(), Marked{.reason = "small"});
  ASSERT_OK(journal->Append({&event, 1}, {}, Fsync::kNo));
  EXPECT_EQ(FormOf(*journal, event.seq.value), BodyForm());
}

TEST_F(BodyCodecTest, ThirdBodyOfAnObjectInABlockIsADeltaToTheSecond) {
  const auto journal = MustOpen();
  Append(*journal, 4, 1);
  EXPECT_EQ(FormOf(*journal, 1), BodyForm());
  EXPECT_EQ(FormOf(*journal, 2), BodyForm());
  const BodyForm delta{.codec = BodyCodec::kZstd, .dictionary = 0, .delta_base = EventSeq(2)};
  EXPECT_EQ(FormOf(*journal, 3), delta);
  EXPECT_EQ(FormOf(*journal, 4), delta) << "a base is never a delta";
  EXPECT_LT(journal->GetRecord(EventSeq(4))->size(), 350u);
  ExpectReadsBack(*journal);
}

TEST_F(BodyCodecTest, NoDeltaReachesOutOfItsBlock) {
  const auto journal = MustOpen();
  Append(*journal, static_cast<int>(kBlockEvents) + 10, 1);
  uint64_t deltas = 0;
  for (uint64_t seq = 1; seq <= journal->last().value; ++seq) {
    const BodyForm form = FormOf(*journal, seq);
    if (form.delta_base != EventSeq(0)) {
      ++deltas;
      EXPECT_EQ(BlockOf(form.delta_base), BlockOf(EventSeq(seq)));
    }
  }
  EXPECT_EQ(deltas, kBlockEvents + 10 - 4);
  EXPECT_EQ(FormOf(*journal, kBlockEvents), BodyForm());
  ExpectReadsBack(*journal);
}

TEST_F(BodyCodecTest, BodyThatSharesNothingIsANewBase) {
  const auto journal = MustOpen();
  Append(*journal, 3, 1);
  const std::string noise = Noise(4'000);
  AppendBody(*journal, 0, noise);
  EXPECT_EQ(FormOf(*journal, 4), BodyForm());
  AppendBody(*journal, 0, noise);
  EXPECT_EQ(FormOf(*journal, 5).delta_base, EventSeq(4));
  ExpectReadsBack(*journal);
}

TEST_F(BodyCodecTest, AnyMixIsReadBackForwardsAndOneByOneAndAfterReopening) {
  std::mt19937_64 random(TestSeed());
  auto journal = MustOpen();
  for (int round = 0; round < 6'000; ++round) {
    AppendBody(*journal, static_cast<int>(random() % 1'000) * static_cast<int>(random() % 2),
               Noise(random() % 8 == 0 ? random() % 20'000 : 300));
    if (round == 2'000) {
      ASSERT_OK(journal->TrainDictionaryIfDue());
      EXPECT_NE(journal->dictionaries().newest(), nullptr);
    }
  }
  ExpectReadsBack(*journal);
  for (int i = 0; i < 300; ++i) {
    const uint64_t seq = 1 + random() % journal->last().value;
    const absl::StatusOr<Event> event = journal->Get(EventSeq(seq));
    ASSERT_OK(event);
    EXPECT_EQ(std::get<Observed>(event->body).object->json(), bodies_[seq - 1]);
  }
  ASSERT_OK(journal->Close());
  journal.reset();
  ExpectSound();
  journal = MustOpen();
  ExpectReadsBack(*journal);
}

TEST_F(BodyCodecTest, ReadingFromTheMiddleFindsBasesBeforeIt) {
  const auto journal = MustOpen();
  Append(*journal, 20, 1);
  std::vector<std::string> read;
  ASSERT_OK(journal->Read(EventSeq(15), EventSeq(17), [&](const Event& event) {
    read.emplace_back(std::get<Observed>(event.body).object->json());
    return true;
  }));
  EXPECT_EQ(read, std::vector<std::string>(bodies_.begin() + 14, bodies_.begin() + 17));
}

TEST_F(BodyCodecTest, MissingBaseIsNamed) {
  {
    const auto journal = MustOpen();
    Append(*journal, 4, 1);
    ASSERT_OK(journal->Close());
  }
  const auto database = *Database::Open({.directory = directory() + "/db", .logger = {}});
  const auto dictionaries = *Dictionaries::Load(*database);
  const std::string record = *database->Get(ColumnFamily::kEvents, EventRowKey(EventSeq(4)));
  RowBatch batch(*database);
  batch.Delete(ColumnFamily::kEvents, EventRowKey(EventSeq(2)));
  ASSERT_OK(database->Write(batch, Fsync::kNo));
  BodyReader bodies(*database, *dictionaries);
  EXPECT_THAT(DecodeRecord(record, bodies),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("event 4: it is a delta to event 2, which is missing")));
}

TEST_F(BodyCodecTest, BaseMustBeFullAndEarlierInTheBlock) {
  const auto journal = MustOpen();
  Append(*journal, 4, 1);
  BodyReader bodies(journal->database(), journal->dictionaries());
  const std::string record = *journal->GetRecord(EventSeq(4));
  CodedBody body = *CodedBodyOf(record);
  ASSERT_OK(bodies.Decode(EventSeq(4), body));
  body.form.delta_base = EventSeq(3);
  EXPECT_THAT(bodies.Decode(EventSeq(4), body),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("event 3, which is one itself")));
  body.form.delta_base = EventSeq(4);
  EXPECT_THAT(bodies.Decode(EventSeq(4), body),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not before it in its block")));
  body.form.delta_base = EventSeq(2);
  EXPECT_THAT(bodies.Decode(EventSeq(kBlockEvents), body),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not before it in its block")));
}

TEST_F(BodyCodecTest, StateRowsAreCompressedAndLoaded) {
  const auto journal = MustOpen();
  AppendAndTrain(*journal);
  const ObjectPtr object = Body(3, "");
  auto view = std::make_shared<ViewState>();
  view->seq = journal->last();
  view->PutObject(kApps, {.object = object, .seq = EventSeq(3), .stream = {}});
  ASSERT_OK(WriteCheckpoint(*journal, {.state = view, .everything = true}));
  const std::string row =
      *journal->database().Get(ColumnFamily::kState, ObjectRowKey(kApps, object->key()));
  EXPECT_LT(row.size() * 3, object->json().size());
  const absl::StatusOr<ViewState> loaded = LoadState(*journal);
  ASSERT_OK(loaded);
  const ObjectEntry* entry = loaded->objects.Find(ObjectPath(kApps, object->key()));
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->object->json(), object->json());
}

}  // namespace
}  // namespace logbook::store
