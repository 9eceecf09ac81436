#include "logbook/store/rocksdb_status.h"

#include <rocksdb/status.h>

#include "logbook/support/status_matchers.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = absl::StatusCode;

TEST(RocksDbStatusTest, EachCodeSaysWhatToDo) {
  const struct {
    rocksdb::Status status;
    Code code;
    std::string_view advice;
  } cases[] = {
      {rocksdb::Status::Corruption("block"), Code::kDataLoss, "logbook log verify"},
      {rocksdb::Status::IOError("While lock file: /d/LOCK", "busy"), Code::kFailedPrecondition,
       "copy"},
      {rocksdb::Status::IOError("While open", "Permission denied"), Code::kPermissionDenied,
       "writable"},
      {rocksdb::Status::IOError("While open", "Read-only file system"), Code::kPermissionDenied,
       "writable"},
      {rocksdb::Status::NoSpace("While appending"), Code::kResourceExhausted, "free space"},
      {rocksdb::Status::IOError("While fsync", "Input/output error"), Code::kUnavailable,
       "check the volume"},
      {rocksdb::Status::PathNotFound("While opening a file: /data/CURRENT", "No such file"),
       Code::kDataLoss, "lost a file"},
      {rocksdb::Status::IOError("While opening a file", "No such file or directory"),
       Code::kDataLoss, "restore it from a copy of all"},
      {rocksdb::Status::PathNotFound("000009.sst"), Code::kDataLoss, "lost a file"},
      {rocksdb::Status::Busy(), Code::kFailedPrecondition, "copy"},
      {rocksdb::Status::InvalidArgument("family"), Code::kFailedPrecondition, "build"},
      {rocksdb::Status::InvalidArgument("/data", "does not exist (create_if_missing is false)"),
       Code::kDataLoss, "CURRENT"},
      {rocksdb::Status::InvalidArgument("Found options incompatible with filesystem",
                                        "IO error: While open: No space left on device"),
       Code::kResourceExhausted, "free space"},
      {rocksdb::Status::InvalidArgument("Found options incompatible with filesystem",
                                        "IO error: While open: Too many open files"),
       Code::kUnavailable, "check the volume"},
      {rocksdb::Status::InvalidArgument("Direct I/O is not supported by the specified DB."),
       Code::kUnavailable, "check the volume"},
      {rocksdb::Status::TimedOut(), Code::kUnavailable, "try again"},
      {rocksdb::Status::ShutdownInProgress(), Code::kCancelled, "closing"},
      {rocksdb::Status::NotFound(), Code::kNotFound, "no such row"},
  };

  for (const auto& c : cases) {
    EXPECT_THAT(FromRocksDb(c.status, "/data"),
                StatusIs(c.code, AllOf(HasSubstr("/data"), HasSubstr(std::string(c.advice)))));
  }
  EXPECT_OK(FromRocksDb(rocksdb::Status::OK(), "/data"));
}

TEST(RocksDbStatusTest, DamageIsToldInsteadOfRocksDbsText) {
  EXPECT_THAT(FromRocksDb(rocksdb::Status::Corruption("x"), "/data", "000004.log: dropping"),
              StatusIs(Code::kDataLoss, HasSubstr("(000004.log: dropping)")));
}

}  // namespace
}  // namespace logbook::store
