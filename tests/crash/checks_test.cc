// That the checks see what they are for: each is shown a store on which it must not be silent.
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "acknowledgements.h"
#include "disk_model.h"
#include "reference.h"
#include "scratch.h"
#include "sweep_test.h"
#include <gmock/gmock.h>

#include "logbook/support/status_matchers.h"

namespace logbook::crash {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A store on which the script is done.
class ChecksTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RunDriver({.workplace = place_}).done()); }

  std::unique_ptr<store::Journal> Open() const {
    auto journal = store::Journal::Open(StoreOptions(place_.store()));
    EXPECT_OK(journal);
    return journal.ok() ? *std::move(journal) : nullptr;
  }

  void Acknowledge(const Acknowledgement& one) const {
    AcknowledgementLog(place_.acknowledgements()).Add(one);
  }

  const Reference reference_;
  const Scratch scratch_;
  const Workplace place_ = scratch_.workplace();
};

TEST_F(ChecksTest, FinishedStoreHasNoFaults) {
  EXPECT_THAT(reference_.Check(place_), IsEmpty());
}

TEST_F(ChecksTest, LostEventIsSeen) {
  Acknowledge({.last = Open()->last().Next()});
  EXPECT_THAT(reference_.Check(place_), Contains(HasSubstr("had been acknowledged")));
}

TEST_F(ChecksTest, OtherEventIsSeen) {
  Acknowledge({.last = EventSeq(100)});
  EXPECT_THAT(reference_.Check(place_), Contains("event 100 is not the one that was acknowledged"));
}

TEST_F(ChecksTest, OtherEndIsSeen) {
  ASSERT_OK(Open()->DropBookmarks());
  EXPECT_THAT(reference_.Check(place_), Contains("it ended otherwise than undisturbed"));
}

TEST_F(ChecksTest, OtherRowIsSeen) {
  {
    const auto journal = Open();
    std::string object;
    ASSERT_OK(journal->database().Scan(store::ColumnFamily::kState, "", "",
                                       [&](std::string_view key, std::string_view) {
                                         object = key;
                                         return false;
                                       }));
    store::RowBatch batch(journal->database());
    batch.Delete(store::ColumnFamily::kState, object);
    ASSERT_OK(journal->WriteDerived(batch));
  }
  EXPECT_THAT(reference_.Check(place_), Contains(HasSubstr("is not the fold of the events")));
}

TEST_F(ChecksTest, FaultThatIsNotDeliveredDoesNotCount) {
  if (const std::string why = WhyNotSupervised(); !why.empty()) {
    GTEST_SKIP() << why;
  }
  Sweep sweep;
  sweep.Try({{.deed = Deed::kKill, .nth = 1'000'000}});
  EXPECT_EQ(sweep.effective(), 0);
}

// Calls are told before they are made, so a sync keeps what is there when it is told.
class DiskModelTest : public ::testing::Test {
 protected:
  void Sync(const std::string& path) { disk_.Before({.name = "fsync", .path = path}); }

  std::string After(const Cut& cut, const std::string& name) {
    const std::string image = scratch_.path() + Concat("/image-", ++images_);
    disk_.WriteImage(image, cut, random_);
    return std::filesystem::exists(image + "/" + name) ? DiskModel::Read(image + "/" + name)
                                                       : "none";
  }

  const Scratch scratch_;
  const std::string root_ = scratch_.workplace().disk();
  DiskModel disk_{root_};
  std::mt19937_64 random_;
  int images_ = 0;
};

TEST_F(DiskModelTest, BytesSurviveOnceTheFileIsSynced) {
  DiskModel::Write(root_ + "/f", "old");
  Sync(root_ + "/f");
  Sync(root_);
  DiskModel::Write(root_ + "/f", "old and new");
  EXPECT_EQ(After({Tail::kLost, Names::kUndone}, "f"), "old");
  EXPECT_EQ(After({Tail::kThere, Names::kUndone}, "f"), "old and new");
  EXPECT_EQ(After({Tail::kZeroed, Names::kUndone}, "f"), std::string("old\0\0\0\0\0\0\0\0", 11));
}

TEST_F(DiskModelTest, NamesSurviveOnceTheirDirectoryIsSynced) {
  DiskModel::Write(root_ + "/f", "bytes");
  Sync(root_ + "/f");
  EXPECT_EQ(After({Tail::kThere, Names::kUndone}, "f"), "none");
  EXPECT_EQ(After({Tail::kThere, Names::kThere}, "f"), "bytes");
  Sync(root_);
  std::filesystem::rename(root_ + "/f", root_ + "/g");
  EXPECT_EQ(After({Tail::kThere, Names::kUndone}, "f"), "bytes");
  EXPECT_EQ(After({Tail::kThere, Names::kUndone}, "g"), "none");
}

TEST_F(DiskModelTest, DirectoryThatItsParentDoesNotNameGoesWithAllThatIsInIt) {
  std::filesystem::create_directory(root_ + "/d");
  DiskModel::Write(root_ + "/d/f", "bytes");
  Sync(root_ + "/d/f");
  Sync(root_ + "/d");
  EXPECT_EQ(After({Tail::kThere, Names::kUndone}, "d/f"), "none");
  Sync(root_);
  EXPECT_EQ(After({Tail::kLost, Names::kUndone}, "d/f"), "bytes");
}

TEST_F(DiskModelTest, FileThatReplacedASyncedOneLeavesTheOldOneUntilTheDirectoryIsSynced) {
  DiskModel::Write(root_ + "/f", "old");
  Sync(root_ + "/f");
  Sync(root_);
  DiskModel::Write(root_ + "/f.new", "new");
  Sync(root_ + "/f.new");
  std::filesystem::rename(root_ + "/f.new", root_ + "/f");
  EXPECT_EQ(After({Tail::kThere, Names::kUndone}, "f"), "old");
  Sync(root_);
  EXPECT_EQ(After({Tail::kLost, Names::kUndone}, "f"), "new");
}

}  // namespace
}  // namespace logbook::crash
