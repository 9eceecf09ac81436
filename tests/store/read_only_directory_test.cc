// A store on a volume that cannot be written: a snapshot, a read-only mount.
#include <filesystem>
#include <functional>

#include "store_fixture.h"
#include <sys/wait.h>
#include <unistd.h>

#include "logbook/store/inspect.h"

namespace logbook::store {
namespace {

namespace fs = std::filesystem;

class ReadOnlyDirectoryTest : public StoreTest {
 protected:
  void SetUp() override {
    auto journal = MustOpen();
    AppendObserved(*journal, 20, Fsync::kYes);
    Crash(journal);  // with a log that is not replayed yet
  }

  void TearDown() override { SetMode(fs::perms::owner_write, fs::perm_options::add); }

  void SetMode(fs::perms perms, fs::perm_options how) const {
    for (const auto& entry : fs::recursive_directory_iterator(directory())) {
      fs::permissions(entry.path(), perms, how);
    }
    fs::permissions(directory(), perms, how);
  }

  // What `look` says as a user who may read everything and write nothing; root may always write.
  std::string AsReader(const std::function<absl::Status()>& look) {
    const fs::perms readable = fs::perms(0555);
    SetMode(readable, fs::perm_options::replace);
    fs::permissions(temp_.path(), readable, fs::perm_options::add);
    int pipe[2];
    EXPECT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      constexpr uid_t kNobody = 65534;
      const bool reader = ::geteuid() != 0 || ::seteuid(kNobody) == 0;
      const std::string text = reader ? look().ToString() : "cannot become another user";
      (void)!::write(pipe[1], text.data(), text.size());
      ::_exit(0);
    }
    ::close(pipe[1]);
    std::string text(4096, '\0');
    const ssize_t size = ::read(pipe[0], text.data(), text.size());
    ::close(pipe[0]);
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    return text.substr(0, size < 0 ? 0 : static_cast<size_t>(size));
  }

  static absl::Status VerifyAll(const std::string& directory) {
    LOGBOOK_ASSIGN_OR_RETURN(const VerifyReport report, VerifyStore({.directory = directory}));
    return report.ok() && report.events == 20 ? absl::OkStatus() : Internal("not all is well");
  }
};

TEST_F(ReadOnlyDirectoryTest, IsVerifiedAndRead) {
  EXPECT_EQ(AsReader([&] { return VerifyAll(directory()); }), "OK");
  EXPECT_EQ(AsReader([&]() -> absl::Status {
              LOGBOOK_ASSIGN_OR_RETURN(const auto journal, OpenOffline(directory(), {}));
              return journal->last() == EventSeq(20) ? absl::OkStatus() : Internal("too few");
            }),
            "OK");
}

TEST_F(ReadOnlyDirectoryTest, IsReadWithoutALockFileToo) {
  fs::remove(directory() + "/LOGBOOK_LOCK");
  EXPECT_EQ(AsReader([&] { return VerifyAll(directory()); }), "OK");
  EXPECT_FALSE(fs::exists(directory() + "/LOGBOOK_LOCK"));
}

TEST_F(ReadOnlyDirectoryTest, InUseIsInUse) {
  const auto writer = LockFile::Acquire(directory());
  ASSERT_OK(writer);
  EXPECT_THAT(AsReader([&] { return VerifyAll(directory()); }), ::testing::HasSubstr("in use"));
}

TEST_F(ReadOnlyDirectoryTest, WritingIsRefused) {
  EXPECT_THAT(AsReader([&] { return TryOpen(); }),
              ::testing::HasSubstr("make it accessible for this user"));
}

}  // namespace
}  // namespace logbook::store
