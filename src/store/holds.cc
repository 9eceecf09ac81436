#include "logbook/store/holds.h"

#include <algorithm>
#include <utility>

#include "logbook/store/key_codec.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

std::string HoldRowKey(const std::string& name) {
  return Concat(kMetaHoldPrefix, name);
}

absl::Status CheckHold(const Journal& journal, const Hold& hold) {
  if (hold.name.empty() || hold.why.empty()) {
    return InvalidArgument("a hold needs a name and a reason");
  }
  LOGBOOK_ASSIGN_OR_RETURN(const std::vector<Hold> holds, ReadHolds(journal));
  if (std::ranges::find(holds, hold.name, &Hold::name) != holds.end()) {
    return AlreadyExists("there is a hold ", hold.name, " already: choose another name");
  }
  if (hold.from < journal.oldest()) {
    return OutOfRange("event ", hold.from.value, " was trimmed: the oldest is event ",
                      journal.oldest().value);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Hold>> ReadHolds(const Journal& journal) {
  std::vector<Hold> holds;
  LOGBOOK_RETURN_IF_ERROR(journal.database().Scan(
      ColumnFamily::kMeta, kMetaHoldPrefix, EndOfPrefix(kMetaHoldPrefix),
      [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
        v1::HoldRow row;
        if (!row.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
          return DataLoss("store ", journal.directory(), ": unreadable hold ", key);
        }
        holds.push_back({.name = std::string(key.substr(kMetaHoldPrefix.size())),
                         .from = EventSeq(row.from()),
                         .who = row.who(),
                         .why = row.why(),
                         .at = absl::FromUnixNanos(row.at_unix_nanos())});
        return true;
      }));
  return holds;
}

absl::Status PutHold(Journal& journal, const Hold& hold) {
  LOGBOOK_RETURN_IF_ERROR(CheckHold(journal, hold));
  v1::HoldRow row;
  row.set_from(hold.from.value);
  row.set_who(hold.who);
  row.set_why(hold.why);
  row.set_at_unix_nanos(absl::ToUnixNanos(hold.at));
  RowBatch batch(journal.database());
  batch.Put(ColumnFamily::kMeta, HoldRowKey(hold.name), row.SerializeAsString());
  return journal.WriteDerived(batch, Fsync::kYes);
}

absl::Status RemoveHold(Journal& journal, const std::string& name) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::vector<Hold> holds, ReadHolds(journal));
  if (std::ranges::find(holds, name, &Hold::name) == holds.end()) {
    return NotFound("there is no hold ", name);
  }
  RowBatch batch(journal.database());
  batch.Delete(ColumnFamily::kMeta, HoldRowKey(name));
  return journal.WriteDerived(batch, Fsync::kYes);
}

}  // namespace logbook::store
