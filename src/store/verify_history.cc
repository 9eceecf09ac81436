#include <string>
#include <vector>

#include "logbook/base/hash.h"
#include "logbook/store/history.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/verify_checks.h"

namespace logbook::store {
namespace {

// Whether the event that row `name` names is of that kind and about that object.
absl::Status CheckAgainstEvent(const Verification& verification, const NamedSeq& name,
                               const HistoryEntry& row) {
  const bool trimmed = name.seq <= verification.watermark.seq;
  const absl::StatusOr<std::string> record =
      trimmed ? verification.database.Get(ColumnFamily::kBase, KeptRowKey(name.seq))
              : verification.database.Get(ColumnFamily::kEvents, EventRowKey(name.seq));
  if (absl::IsNotFound(record.status())) {
    return DataLoss("there is no event ", name.seq.value);
  }
  LOGBOOK_RETURN_IF_ERROR(record.status());
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(*record));
  LOGBOOK_ASSIGN_OR_RETURN(const std::vector<ObjectRef> subjects, SubjectsOf(*record));
  for (const ObjectRef& subject : subjects) {
    if (fixed.kind == row.kind && subject.resource == name.resource && subject.key == name.key &&
        subject.uid == row.uid) {
      return absl::OkStatus();
    }
  }
  return DataLoss("event ", name.seq.value, " is not that about it");
}

// Looks for rows that are missing, one by one.
void FindMissingRows(Verification& verification) {
  const Database& database = verification.database;
  const absl::Status read = database.Scan(
      ColumnFamily::kEvents, EventRowKey(EventSeq(0)), EventRowKey(verification.state_seq.Next()),
      [&](std::string_view key, std::string_view record) {
        const absl::StatusOr<EventSeq> seq = ParseEventRowKey(key);
        const absl::StatusOr<std::vector<ObjectRef>> subjects = SubjectsOf(record);
        if (!seq.ok() || !subjects.ok()) {
          return true;  // found by CheckEvents
        }
        for (const ObjectRef& subject : *subjects) {
          const std::string row = NamedSeqRowKey(subject.resource, subject.key, *seq);
          if (absl::IsNotFound(database.Get(ColumnFamily::kHistory, row).status())) {
            verification.Found("history", "event ", seq->value, " has no row for ",
                               subject.ToString());
          }
        }
        return true;
      });
  verification.FoundIfError("history", read);
}

// Looks for rows that say something else than their event, one by one.
void FindWrongRows(Verification& verification) {
  CheckRows(verification, "history", ColumnFamily::kHistory, "",
            [&](std::string_view key, std::string_view value) -> absl::Status {
              LOGBOOK_ASSIGN_OR_RETURN(const NamedSeq name, ParseNamedSeqRowKey(key));
              LOGBOOK_ASSIGN_OR_RETURN(const HistoryEntry row, DecodeHistoryRow(name.seq, value));
              return CheckAgainstEvent(verification, name, row);
            });
}

}  // namespace

void HistorySum::Add(std::string_view row_key, uint32_t kind, std::string_view uid) {
  const Hash128 hash = HashBytes(Concat(row_key, kind, " ", uid));
  low_ += hash.low;
  high_ += hash.high;
}

void CheckHistoryRows(Verification& verification) {
  HistorySum found;
  bool readable = true;
  const absl::Status read = verification.database.Scan(
      ColumnFamily::kHistory, "", "", [&](std::string_view key, std::string_view value) {
        const absl::StatusOr<NamedSeq> name = ParseNamedSeqRowKey(key);
        const absl::StatusOr<HistoryEntry> row = DecodeHistoryRow(EventSeq(0), value);
        readable = name.ok() && row.ok();
        const bool trimmed = name.ok() && name->seq <= verification.watermark.seq;
        if (readable && !trimmed && name->seq <= verification.state_seq) {
          found.Add(key, static_cast<uint32_t>(row->kind), row->uid);
        } else if (readable) {
          readable = CheckAgainstEvent(verification, *name, *row).ok();
        }
        ++verification.report.rows;
        return readable;
      });
  verification.FoundIfError("history", read);
  if (!readable || found != verification.history_wanted) {
    FindMissingRows(verification);
    FindWrongRows(verification);
  }
}

void CheckNameRows(Verification& verification) {
  CheckRows(
      verification, "names", ColumnFamily::kNames, "",
      [&](std::string_view key, std::string_view value) -> absl::Status {
        LOGBOOK_ASSIGN_OR_RETURN(const NamedSeq name, ParseNamedSeqRowKey(key));
        LOGBOOK_ASSIGN_OR_RETURN(const Incarnation row, DecodeNameRow(name.seq, value));
        // The keys of the two tables are alike.
        const absl::StatusOr<std::string> history =
            verification.database.Get(ColumnFamily::kHistory, key);
        if (name.seq <= verification.watermark.seq && absl::IsNotFound(history.status())) {
          return absl::OkStatus();  // its first event was trimmed
        }
        LOGBOOK_RETURN_IF_ERROR(history.status());
        LOGBOOK_ASSIGN_OR_RETURN(const HistoryEntry entry, DecodeHistoryRow(name.seq, *history));
        return entry.uid == row.uid ? absl::OkStatus()
                                    : DataLoss("names ", row.uid, ", history names ", entry.uid);
      });
}

}  // namespace logbook::store
