#include "logbook/store/history.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/functional/function_ref.h"

#include "logbook/store/checkpoint.h"
#include "logbook/store/key_codec.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

// Rows of `family` about the name with from ≤ seq ≤ to.
absl::Status ScanName(const Database& database, ColumnFamily family, std::string_view resource,
                      const ObjectKey& key, EventSeq from, EventSeq to,
                      absl::FunctionRef<absl::StatusOr<bool>(EventSeq, std::string_view)> visit) {
  return database.Scan(family, NamedSeqRowKey(resource, key, from),
                       NamedSeqRowKey(resource, key, to.Next()),
                       [&](std::string_view row, std::string_view value) -> absl::StatusOr<bool> {
                         LOGBOOK_ASSIGN_OR_RETURN(const NamedSeq name, ParseNamedSeqRowKey(row));
                         return visit(name.seq, value);
                       });
}

// Rows after state_seq are of a checkpoint that is not complete; the tail answers for those. Of
// what was trimmed there are only rows, even if a damaged tail has taken the checkpoint along.
absl::StatusOr<EventSeq> CoveredByRows(const Journal& journal) {
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq state_seq, ReadStateSeq(journal.database()));
  return std::max(state_seq, journal.watermark().seq);
}

// Events about the name after `from`, read from the journal itself.
absl::Status ScanTail(const Journal& journal, std::string_view resource, const ObjectKey& key,
                      EventSeq from, EventSeq to,
                      absl::FunctionRef<bool(const HistoryEntry&)> visit) {
  return journal.ReadRecords(
      from, to, [&](EventSeq seq, std::string_view record) -> absl::StatusOr<bool> {
        LOGBOOK_ASSIGN_OR_RETURN(const std::vector<ObjectRef> subjects, SubjectsOf(record));
        const auto subject =
            std::find_if(subjects.begin(), subjects.end(), [&](const ObjectRef& candidate) {
              return candidate.resource == resource && candidate.key == key;
            });
        if (subject == subjects.end()) {
          return true;
        }
        LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
        return visit({.seq = seq, .kind = fixed.kind, .uid = subject->uid});
      });
}

// What of one checkpoint is already known about names.
class NameRows {
 public:
  explicit NameRows(const Database& database) : database_(database) {}

  // Adds a row if `subject` is an incarnation without one.
  absl::Status Add(const ObjectRef& subject, EventSeq seq, RowSeries& rows) {
    const std::string prefix = NamedSeqPrefix(subject.resource, subject.key);
    if (subject.uid.empty() || !seen_.insert(prefix + subject.uid).second) {
      return absl::OkStatus();
    }
    LOGBOOK_ASSIGN_OR_RETURN(const bool has_row, HasRow(prefix, subject.uid));
    if (has_row) {
      return absl::OkStatus();
    }
    return rows.Put(ColumnFamily::kNames, prefix + EncodeNumber(seq.value),
                    EncodeNameRow(subject.uid));
  }

 private:
  absl::StatusOr<bool> HasRow(const std::string& prefix, const std::string& uid) const {
    bool found = false;
    LOGBOOK_RETURN_IF_ERROR(database_.Scan(
        ColumnFamily::kNames, prefix, EndOfPrefix(prefix),
        [&](std::string_view, std::string_view value) -> absl::StatusOr<bool> {
          LOGBOOK_ASSIGN_OR_RETURN(const Incarnation name, DecodeNameRow(EventSeq(0), value));
          found = name.uid == uid;
          return !found;
        }));
    return found;
  }

  const Database& database_;
  std::set<std::string> seen_;  // prefix and uid
};

}  // namespace

std::string EncodeHistoryRow(EventKind kind, const std::string& uid) {
  v1::HistoryRow row;
  row.set_kind(static_cast<uint32_t>(kind));
  row.set_uid(uid);
  return row.SerializeAsString();
}

std::string EncodeNameRow(const std::string& uid) {
  v1::NameRow row;
  row.set_uid(uid);
  return row.SerializeAsString();
}

absl::StatusOr<HistoryEntry> DecodeHistoryRow(EventSeq seq, std::string_view value) {
  v1::HistoryRow row;
  if (!row.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
    return DataLoss("unreadable history row of event ", seq.value);
  }
  return HistoryEntry{.seq = seq, .kind = static_cast<EventKind>(row.kind()), .uid = row.uid()};
}

absl::StatusOr<Incarnation> DecodeNameRow(EventSeq first, std::string_view value) {
  v1::NameRow row;
  if (!row.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
    return DataLoss("unreadable name row of event ", first.value);
  }
  return Incarnation{.first = first, .uid = row.uid()};
}

absl::Status PutHistory(const Journal& journal, EventSeq from, EventSeq to, RowSeries& rows) {
  NameRows names(journal.database());
  return journal.ReadRecords(
      from, to, [&](EventSeq seq, std::string_view record) -> absl::StatusOr<bool> {
        LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
        LOGBOOK_ASSIGN_OR_RETURN(const std::vector<ObjectRef> subjects, SubjectsOf(record));
        for (const ObjectRef& subject : subjects) {
          LOGBOOK_RETURN_IF_ERROR(rows.Put(ColumnFamily::kHistory,
                                           NamedSeqRowKey(subject.resource, subject.key, seq),
                                           EncodeHistoryRow(fixed.kind, subject.uid)));
          LOGBOOK_RETURN_IF_ERROR(names.Add(subject, seq, rows));
        }
        return true;
      });
}

absl::StatusOr<std::vector<HistoryEntry>> ReadHistory(const Journal& journal,
                                                      const ObjectRef& object, EventSeq from,
                                                      size_t entries_max, EventSeq to) {
  std::vector<HistoryEntry> entries;
  const auto add = [&](const HistoryEntry& entry) {
    if (entries.size() < entries_max && (object.uid.empty() || entry.uid == object.uid)) {
      entries.push_back(entry);
    }
    return entries.size() < entries_max;
  };
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq covered, CoveredByRows(journal));
  if (from <= covered) {
    LOGBOOK_RETURN_IF_ERROR(ScanName(
        journal.database(), ColumnFamily::kHistory, object.resource, object.key, from,
        std::min(covered, to), [&](EventSeq seq, std::string_view value) -> absl::StatusOr<bool> {
          LOGBOOK_ASSIGN_OR_RETURN(const HistoryEntry entry, DecodeHistoryRow(seq, value));
          return add(entry);
        }));
  }
  if (entries.size() < entries_max && to > covered) {
    LOGBOOK_RETURN_IF_ERROR(
        ScanTail(journal, object.resource, object.key, std::max(from, covered.Next()), to, add));
  }
  return entries;
}

absl::StatusOr<std::vector<Incarnation>> ReadIncarnations(const Journal& journal,
                                                          std::string_view resource,
                                                          const ObjectKey& key) {
  std::vector<Incarnation> incarnations;
  const auto add = [&](Incarnation incarnation) {
    const bool known =
        std::any_of(incarnations.begin(), incarnations.end(),
                    [&](const Incarnation& earlier) { return earlier.uid == incarnation.uid; });
    if (!known && !incarnation.uid.empty()) {
      incarnations.push_back(std::move(incarnation));
    }
    return true;
  };
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq covered, CoveredByRows(journal));
  LOGBOOK_RETURN_IF_ERROR(
      ScanName(journal.database(), ColumnFamily::kNames, resource, key, EventSeq(0), covered,
               [&](EventSeq first, std::string_view value) -> absl::StatusOr<bool> {
                 LOGBOOK_ASSIGN_OR_RETURN(Incarnation incarnation, DecodeNameRow(first, value));
                 return add(std::move(incarnation));
               }));
  LOGBOOK_RETURN_IF_ERROR(ScanTail(
      journal, resource, key, covered.Next(), journal.last(),
      [&](const HistoryEntry& entry) { return add({.first = entry.seq, .uid = entry.uid}); }));
  return incarnations;
}

}  // namespace logbook::store
