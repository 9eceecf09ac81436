#include "logbook/store/checkpoint.h"

#include <random>

#include "faulty_file_system.h"
#include "store_fixture.h"

#include "logbook/store/key_codec.h"
#include "logbook/store/state_rows.h"
#include "logbook/support/seed.h"

namespace logbook::store {
namespace {

using ::testing::HasSubstr;

// Everything a state holds, as text to compare.
std::string Dump(const ViewState& state) {
  std::string text = Concat("seq ", state.seq.value, "\n");
  state.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    text += Concat(path, "=", EncodeObjectRow(entry), "\n");
  });
  state.children.ForEach([&](const std::string& path, char) { text += path + "\n"; });
  state.keys.ForEach([&](const std::string& path, const KeyStatePtr& key) {
    text += Concat(path, "=", EncodeKeyRow(*key), "\n");
  });
  state.tombstones.ForEach([&](const std::string& uid, const Tombstone& tombstone) {
    text += Concat(uid, "=", EncodeTombstoneRow(tombstone), "\n");
  });
  state.streams.ForEach([&](StreamId stream, const StreamState& value) {
    text += Concat(stream.value, "=", EncodeStreamRow(value), "\n");
  });
  return text + EncodeBuildRow(state.build, state.run);
}

KeyState FullKeyState() {
  KeyState key;
  key.seq = EventSeq(3);
  key.resource = kApps;
  key.uid = "uid-1";
  key.causes = {{.seq = EventSeq(1), .visible = EventSeq(2), .reason = MarkReason::kMapped}};
  key.causes_dropped = 4;
  key.low_priority = true;
  key.attempts = 5;
  key.due = FakeClock::Start();
  key.decided = EventSeq(2);
  key.open = true;
  EffectState effect;
  effect.effect.kind = EffectKind::kDelete;
  effect.effect.target = {.ns = "default", .name = "child"};
  effect.recorded = true;
  effect.kind = OutcomeKind::kFailed;
  effect.failure_class = "Invalid";
  effect.message = "no";
  effect.seq = EventSeq(3);
  key.effects = {effect};
  key.steps_done = {"release"};
  key.reason = "why";
  return key;
}

// A fold of observations, enough to test what is loaded: it skips what a row already has.
class TestFold {
 public:
  explicit TestFold(ViewState state = {}) : state(std::move(state)) {}

  void Apply(const Event& event) {
    const auto& observed = std::get<Observed>(event.body);
    const ObjectKey key = observed.object->key();
    const ObjectEntry* row = state.FindObject(kApps, key);
    if (row == nullptr || row->seq < event.seq) {
      changed.insert(ObjectPath(kApps, key));
      if (IsRemoval(observed.change)) {
        state.RemoveObject(kApps, key);
      } else {
        state.PutObject(kApps,
                        {.object = observed.object, .seq = event.seq, .stream = event.stream});
      }
    }
    state.seq = event.seq;
  }

  ViewState state;
  std::set<std::string> changed;
};

class CheckpointTest : public StoreTest {
 protected:
  // Appends `count` random additions, changes and removals and folds them.
  static void AppendRandom(Journal& journal, TestFold& fold, std::mt19937_64& random, int count) {
    for (int i = 0; i < count; ++i) {
      const uint64_t object = random() % 40;
      const Event event =
          ObservedEvent(Next(journal), journal.run(),
                        {.name = Concat("app-", object),
                         .uid = Concat("uid-", object, "-", random() % 3),
                         .owner_uid = random() % 2 == 0 ? "owner" : "",
                         .filler = Filler(2000)},
                        random() % 4 == 0 ? ChangeType::kDeleted : ChangeType::kModified);
      ASSERT_OK(journal.Append({&event, 1}, {}, Fsync::kNo));
      fold.Apply(event);
    }
  }

  static CheckpointInput Changes(const TestFold& fold) {
    CheckpointInput input;
    input.state = std::make_shared<ViewState>(fold.state);
    input.objects = fold.changed;
    return input;
  }

  // Loads and folds on, as a start does.
  static ViewState LoadAndFold(const Journal& journal) {
    absl::StatusOr<ViewState> loaded = LoadState(journal);
    EXPECT_OK(loaded);
    TestFold fold(*std::move(loaded));
    EXPECT_OK(journal.Read(fold.state.seq.Next(), journal.last(), [&](const Event& event) {
      fold.Apply(event);
      return true;
    }));
    return fold.state;
  }
};

TEST_F(CheckpointTest, BeforeTheFirstThereIsNothing) {
  const absl::StatusOr<ViewState> state = LoadState(*MustOpen());
  ASSERT_OK(state);
  EXPECT_EQ(Dump(*state), Dump({}));
}

// Else rows would be missing from the view, or the checkpoint be taken for damaged.
TEST_F(CheckpointTest, ReadThatFailsIsNeitherTheEndNorDamage) {
  {
    const auto journal = MustOpen();
    std::mt19937_64 random(TestSeed());
    TestFold fold;
    AppendRandom(*journal, fold, random, 300);
    ASSERT_OK(WriteCheckpoint(
        *journal, {.state = std::make_shared<ViewState>(fold.state), .everything = true}));
    ASSERT_OK(journal->Close());
  }
  FaultyEnv env;
  JournalOptions options = Options();
  options.env = env.env();
  const auto journal = MustOpen(options);
  env.faults().table_reads_left = 0;
  EXPECT_THAT(LoadState(*journal),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("check the volume")));
  env.faults().table_reads_left = 1'000'000;
  EXPECT_OK(LoadState(*journal));
}

TEST_F(CheckpointTest, EveryTableLoadsBackAsItWas) {
  const auto journal = MustOpen();
  AppendObserved(*journal, 3, Fsync::kNo);
  auto view = std::make_shared<ViewState>();
  view->seq = EventSeq(3);
  for (int i = 0; i < 100; ++i) {
    view->PutObject(kApps, {.object = MakeObject({.name = Concat("app-", i), .owner_uid = "boss"}),
                            .seq = EventSeq(1),
                            .stream = StreamId(1)});
  }
  view->keys.Set(KeyPath(AppKey()), std::make_shared<const KeyState>(FullKeyState()));
  view->tombstones.Set("uid-9",
                       {.seq = EventSeq(2), .object = {"pods", {"default", "x"}, "uid-9"}});
  view->streams.Set(StreamId(1), {.seq = EventSeq(1),
                                  .identity = {.cluster = "c", .resource = AppResource()},
                                  .served_by = "crd 7",
                                  .generation = 2,
                                  .listed = true,
                                  .rewound = true});
  view->build = {.build_id = "b", .operator_name = "o", .controllers = {"simpleapp"}};
  view->run = RunId(1);
  ASSERT_OK(WriteCheckpoint(*journal, {.state = view, .everything = true}));
  const absl::StatusOr<ViewState> loaded = LoadState(*journal);
  ASSERT_OK(loaded);
  EXPECT_EQ(Dump(*loaded), Dump(*view));
  EXPECT_EQ(*loaded->FindKey(AppKey()), FullKeyState());
}

TEST_F(CheckpointTest, ChangesAndRemovalsFollow) {
  std::mt19937_64 random(TestSeed());
  auto journal = MustOpen();
  TestFold fold;
  for (int round = 0; round < 10; ++round) {
    AppendRandom(*journal, fold, random, 30);
    ASSERT_OK(WriteCheckpoint(*journal, Changes(fold)));
    fold.changed.clear();
    const absl::StatusOr<ViewState> loaded = LoadState(*journal);
    ASSERT_OK(loaded);
    ASSERT_EQ(Dump(*loaded), Dump(fold.state));
  }
  ASSERT_OK(journal->Close());
  journal.reset();
  ExpectSound();
}

TEST_F(CheckpointTest, EverythingRemovesRowsThatAreNotInTheState) {
  const auto journal = MustOpen();
  AppendObserved(*journal, 2, Fsync::kNo);
  auto view = std::make_shared<ViewState>();
  view->seq = EventSeq(1);
  view->PutObject(kApps, {.object = MakeObject({}), .seq = EventSeq(1), .stream = {}});
  view->keys.Set(KeyPath(AppKey()), std::make_shared<const KeyState>());
  view->tombstones.Set("uid", {});
  view->streams.Set(StreamId(4), {});
  ASSERT_OK(WriteCheckpoint(*journal, {.state = view, .everything = true}));
  auto empty = std::make_shared<ViewState>();
  empty->seq = EventSeq(2);
  ASSERT_OK(WriteCheckpoint(*journal, {.state = empty, .everything = true}));
  EXPECT_EQ(Dump(*LoadState(*journal)), Dump(*empty));
}

// The disk fills up somewhere in the second checkpoint: what is then on disk, folded on from the
// first, is the state all the same.
TEST_F(CheckpointTest, HalfWrittenCheckpointIsFoldedOver) {
  std::mt19937_64 random(TestSeed());
  for (int64_t bytes : {1, 5'000, 15'000, 30'000}) {
    FaultyEnv env;
    JournalOptions options = Options();
    options.directory = temp_ / Concat("half-", bytes);
    options.env = env.env();
    auto journal = MustOpen(options);
    TestFold fold;
    AppendRandom(*journal, fold, random, 100);
    ASSERT_OK(WriteCheckpoint(*journal, Changes(fold)));
    const EventSeq first = fold.state.seq;
    AppendRandom(*journal, fold, random, 100);
    env.faults().log_bytes_left = bytes;
    // Batches of one row, as if the rows were many.
    for (const std::string& path : fold.changed) {
      RowBatch row(journal->database());
      const ObjectEntry* entry = fold.state.objects.Find(path);
      const ObjectRef ref = RefFromPath(path);
      if (entry != nullptr) {
        row.Put(ColumnFamily::kState, ObjectRowKey(ref.resource, ref.key), EncodeObjectRow(*entry));
      } else {
        row.Delete(ColumnFamily::kState, ObjectRowKey(ref.resource, ref.key));
      }
      if (!journal->WriteDerived(row).ok()) {
        break;
      }
    }
    EXPECT_THAT(WriteCheckpoint(*journal, Changes(fold)),
                StatusIs(absl::StatusCode::kFailedPrecondition));
    journal.reset();
    env.faults().log_bytes_left = int64_t{1} << 40;
    journal = MustOpen(options);
    EXPECT_EQ(*ReadStateSeq(journal->database()), first);
    EXPECT_EQ(Dump(LoadAndFold(*journal)), Dump(fold.state)) << "after " << bytes << " bytes";
    TestFold on(LoadAndFold(*journal));
    ASSERT_OK(WriteCheckpoint(
        *journal, {.state = std::make_shared<ViewState>(on.state), .everything = true}));
    EXPECT_EQ(Dump(*LoadState(*journal)), Dump(fold.state));
  }
}

TEST_F(CheckpointTest, UnreadableRowIsNamed) {
  const auto journal = MustOpen();
  RowBatch batch(journal->database());
  batch.Put(ColumnFamily::kState, KeyRowKey(AppKey()), "\xff\xff");
  ASSERT_OK(journal->WriteDerived(batch));
  EXPECT_THAT(LoadState(*journal),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("row ksimpleapp")));
}

TEST_F(CheckpointTest, StateAheadOfTheJournalStopsTheProcess) {
  const auto journal = MustOpen();
  auto view = std::make_shared<ViewState>();
  view->seq = EventSeq(1);
  EXPECT_DEATH((void)WriteCheckpoint(*journal, {.state = view}), "check failed");
}

// Servers, plugins and reconcilers hand us what they like.
TEST(StateRowsTest, KeyRowKeepsTextThatIsNotUtf8) {
  const std::string odd = "\xff\xfe";
  KeyState key;
  key.resource = key.uid = key.reason = odd;
  key.steps_done = {odd};
  key.effects = {{.failure_class = odd, .message = odd, .resource_version = odd}};
  const absl::StatusOr<KeyState> read = DecodeKeyRow(EncodeKeyRow(key));
  ASSERT_OK(read);
  EXPECT_EQ(*read, key);
}

}  // namespace
}  // namespace logbook::store
