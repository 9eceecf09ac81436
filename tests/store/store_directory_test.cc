#include "logbook/store/store_directory.h"

#include <filesystem>

#include "store_fixture.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using StoreDirectoryTest = StoreTest;

TEST_F(StoreDirectoryTest, NoStoreIsToldWithTheWayToMakeOne) {
  JournalOptions options = Options();
  options.create_if_missing = false;
  EXPECT_THAT(Journal::Open(options),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("logbook log init")));
  EXPECT_FALSE(std::filesystem::exists(directory()));
}

TEST_F(StoreDirectoryTest, NewerFormatIsRefusedWithoutATrace) {
  MustOpen().reset();
  WriteBytes(directory() + "/FORMAT", "format: 2.0\n");
  const std::string lock = ReadBytes(directory() + "/LOGBOOK_LOCK");
  const auto before = Files();
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("2.0")));
  EXPECT_EQ(Files(), before);
  EXPECT_EQ(ReadBytes(directory() + "/LOGBOOK_LOCK"), lock);
}

TEST_F(StoreDirectoryTest, AnotherClustersStoreIsRefusedWithoutATrace) {
  MustOpen().reset();
  const auto before = Files();
  JournalOptions options = Options();
  options.identity.cluster_uid = "cluster-2";
  EXPECT_THAT(Journal::Open(options),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("cluster-1"), HasSubstr("cluster-2"))));
  EXPECT_EQ(Files(), before);
}

TEST_F(StoreDirectoryTest, DatabaseWithoutFormatIsRefused) {
  MustOpen().reset();
  std::filesystem::remove(directory() + "/FORMAT");
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                  AllOf(HasSubstr("no FORMAT"), HasSubstr("restore"))));
}

TEST_F(StoreDirectoryTest, LostDatabaseIsRefused) {
  auto journal = MustOpen();
  AppendObserved(*journal, 3, Fsync::kYes);
  ASSERT_OK(journal->Close());
  journal.reset();
  std::filesystem::remove_all(directory() + "/db");
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                  AllOf(HasSubstr("lost its database"), HasSubstr("3 events"))));
}

TEST_F(StoreDirectoryTest, DatabaseOfAnotherStoreIsRefused) {
  MustOpen().reset();
  const StoreFormat format = *ReadFormat(directory());
  StoreFormat other = format;
  other.uuid = NewUuid();
  ASSERT_OK(WriteFormat(directory(), other));
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                  AllOf(HasSubstr(other.uuid), HasSubstr(format.uuid))));
}

TEST_F(StoreDirectoryTest, InterruptedCreationIsTakenUpAgain) {
  std::filesystem::create_directory(directory());
  const StoreFormat format{
      .version = kFormatVersion, .uuid = NewUuid(), .identity = Options().identity};
  ASSERT_OK(WriteFormat(directory(), format));
  JournalOptions options = Options();
  options.create_if_missing = false;
  EXPECT_THAT(Journal::Open(options),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("interrupted")));
  EXPECT_EQ(MustOpen()->format(), format);
  ExpectSound();
}

TEST_F(StoreDirectoryTest, CreationNeedsAnIdentity) {
  JournalOptions options = Options();
  options.identity.operator_name.clear();
  EXPECT_THAT(Journal::Open(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("operator name")));
}

TEST_F(StoreDirectoryTest, StoreInUseNamesItsHolder) {
  const auto journal = MustOpen();
  EXPECT_THAT(TryOpen(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                  AllOf(HasSubstr("in use by process"), HasSubstr("copy"))));
}

}  // namespace
}  // namespace logbook::store
