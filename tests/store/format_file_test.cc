#include "logbook/store/format_file.h"

#include <set>

#include "logbook/store/posix_file.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

StoreFormat SomeFormat() {
  return {.version = kFormatVersion,
          .uuid = "2c5e0a9e-0c3f-4f0e-8f0a-0f6d2b9a7c11",
          .identity = {.cluster_uid = "cluster-1", .operator_name = "simpleapp"}};
}

// FORMAT with `text` in it, read.
absl::StatusOr<StoreFormat> ReadOf(const TempDir& dir, std::string_view text) {
  EXPECT_OK(ReplaceFile(dir / "FORMAT", text));
  return ReadFormat(dir.path());
}

TEST(FormatFileTest, ReadsBack) {
  const TempDir dir;
  ASSERT_OK(WriteFormat(dir.path(), SomeFormat()));
  EXPECT_EQ(*ReadFormat(dir.path()), SomeFormat());
}

TEST(FormatFileTest, NewerMajorIsRefusedNamingBothVersions) {
  const TempDir dir;
  // The rest of the file may look different by then.
  EXPECT_THAT(ReadOf(dir, "format: 2.7\nshape: other\n"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("format 2.7"), HasSubstr("reads 1.x"),
                             HasSubstr("use a newer build"))));
}

TEST(FormatFileTest, NewerMinorIsReadAndUnknownLinesAreSkipped) {
  const TempDir dir;
  const auto format =
      ReadOf(dir, "format: 1.9\nstore: u\ncluster: c\noperator: o\ncolour: green\n");
  ASSERT_OK(format);
  EXPECT_EQ(format->version.minor_number, 9);
}

TEST(FormatFileTest, DamageNamesFileAndFault) {
  const TempDir dir;
  for (const char* text :
       {"", "format: one\n", "format: 0.1\n", "format: 1\n", "zzz\n",
        "format: 1.0\ncluster: c\noperator: o\n", "format: 1.0\nstore: u\ncluster: c\n"}) {
    EXPECT_THAT(ReadOf(dir, text),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(dir / "FORMAT is damaged")));
  }
}

TEST(FormatFileTest, NoFileIsNotFound) {
  const TempDir dir;
  EXPECT_THAT(ReadFormat(dir.path()), StatusIs(absl::StatusCode::kNotFound));
}

TEST(FormatFileTest, IdentityMustBeCompleteAndOfOneLine) {
  const TempDir dir;
  for (const StoreIdentity& bad :
       {StoreIdentity{"", "o"}, StoreIdentity{"c", ""}, StoreIdentity{"c\nformat: 9.9", "o"}}) {
    StoreFormat format = SomeFormat();
    format.identity = bad;
    EXPECT_THAT(WriteFormat(dir.path(), format), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(IdentityTest, StrangersAreRefusedByName) {
  const StoreIdentity ours{.cluster_uid = "c-1", .operator_name = "simpleapp"};
  EXPECT_OK(CheckIdentity("/d", ours, ours));
  EXPECT_OK(CheckIdentity("/d", ours, {}));
  EXPECT_THAT(CheckIdentity("/d", ours, {.cluster_uid = "c-2", .operator_name = "simpleapp"}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("belongs to cluster c-1"), HasSubstr("cluster c-2"),
                             HasSubstr("another data directory"))));
  EXPECT_THAT(CheckIdentity("/d", ours, {.cluster_uid = "c-1", .operator_name = "other"}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("operator simpleapp"), HasSubstr("operator other"))));
}

TEST(UuidTest, IsOfVersion4AndNew) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = NewUuid();
    EXPECT_THAT(uuid, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                   "[0-9a-f]{12}"));
    EXPECT_TRUE(seen.insert(uuid).second);
  }
}

}  // namespace
}  // namespace logbook::store
