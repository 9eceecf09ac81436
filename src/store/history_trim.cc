#include "logbook/store/history_trim.h"

#include "logbook/store/history.h"
#include "logbook/store/key_codec.h"

namespace logbook::store {
namespace {

std::string NameAndUid(const ObjectRef& ref) {
  return NamedSeqPrefix(ref.resource, ref.key) + ref.uid;
}

}  // namespace

void HistoryTrim::Drop(const std::vector<ObjectRef>& subjects, EventSeq seq) {
  for (const ObjectRef& subject : subjects) {
    std::string row = NamedSeqRowKey(subject.resource, subject.key, seq);
    batch_.Delete(ColumnFamily::kHistory, row);
    dropped_.insert(std::move(row));
    if (!subject.uid.empty()) {
      losers_.emplace(NameAndUid(subject), subject);
    }
  }
}

void HistoryTrim::Keep(const std::vector<ObjectRef>& subjects) {
  for (const ObjectRef& subject : subjects) {
    kept_.insert(NameAndUid(subject));
  }
}

absl::Status HistoryTrim::DropNames(const ViewState& state) {
  for (const auto& [name, ref] : losers_) {
    const ObjectEntry* entry = state.FindObject(ref.resource, ref.key);
    if (kept_.contains(name) || (entry != nullptr && entry->object->uid() == ref.uid)) {
      continue;
    }
    const std::string prefix = NamedSeqPrefix(ref.resource, ref.key);
    LOGBOOK_ASSIGN_OR_RETURN(const bool has_rows, HasRows(prefix, ref.uid));
    if (!has_rows) {
      LOGBOOK_RETURN_IF_ERROR(DropName(prefix, ref.uid));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> HistoryTrim::HasRows(const std::string& prefix, const std::string& uid) const {
  bool found = false;
  LOGBOOK_RETURN_IF_ERROR(database_.Scan(
      ColumnFamily::kHistory, prefix, EndOfPrefix(prefix),
      [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
        LOGBOOK_ASSIGN_OR_RETURN(const HistoryEntry row, DecodeHistoryRow(EventSeq(0), value));
        found = row.uid == uid && !dropped_.contains(std::string(key));
        return !found;
      }));
  return found;
}

absl::Status HistoryTrim::DropName(const std::string& prefix, const std::string& uid) {
  return database_.Scan(ColumnFamily::kNames, prefix, EndOfPrefix(prefix),
                        [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
                          LOGBOOK_ASSIGN_OR_RETURN(const Incarnation row,
                                                   DecodeNameRow(EventSeq(0), value));
                          if (row.uid == uid) {
                            batch_.Delete(ColumnFamily::kNames, key);
                          }
                          return row.uid != uid;
                        });
}

}  // namespace logbook::store
