// text_fields, posix_file and position: the small files beside the database.
#include <filesystem>

#include "logbook/store/position.h"
#include "logbook/store/posix_file.h"
#include "logbook/store/text_fields.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(TextFieldsTest, UnknownNamesAndBlankLinesAreSkipped) {
  const absl::StatusOr<TextFields> fields = TextFields::Parse("a: 1\n\nnew: thing: x\n");
  ASSERT_OK(fields);
  EXPECT_EQ(*fields->Number("a"), 1u);
  EXPECT_EQ(*fields->Text("new"), "thing: x");
}

TEST(TextFieldsTest, FaultsAreNamed) {
  EXPECT_THAT(TextFields::Parse("a: 1\nnonsense\n"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("line 2")));
  const absl::StatusOr<TextFields> fields = TextFields::Parse("a: x\n");
  EXPECT_THAT(fields->Number("a"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("\"x\"")));
  EXPECT_THAT(fields->Text("b"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("\"b\"")));
}

TEST(ReplaceFileTest, ContentIsNewAndNothingIsLeftBeside) {
  const TempDir dir;
  ASSERT_OK(ReplaceFile(dir / "f", "old"));
  ASSERT_OK(ReplaceFile(dir / "f", "new"));
  EXPECT_EQ(*ReadFile(dir / "f"), "new");
  EXPECT_FALSE(std::filesystem::exists(dir / "f.new"));
}

TEST(ReplaceFileTest, MissingDirectoryIsNamed) {
  const TempDir dir;
  EXPECT_THAT(ReplaceFile(dir / "no/f", "x"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(dir / "no/f.new")));
}

TEST(MakeDirectoryTest, ParentsAreMadeAndOthersMayNotEnter) {
  const TempDir dir;
  for (const char* name : {"a/b/c", "d/", "a/b/c", "d"}) {
    ASSERT_OK(MakeDirectory(dir / name));
  }
  for (const char* name : {"a", "a/b", "a/b/c", "d"}) {
    EXPECT_EQ(
        std::filesystem::status(dir / name).permissions() & std::filesystem::perms::others_all,
        std::filesystem::perms::none)
        << name;
  }
}

TEST(MakeDirectoryTest, FileInTheWayIsNamed) {
  const TempDir dir;
  ASSERT_OK(ReplaceFile(dir / "f", "x"));
  for (const char* name : {"f", "f/g"}) {
    EXPECT_THAT(MakeDirectory(dir / name),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         AllOf(HasSubstr(dir / "f"), HasSubstr("use another path"))));
  }
}

TEST(FileErrorTest, CodesSayWhatToDo) {
  EXPECT_THAT(FileError("write", "/f", ENOSPC),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("cannot write /f"), HasSubstr("free space"))));
  EXPECT_THAT(FileError("open", "/f", EROFS),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("make it accessible")));
  EXPECT_THAT(FileError("read", "/f", EIO), StatusIs(absl::StatusCode::kUnavailable));
  for (const int error : {ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG}) {
    EXPECT_THAT(FileError("create", "/f", error),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("use another path")));
  }
}

Position SomePosition() {
  Position position{.seq = EventSeq(120), .run = RunId(3)};
  position.chain[0] = 0xab;
  return position;
}

TEST(SyncedTest, ReadsBack) {
  const TempDir dir;
  EXPECT_EQ(*ReadSynced(dir.path()), std::nullopt);
  ASSERT_OK(WriteSynced(dir.path(), SomePosition()));
  EXPECT_EQ(*ReadSynced(dir.path()), SomePosition());
}

TEST(SyncedTest, DamageNamesTheFileAndTheWayOut) {
  const TempDir dir;
  ASSERT_OK(ReplaceFile(dir / "SYNCED", "seq: 12\nrun: 1\nchain: zz\n"));
  EXPECT_THAT(ReadSynced(dir.path()),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr(dir / "SYNCED"), HasSubstr("remove the file"))));
}

}  // namespace
}  // namespace logbook::store
