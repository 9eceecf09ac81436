#include "logbook/store/inspect.h"

#include "store_fixture.h"

#include "logbook/store/checkpoint.h"

namespace logbook::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using InspectTest = StoreTest;

TEST_F(InspectTest, InitMakesAStoreOnceAndLeavesItAlone) {
  ASSERT_OK(InitStore(directory(), Options().identity, Logger()));
  const StoreFormat format = *ReadFormat(directory());
  ASSERT_OK(InitStore(directory(), Options().identity, Logger()));
  EXPECT_EQ(*ReadFormat(directory()), format);
  EXPECT_THAT(InitStore(directory(), {"other", "simpleapp"}, Logger()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("other")));
}

TEST_F(InspectTest, InfoTellsWhatIsThere) {
  {
    const auto journal = MustOpen();
    AppendObserved(*journal, 9, Fsync::kNo);
    auto view = std::make_shared<ViewState>();
    view->seq = EventSeq(4);
    ASSERT_OK(WriteCheckpoint(*journal, {.state = view}));
    ASSERT_OK(journal->Close());
  }
  const auto journal = OpenOffline(directory(), Logger());
  ASSERT_OK(journal);
  const absl::StatusOr<StoreInfo> info = ReadInfo(**journal);
  ASSERT_OK(info);
  EXPECT_EQ(info->directory, directory());
  EXPECT_EQ(info->format.identity, Options().identity);
  EXPECT_EQ(info->run, RunId(1));
  EXPECT_EQ(info->position.seq, EventSeq(9));
  EXPECT_EQ(info->synced, info->position);
  EXPECT_EQ(info->state_seq, EventSeq(4));
  EXPECT_EQ(info->bookmarks.at(StreamId(1)).resource_version, "rv-9");
  EXPECT_GT(info->table_bytes[static_cast<size_t>(ColumnFamily::kEvents)], 0u);
  EXPECT_EQ(info->table_bytes[static_cast<size_t>(ColumnFamily::kBase)], 0u);
  EXPECT_GT(info->disk_bytes, info->table_bytes[0]);
}

TEST_F(InspectTest, TailIsTheLastEvents) {
  const auto journal = MustOpen();
  AppendObserved(*journal, 9, Fsync::kNo);
  std::vector<uint64_t> seqs;
  const auto visit = [&](const Event& event) {
    seqs.push_back(event.seq.value);
    return true;
  };
  ASSERT_OK(ReadTail(*journal, 3, visit));
  EXPECT_THAT(seqs, ElementsAre(7, 8, 9));
  seqs.clear();
  ASSERT_OK(ReadTail(*journal, 100, visit));
  EXPECT_EQ(seqs.size(), 9u);
}

TEST_F(InspectTest, StoreInUseSaysToAskItsServer) {
  const auto journal = MustOpen();
  EXPECT_THAT(OpenOffline(directory(), Logger()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("copy")));
}

}  // namespace
}  // namespace logbook::store
