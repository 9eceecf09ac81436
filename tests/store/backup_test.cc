// Backups that are made while the store is in use, and stores that are made of backups.
#include "logbook/store/backup.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include "store_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/store/holds.h"
#include "logbook/store/inspect.h"
#include "logbook/store/restore.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BackupTest : public StoreTest {
 protected:
  absl::StatusOr<BackupReport> BackUp(const Journal& journal) const {
    return Backup(journal, backup_, Logger());
  }

  absl::StatusOr<RestoreReport> RestoreIt() const {
    return Restore(backup_, restored_, clock_, Logger());
  }

  // A store of five events and a backup of it.
  void MakeBackup() {
    auto journal = MustOpen();
    AppendObserved(*journal, 5, Fsync::kYes);
    ASSERT_OK(BackUp(*journal));
  }

  static void ExpectSound(const std::string& directory) {
    const auto report = VerifyStore({.directory = directory});
    ASSERT_OK(report);
    EXPECT_THAT(report->findings, IsEmpty()) << report->findings.front().text;
  }

  // The records of the store in `directory`.
  static std::vector<std::string> Records(const std::string& directory) {
    const auto journal = OpenOffline(directory, Logger());
    EXPECT_OK(journal);
    return Records(**journal);
  }

  static std::vector<std::string> Records(const Journal& journal) {
    std::vector<std::string> records;
    EXPECT_OK(
        journal.ReadRecords(EventSeq(1), journal.last(), [&](EventSeq, std::string_view record) {
          records.emplace_back(record);
          return true;
        }));
    return records;
  }

  const std::string backup_ = temp_ / "backup";
  const std::string restored_ = temp_ / "restored";
};

TEST_F(BackupTest, CopyMadeWhileAThreadAppendsVerifiesAndIsAPrefix) {
  auto journal = MustOpen();
  AppendObserved(*journal, 500, Fsync::kYes);
  std::atomic<bool> stop = false;
  std::atomic<int> appended = 0;
  std::thread writer([&] {
    while (!stop) {
      AppendObserved(*journal, 1, appended % 50 == 0 ? Fsync::kYes : Fsync::kNo);
      ++appended;
    }
  });
  for (int i = 0; i < 4; ++i) {
    const int before = appended;
    while (appended < before + 100) {
      std::this_thread::yield();
    }
    const EventSeq synced = journal->last_synced();
    const std::string target = Concat(backup_, i);
    const auto report = Backup(*journal, target, Logger());
    EXPECT_OK(report);
    if (!report.ok()) {
      break;
    }
    EXPECT_GE(report->position.seq, synced);
    ExpectSound(target);
  }
  stop = true;
  writer.join();
  const std::vector<std::string> all = Records(*journal);
  for (int i = 0; i < 4; ++i) {
    const std::vector<std::string> copied = Records(Concat(backup_, i));
    ASSERT_LE(copied.size(), all.size());
    EXPECT_TRUE(std::equal(copied.begin(), copied.end(), all.begin()));
  }
}

TEST_F(BackupTest, CopyIsOfTheSameStoreAndOpens) {
  MakeBackup();
  EXPECT_EQ(*ReadFormat(backup_), *ReadFormat(directory()));
  EXPECT_EQ((*ReadSynced(backup_))->seq, EventSeq(5));
  JournalOptions options = Options();
  options.directory = backup_;
  EXPECT_EQ(MustOpen(options)->last(), EventSeq(5));
}

TEST_F(BackupTest, TargetThatIsThereIsRefusedAndLeftAlone) {
  auto journal = MustOpen();
  AppendObserved(*journal, 5, Fsync::kYes);
  std::filesystem::create_directory(backup_);
  WriteBytes(backup_ + "/mine", "x");
  EXPECT_THAT(BackUp(*journal).status(),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       AllOf(HasSubstr("no backup was made"), HasSubstr("is not empty"))));
  EXPECT_EQ(ReadBytes(backup_ + "/mine"), "x");
  EXPECT_FALSE(std::filesystem::exists(backup_ + ".tmp"));
}

TEST_F(BackupTest, WhatAnInterruptedOneLeftIsNotTouched) {
  auto journal = MustOpen();
  std::filesystem::create_directory(backup_ + ".tmp");
  EXPECT_THAT(BackUp(*journal).status(),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("remove it")));
  EXPECT_TRUE(std::filesystem::exists(backup_ + ".tmp"));
}

TEST_F(BackupTest, CopyThatDoesNotVerifyIsNoBackup) {
  {
    auto journal = MustOpen();
    AppendObserved(*journal, 5, Fsync::kYes);
  }
  Tamper(
      [](const Database&, RowBatch& batch) { batch.Put(ColumnFamily::kState, "o", "no object"); });
  auto journal = MustOpen();
  EXPECT_THAT(BackUp(*journal).status(),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("is not sound (state"), HasSubstr("no backup was made"))));
  EXPECT_FALSE(std::filesystem::exists(backup_));
  EXPECT_FALSE(std::filesystem::exists(backup_ + ".tmp"));
}

TEST_F(BackupTest, RestoredStoreIsAnotherOneThatSaysWhereItIsFrom) {
  MakeBackup();
  const auto report = RestoreIt();
  ASSERT_OK(report);
  EXPECT_EQ(report->last, EventSeq(5));
  ExpectSound(restored_);
  const StoreFormat old = *ReadFormat(directory());
  const StoreFormat format = *ReadFormat(restored_);
  EXPECT_EQ(format, report->format);
  EXPECT_NE(format.uuid, old.uuid);
  EXPECT_EQ(format.identity, old.identity);
  EXPECT_EQ(format.restored, (RestoredFrom{.uuid = old.uuid, .seq = EventSeq(6)}));
  EXPECT_THAT(ReadBytes(restored_ + "/FORMAT"), HasSubstr("\nrestored-from: " + old.uuid + "\n"));
  const auto journal = OpenOffline(restored_, Logger());
  ASSERT_OK(journal);
  EXPECT_THAT(*(*journal)->Bookmarks(), IsEmpty());
  const auto last = (*journal)->Get(EventSeq(6));
  ASSERT_OK(last);
  const auto* gap = std::get_if<Gap>(&last->body);
  ASSERT_NE(gap, nullptr);
  EXPECT_THAT(gap->reason, AllOf(HasSubstr(old.uuid), HasSubstr("ends at event 5")));
  EXPECT_EQ(gap->first_missing, EventSeq(6));
  EXPECT_EQ((*journal)->synced_position(), (*journal)->position());
}

TEST_F(BackupTest, RestoredStoreGoesOn) {
  MakeBackup();
  ASSERT_OK(RestoreIt());
  JournalOptions options = Options();
  options.directory = restored_;
  auto journal = MustOpen(options);
  EXPECT_EQ(journal->last(), EventSeq(6));
  EXPECT_GT(journal->run().value, 1'000'000'000U);  // no run that the original may have had too
  AppendObserved(*journal, 3, Fsync::kYes);
  ASSERT_OK(journal->Close());
  journal.reset();
  ExpectSound(restored_);
}

TEST_F(BackupTest, MountedVolumeThatIsEmptyIsRestoredInto) {
  MakeBackup();
  std::filesystem::create_directories(restored_ + "/lost+found");
  ASSERT_OK(RestoreIt());
  ExpectSound(restored_);
}

TEST_F(BackupTest, DirectoryWithAStoreIsNotRestoredInto) {
  MakeBackup();
  const auto before = Files();
  EXPECT_THAT(Restore(backup_, directory(), clock_, Logger()).status(),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("is not empty")));
  EXPECT_EQ(Files(), before);
}

TEST_F(BackupTest, DamagedBackupIsNotRestored) {
  MakeBackup();
  for (const auto& entry : std::filesystem::directory_iterator(backup_ + "/db")) {
    if (entry.path().extension() == ".sst") {
      // A table file is maybe a second name of the store's own.
      const std::string bytes = ReadBytes(entry.path());
      std::filesystem::remove(entry.path());
      WriteBytes(entry.path(), bytes.substr(0, bytes.size() / 2));
    }
  }
  EXPECT_THAT(RestoreIt().status(),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("is not sound"), HasSubstr("take another one"))));
  EXPECT_FALSE(std::filesystem::exists(restored_));
}

TEST_F(BackupTest, RestoreThatWasInterruptedIsRefusedRatherThanTakenForAnEmptyDirectory) {
  MakeBackup();
  ASSERT_OK(RestoreIt());
  std::filesystem::remove(restored_ + "/FORMAT");  // what is written last
  JournalOptions options = Options();
  options.directory = restored_;
  EXPECT_THAT(Journal::Open(options).status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("has a database but no FORMAT")));
}

}  // namespace
}  // namespace logbook::store
