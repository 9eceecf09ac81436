#include "logbook/store/lock_file.h"

#include <filesystem>
#include <optional>

#include <sys/wait.h>
#include <unistd.h>

#include "logbook/store/posix_file.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(LockFileTest, SecondHolderIsRefusedWithTheFirstOnesProcess) {
  const TempDir dir;
  const auto first = LockFile::Acquire(dir.path());
  ASSERT_OK(first);
  EXPECT_THAT(LockFile::Acquire(dir.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(Concat("in use by process ", ::getpid(), " on host")),
                             HasSubstr("copy"))));
}

TEST(LockFileTest, IsFreeAgainWhenDropped) {
  const TempDir dir;
  { ASSERT_OK(LockFile::Acquire(dir.path())); }
  EXPECT_OK(LockFile::Acquire(dir.path()));
}

TEST(LockFileTest, IsFreeAgainWhenItsProcessHasDied) {
  const TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {  // keeps the lock until it is gone
    const auto lock = LockFile::Acquire(dir.path());
    ::_exit(lock.ok() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_OK(LockFile::Acquire(dir.path()));
}

TEST(LockFileTest, RemovedFileIsNoticed) {
  const TempDir dir;
  const auto lock = LockFile::Acquire(dir.path());
  ASSERT_OK(lock);
  ASSERT_OK(lock->CheckHeld());
  std::filesystem::remove(dir / "LOGBOOK_LOCK");
  EXPECT_THAT(lock->CheckHeld(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                          HasSubstr("LOGBOOK_LOCK was removed")));
  ASSERT_OK(LockFile::Acquire(dir.path()));  // the danger: a second holder
  EXPECT_THAT(lock->CheckHeld(), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(LockFileTest, UnreadableHolderIsStillRefused) {
  const TempDir dir;
  const auto lock = LockFile::Acquire(dir.path());
  ASSERT_OK(lock);
  std::filesystem::resize_file(dir / "LOGBOOK_LOCK", 0);
  EXPECT_THAT(LockFile::Acquire(dir.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("unknown")));
}

TEST(LockFileTest, MissingDirectoryIsNamed) {
  const TempDir dir;
  EXPECT_THAT(LockFile::Acquire(dir / "no"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(dir / "no/LOGBOOK_LOCK")));
}

}  // namespace
}  // namespace logbook::store
