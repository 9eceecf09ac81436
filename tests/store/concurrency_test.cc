// Reading and checkpoints beside the writer; run under the thread sanitizer.
#include <atomic>
#include <thread>

#include "store_fixture.h"

#include "logbook/store/checkpoint.h"
#include "logbook/store/history.h"

namespace logbook::store {
namespace {

using ConcurrencyTest = StoreTest;

TEST_F(ConcurrencyTest, ReadersAndCheckpointsRunBesideTheWriter) {
  constexpr uint64_t kEvents = 3000;
  auto journal = MustOpen();
  std::atomic<bool> done = false;
  std::jthread reader([&] {
    while (!done) {
      const EventSeq last = journal->last();
      uint64_t visited = 0;
      EXPECT_OK(journal->Read(EventSeq(1), last, [&](const Event&) { return ++visited > 0; }));
      EXPECT_EQ(visited, last.value);
      EXPECT_OK(ReadHistory(
          *journal,
          {.resource = std::string(kApps), .key = {.ns = "default", .name = "app-1"}, .uid = {}},
          EventSeq(1), 10));
      EXPECT_LE(journal->last_synced(), journal->last());
    }
  });
  std::jthread checkpointer([&] {
    while (!done) {
      auto view = std::make_shared<ViewState>();
      view->seq = journal->last();
      EXPECT_OK(WriteCheckpoint(*journal, {.state = view}));
      EXPECT_OK(journal->RecordSynced());
    }
  });
  while (journal->last() < EventSeq(kEvents)) {
    AppendObserved(*journal, 10, Fsync::kNo);
    ASSERT_OK(journal->Sync());
  }
  done = true;
  reader.join();
  checkpointer.join();
  ASSERT_OK(journal->Close());
  journal.reset();
  ExpectSound();
}

}  // namespace
}  // namespace logbook::store
