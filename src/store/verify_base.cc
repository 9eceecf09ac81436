#include <string>
#include <vector>

#include "absl/strings/escaping.h"

#include "logbook/store/base.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/load_rows.h"
#include "logbook/store/verify_checks.h"

namespace logbook::store {
namespace {

// Puts the row into `state`, which says what it was.
absl::Status Load(std::string_view row, std::string_view value, BodyReader& bodies,
                  ViewState& state) {
  const std::string_view prefix = row.substr(0, 1);
  if (prefix == kStateObjectPrefix) {
    return LoadObjectRow(row, value, bodies, state);
  }
  if (prefix == kStateKeyPrefix) {
    return LoadKeyRow(row, value, state);
  }
  if (prefix == kBaseTombstonePrefix) {
    LOGBOOK_ASSIGN_OR_RETURN(std::string uid, ParseBaseTombstoneKey(row));
    return LoadTombstoneRow(std::move(uid), value, state);
  }
  if (prefix == kBaseStreamPrefix) {
    LOGBOOK_ASSIGN_OR_RETURN(const StreamId stream, ParseStreamRowKey(kBaseStreamPrefix, row));
    return LoadStreamRow(stream, value, state);
  }
  return prefix == kBaseBuildPrefix ? LoadBuildRow(value, state) : DataLoss("of no known kind");
}

absl::Status CheckRow(const Verification& verification, BodyReader& bodies, std::string_view row,
                      std::string_view value) {
  ViewState state;
  LOGBOOK_RETURN_IF_ERROR(Load(row, value, bodies, state));
  EventSeq seq;
  state.objects.ForEach([&](const std::string&, const ObjectEntry& entry) { seq = entry.seq; });
  state.keys.ForEach([&](const std::string&, const KeyStatePtr& key) { seq = key->seq; });
  state.tombstones.ForEach([&](const std::string&, const Tombstone& dead) { seq = dead.seq; });
  state.streams.ForEach([&](StreamId, const StreamState& stream) { seq = stream.seq; });
  return seq <= verification.watermark.seq
             ? absl::OkStatus()
             : DataLoss("is of event ", seq.value, ", but events were trimmed up to ",
                        verification.watermark.seq.value);
}

// Kept records have their rows of history, by which they are found.
absl::Status CheckKept(const Verification& verification, std::string_view key,
                       std::string_view record) {
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq seq, ParseKeptRowKey(key));
  if (seq > verification.watermark.seq) {
    return absl::OkStatus();  // of a trimming that was cut short
  }
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
  if (fixed.seq != seq) {
    return DataLoss("calls itself event ", fixed.seq.value);
  }
  LOGBOOK_ASSIGN_OR_RETURN(const std::vector<ObjectRef> subjects, SubjectsOf(record));
  for (const ObjectRef& subject : subjects) {
    LOGBOOK_RETURN_IF_ERROR(
        verification.database
            .Get(ColumnFamily::kHistory, NamedSeqRowKey(subject.resource, subject.key, seq))
            .status());
  }
  return absl::OkStatus();
}

}  // namespace

void CheckBaseRows(Verification& verification) {
  BodyReader bodies(verification.database, verification.dictionaries);
  for (std::string_view prefix : {kStateObjectPrefix, kStateKeyPrefix, kBaseTombstonePrefix,
                                  kBaseStreamPrefix, kBaseBuildPrefix}) {
    verification.FoundIfError(
        "base", ScanBase(verification.database, prefix, verification.watermark.seq,
                         [&](std::string_view row, std::string_view value) {
                           ++verification.report.rows;
                           const absl::Status status = CheckRow(verification, bodies, row, value);
                           if (!status.ok()) {
                             verification.Found("base", "row ", ToStd(absl::CEscape(ToAbsl(row))),
                                                " of base: ", status.message());
                           }
                           return true;
                         }));
  }
  CheckRows(verification, "base", ColumnFamily::kBase, kBaseKeptPrefix,
            [&](std::string_view key, std::string_view record) {
              return CheckKept(verification, key, record);
            });
}

}  // namespace logbook::store
