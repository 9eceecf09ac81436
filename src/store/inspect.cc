#include "logbook/store/inspect.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "logbook/store/checkpoint.h"

namespace logbook::store {
namespace {

// Files come and go while a store is in use; those that went do not count.
uint64_t DiskBytes(const std::string& directory) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, error)) {
    const uint64_t size = entry.is_regular_file(error) ? entry.file_size(error) : 0;
    bytes += error ? 0 : size;
  }
  return bytes;
}

}  // namespace

absl::Status InitStore(const std::string& directory, const StoreIdentity& identity,
                       const Logger& logger) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::unique_ptr<Journal> journal,
                           Journal::Open({.directory = directory,
                                          .identity = identity,
                                          .create_if_missing = true,
                                          .logger = logger}));
  return journal->Close();
}

absl::StatusOr<std::unique_ptr<Journal>> OpenOffline(const std::string& directory,
                                                     const Logger& logger) {
  return Journal::Open(
      {.directory = directory, .identity = {}, .read_only = true, .logger = logger});
}

absl::StatusOr<StoreInfo> ReadInfo(const Journal& journal) {
  StoreInfo info{.directory = journal.directory(),
                 .format = journal.format(),
                 .run = journal.run(),
                 .position = journal.position(),
                 .synced = journal.synced_position(),
                 .watermark = journal.watermark(),
                 .state_seq = {},
                 .bookmarks = {}};
  LOGBOOK_ASSIGN_OR_RETURN(info.state_seq, ReadStateSeq(journal.database()));
  LOGBOOK_ASSIGN_OR_RETURN(info.kept, ReadKeptSize(journal.database()));
  LOGBOOK_ASSIGN_OR_RETURN(info.holds, ReadHolds(journal));
  LOGBOOK_ASSIGN_OR_RETURN(info.bookmarks, journal.Bookmarks());
  for (size_t i = 0; i < kColumnFamilies; ++i) {
    info.table_bytes[i] = journal.database().TableBytes(static_cast<ColumnFamily>(i));
  }
  info.disk_bytes = DiskBytes(journal.directory());
  return info;
}

absl::Status ReadTail(const Journal& journal, uint64_t events_max, EventVisitor visit) {
  const EventSeq last = journal.last();
  const uint64_t skipped = last.value > events_max ? last.value - events_max : 0;
  return journal.Read(std::max(EventSeq(skipped + 1), journal.oldest()), last, visit);
}

}  // namespace logbook::store
