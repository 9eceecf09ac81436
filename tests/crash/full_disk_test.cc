// A real file system that is full: at each of many sizes the driver ends with words about it, loses
// nothing that was acknowledged, and goes on once there is space.
#include <fstream>
#include <iostream>

#include "reference.h"
#include "scratch.h"
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include "logbook/base/status.h"

namespace logbook::crash {
namespace {

constexpr int kKilobytesStep = 16;
constexpr int kKilobytesMax = 16 << 10;

bool MountPrivately(const std::string& where, int kilobytes) {
  return ::mount("tmpfs", where.c_str(), "tmpfs", 0, Concat("size=", kilobytes, "k").c_str()) == 0;
}

// The rest of the disk goes into one file.
void FillDisk(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  while (file.write(std::string(4096, 'x').c_str(), 4096).flush()) {
  }
}

class FullDiskTest : public ::testing::Test {
 protected:
  // Mounts of this process go with it, and nobody else sees them.
  void SetUp() override {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        !MountPrivately(place_.disk(), kKilobytesStep)) {
      GTEST_SKIP() << "needs the right to mount a tmpfs";
    }
    ::umount2(place_.disk().c_str(), MNT_DETACH);
  }

  // Runs the script on a disk of that size; whether it was too small.
  bool TrySize(int kilobytes) {
    EXPECT_TRUE(MountPrivately(place_.disk(), kilobytes));
    std::filesystem::remove(place_.acknowledgements());
    const Ending first = RunDriver({.workplace = place_});
    if (!first.done()) {
      ExpectFull(first);
      FillDisk(place_.disk() + "/rest");
      ExpectFull(RunDriver({.workplace = place_}));
      std::filesystem::remove(place_.disk() + "/rest");
      EXPECT_EQ(::mount("tmpfs", place_.disk().c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
      const Ending ending = RunDriver({.workplace = place_});
      EXPECT_TRUE(ending.done()) << "with space again: " << ending.ToString();
    }
    EXPECT_EQ(reference_.Check(place_), Complaints());
    ::umount2(place_.disk().c_str(), MNT_DETACH);
    return !first.done();
  }

  const Reference reference_;
  const Scratch scratch_;
  const Workplace place_ = scratch_.workplace();

 private:
  // Told by name, with the remedy.
  void ExpectFull(const Ending& ending) const {
    EXPECT_EQ(ending.status, 1) << ending.ToString();
    for (const std::string& part :
         {std::string("RESOURCE_EXHAUSTED"), place_.store(), std::string("free space")}) {
      EXPECT_NE(ending.errors.find(part), std::string::npos) << ending.ToString();
    }
  }
};

TEST_F(FullDiskTest, AtAnySizeIsToldAndSurvived) {
  int sizes = 0;
  for (int kilobytes = kKilobytesStep; kilobytes < kKilobytesMax; kilobytes += kKilobytesStep) {
    SCOPED_TRACE(Concat(kilobytes, " KiB"));
    if (!TrySize(kilobytes)) {
      break;
    }
    ++sizes;
  }
  std::cout << "full disk: " << sizes << " sizes\n";
  EXPECT_GE(sizes, 10);
}

}  // namespace
}  // namespace logbook::crash
