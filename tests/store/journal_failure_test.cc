// What becomes of a journal when its disk fills up or fails.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "absl/strings/match.h"
#include "faulty_file_system.h"
#include "store_fixture.h"
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "logbook/store/journal.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class JournalFailureTest : public StoreTest {
 protected:
  std::unique_ptr<Journal> OpenFaulty() {
    JournalOptions options = Options();
    options.env = env_.env();
    return MustOpen(options);
  }

  static absl::Status AppendOne(Journal& journal, Fsync fsync) {
    const Event event = ObservedEvent(Next(journal), journal.run(), {.filler = Filler(10'000)});
    return journal.Append({&event, 1}, {}, fsync);
  }

  // Appends until it fails; the failure.
  static absl::Status AppendUntilFailure(Journal& journal) {
    for (int i = 0; i < 100'000; ++i) {
      LOGBOOK_RETURN_IF_ERROR(AppendOne(journal, Fsync::kNo));
    }
    return absl::OkStatus();
  }

  FaultyEnv env_;
};

TEST_F(JournalFailureTest, FullDiskIsToldWithTheDirectoryAndTheRemedy) {
  const auto journal = OpenFaulty();
  env_.faults().log_bytes_left = 50'000;
  EXPECT_THAT(AppendUntilFailure(*journal),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr(directory()), HasSubstr("free space"))));
}

TEST_F(JournalFailureTest, EverythingIsRefusedAfterTheFirstFailureEvenIfTheDiskHeals) {
  const auto journal = OpenFaulty();
  env_.faults().log_bytes_left = 50'000;
  ASSERT_FALSE(AppendUntilFailure(*journal).ok());
  env_.faults().log_bytes_left = int64_t{1} << 40;
  const auto refused = StatusIs(absl::StatusCode::kFailedPrecondition,
                                AllOf(HasSubstr("closed after"), HasSubstr("disk is full")));
  EXPECT_THAT(AppendOne(*journal, Fsync::kNo), refused);
  EXPECT_THAT(journal->Sync(), refused);
  EXPECT_THAT(journal->DropBookmarks(), refused);
  EXPECT_THAT(journal->Close(), refused);
}

TEST_F(JournalFailureTest, AcknowledgedEventsCanStillBeRead) {
  const auto journal = OpenFaulty();
  env_.faults().log_bytes_left = 50'000;
  ASSERT_FALSE(AppendUntilFailure(*journal).ok());
  ASSERT_GT(journal->last(), EventSeq(0));
  EXPECT_OK(journal->Get(journal->last()));
  EXPECT_THAT(journal->Get(Next(*journal)), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(JournalFailureTest, ReopeningGoesOnWithAllThatWasAcknowledged) {
  auto journal = OpenFaulty();
  env_.faults().log_bytes_left = 50'000;
  ASSERT_FALSE(AppendUntilFailure(*journal).ok());
  const EventSeq acknowledged = journal->last();
  journal.reset();
  env_.faults().log_bytes_left = int64_t{1} << 40;
  journal = OpenFaulty();
  EXPECT_GE(journal->last(), acknowledged);
  EXPECT_OK(AppendOne(*journal, Fsync::kYes));
  journal.reset();
  ExpectSound();
}

TEST_F(JournalFailureTest, FailedFsyncLeavesTheEventInDoubtUntilReopened) {
  auto journal = OpenFaulty();
  ASSERT_OK(AppendOne(*journal, Fsync::kYes));
  env_.faults().log_sync_fails = true;
  EXPECT_THAT(AppendOne(*journal, Fsync::kYes), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(journal->last(), EventSeq(1));
  EXPECT_EQ(journal->last_synced(), EventSeq(1));
  journal.reset();
  env_.faults().log_sync_fails = false;
  journal = OpenFaulty();
  EXPECT_EQ(journal->last(), EventSeq(2));  // it was written after all
  journal.reset();
  ExpectSound();
}

TEST_F(JournalFailureTest, FailedSyncClosesTheJournal) {
  const auto journal = OpenFaulty();
  ASSERT_OK(AppendOne(*journal, Fsync::kNo));
  env_.faults().log_sync_fails = true;
  EXPECT_THAT(journal->Sync(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(AppendOne(*journal, Fsync::kNo), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(JournalFailureTest, RemovedLockFileClosesTheJournal) {
  const auto journal = MustOpen();
  std::filesystem::remove(directory() + "/LOGBOOK_LOCK");
  EXPECT_THAT(journal->Sync(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("LOGBOOK_LOCK")));
  EXPECT_THAT(AppendOne(*journal, Fsync::kNo), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(JournalFailureTest, SyncedAppendAfterTheLockFileWasReplacedIsRefused) {
  const auto journal = MustOpen();
  std::filesystem::remove(directory() + "/LOGBOOK_LOCK");
  WriteBytes(directory() + "/LOGBOOK_LOCK", "");
  EXPECT_THAT(AppendOne(*journal, Fsync::kYes),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("LOGBOOK_LOCK")));
  EXPECT_EQ(journal->last(), EventSeq(0));
  EXPECT_THAT(AppendOne(*journal, Fsync::kNo), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(JournalFailureTest, ReadThatFailsIsAnErrorAndNotTheEnd) {
  {
    const auto journal = MustOpen();
    AppendObserved(*journal, 5000, Fsync::kNo);
    ASSERT_OK(journal->Close());
  }
  const auto journal = OpenFaulty();
  for (int reads : {0, 1, 2}) {
    env_.faults().table_reads_left = reads;
    uint64_t events = 0;
    EXPECT_THAT(journal->Read(EventSeq(1), journal->last(),
                              [&](const Event&) {
                                ++events;
                                return true;
                              }),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("check the volume")));
    EXPECT_LT(events, 5000u);
  }
}

// The rest of the disk behind `path` goes into one file.
void FillDisk(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  while (file.write(std::string(4096, 'x').c_str(), 4096).flush()) {
  }
}

// Appends until it fails; the failure. Sets `acknowledged` to the last event that did not.
absl::Status FillStore(const JournalOptions& options, EventSeq& acknowledged) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, Journal::Open(options));
  while (true) {
    const Event event =
        ObservedEvent(journal->last().Next(), journal->run(), {.filler = std::string(10'000, 'x')});
    LOGBOOK_RETURN_IF_ERROR(journal->Append({&event, 1}, {}, Fsync::kNo));
    acknowledged = event.seq;
  }
}

// What happens on a real file system that is full, where RocksDB's own log file makes it abort.
absl::Status UseFullTmpfs(const std::string& mount_point) {
  const JournalOptions options{.directory = mount_point + "/store",
                               .identity = {.cluster_uid = "c", .operator_name = "o"},
                               .create_if_missing = true};
  EventSeq acknowledged;
  const absl::Status filled = FillStore(options, acknowledged);
  if (!absl::IsResourceExhausted(filled)) {
    return Internal("filled: ", filled.ToString());
  }
  FillDisk(mount_point + "/rest");
  const absl::Status still_full = Journal::Open(options).status();
  if (!absl::IsResourceExhausted(still_full)) {
    return Internal("still full: ", still_full.ToString());
  }
  std::filesystem::remove(mount_point + "/rest");
  if (::mount("tmpfs", mount_point.c_str(), "tmpfs", MS_REMOUNT, "size=200m") != 0) {
    return Internal("cannot grow the file system");
  }
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, Journal::Open(options));
  return journal->last() >= acknowledged ? absl::OkStatus() : DataLoss("acknowledged events");
}

// What happens on a file system that may only be read.
absl::Status UseReadOnlyTmpfs(const std::string& mount_point) {
  const JournalOptions options{.directory = mount_point + "/store",
                               .identity = {.cluster_uid = "c", .operator_name = "o"},
                               .create_if_missing = true};
  LOGBOOK_RETURN_IF_ERROR(Journal::Open(options).status());
  if (::mount("tmpfs", mount_point.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") != 0) {
    return Internal("cannot make the file system read-only");
  }
  const absl::Status opened = Journal::Open(options).status();
  const bool told = absl::StrContains(opened.message(), "make it accessible for this user");
  return absl::IsPermissionDenied(opened) && told ? absl::OkStatus()
                                                  : Internal("opened: ", opened.ToString());
}

bool MountPrivateTmpfs(const std::string& mount_point) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", mount_point.c_str(), "tmpfs", 0, "size=24m") == 0;
}

// Does `use` on a small file system, in a process of its own, whose mounts go with it.
void RunOnTmpfs(const std::string& mount_point, absl::Status (*use)(const std::string&)) {
  absl::Status status = Internal("cannot mount");
  if (MountPrivateTmpfs(mount_point)) {
    status = use(mount_point);
    ::umount2(mount_point.c_str(), MNT_DETACH);
  }
  std::filesystem::remove_all(mount_point);  // nobody destroys the fixture of this process
  std::cerr << status << "\n";
  std::exit(status.ok() ? 0 : 1);
}

class RealDiskTest : public JournalFailureTest {
 protected:
  void SetUp() override {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(MountPrivateTmpfs(temp_.path()) ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) {
      GTEST_SKIP() << "needs the right to mount a tmpfs";
    }
  }
};

TEST_F(RealDiskTest, FullDiskIsSurvived) {
  EXPECT_EXIT(RunOnTmpfs(temp_.path(), UseFullTmpfs), ::testing::ExitedWithCode(0), "");
}

TEST_F(RealDiskTest, ReadOnlyDirectoryIsToldInOneLine) {
  EXPECT_EXIT(RunOnTmpfs(temp_.path(), UseReadOnlyTmpfs), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace logbook::store
