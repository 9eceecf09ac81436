// A campaign of single damages: whatever happens to one file, the store refuses to open, or it
// opens with everything that was synced. It never goes on as if nothing had been there.
#include <filesystem>
#include <random>
#include <vector>

#include "store_fixture.h"

#include "logbook/support/seed.h"

namespace logbook::store {
namespace {

constexpr uint64_t kSynced = 120;

class DamageTest : public StoreTest {
 protected:
  // A store with table files and a log, killed after it had noted that kSynced events are synced.
  void SetUp() override {
    auto journal = MustOpen();
    AppendObserved(*journal, 80, Fsync::kNo);
    ASSERT_OK(journal->Close());
    journal = nullptr;
    journal = MustOpen();
    AppendObserved(*journal, 40, Fsync::kYes);
    ASSERT_OK(journal->RecordSynced());
    synced_chain_ = journal->chain();
    AppendObserved(*journal, 30, Fsync::kNo);
    Crash(journal);
    std::filesystem::copy(directory(), image_, std::filesystem::copy_options::recursive);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(image_)) {
      if (entry.is_regular_file() && entry.path().filename() != "LOGBOOK_LOCK") {
        files_.push_back(std::filesystem::relative(entry.path(), image_).string());
      }
    }
    std::sort(files_.begin(), files_.end());
  }

  void Restore() {
    std::filesystem::remove_all(directory());
    std::filesystem::copy(image_, directory(), std::filesystem::copy_options::recursive);
  }

  std::string PathOf(const std::string& file) const { return directory() + "/" + file; }

  // The store as it is now: refused with words, or with all that was synced.
  void ExpectRefusedOrWhole(const std::string& what) {
    const auto journal = Journal::Open(Options());
    if (!journal.ok()) {
      ++refused_;
      EXPECT_FALSE(absl::IsInternal(journal.status())) << what << ": " << journal.status();
      return;
    }
    ++opened_;
    ASSERT_GE((*journal)->last(), EventSeq(kSynced)) << what;
    const absl::StatusOr<std::string> record = (*journal)->GetRecord(EventSeq(kSynced));
    ASSERT_OK(record);
    EXPECT_EQ(*ChainOf(*record), synced_chain_) << what;
    EXPECT_OK((*journal)->Read(EventSeq(1), EventSeq(kSynced), [](const Event&) { return true; }))
        << what;
  }

  const std::string image_ = temp_ / "image";
  std::vector<std::string> files_;
  Chain synced_chain_ = {};
  int refused_ = 0;
  int opened_ = 0;
};

TEST_F(DamageTest, AnyFileMayGo) {
  for (const std::string& file : files_) {
    Restore();
    std::filesystem::remove(PathOf(file));
    ExpectRefusedOrWhole(file);
  }
  EXPECT_GT(refused_, 3);
}

TEST_F(DamageTest, AnyBitMayFlip) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 120; ++i) {
    Restore();
    const std::string& file = files_[random() % files_.size()];
    std::string bytes = ReadBytes(PathOf(file));
    if (bytes.empty()) {
      continue;
    }
    const size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    WriteBytes(PathOf(file), bytes);
    ExpectRefusedOrWhole(Concat(file, " at ", at));
  }
  EXPECT_GT(refused_, 0);
  EXPECT_GT(opened_, 0);
}

TEST_F(DamageTest, AnyFileMayBeCutShort) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 60; ++i) {
    Restore();
    const std::string& file = files_[random() % files_.size()];
    const uint64_t size = std::filesystem::file_size(PathOf(file));
    if (size == 0) {
      continue;
    }
    const uint64_t to = random() % size;
    std::filesystem::resize_file(PathOf(file), to);
    ExpectRefusedOrWhole(Concat(file, " cut to ", to));
  }
}

}  // namespace
}  // namespace logbook::store
