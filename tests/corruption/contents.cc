#include "contents.h"

#include <limits>
#include <utility>

#include "logbook/base/check.h"
#include "logbook/reconcile/fold.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/state_rows.h"

namespace logbook::store {
namespace {

absl::Status ReadView(const Journal& journal, Contents& contents) {
  absl::StatusOr<ViewState> rows = LoadState(journal);
  if (absl::IsDataLoss(rows.status())) {
    contents.rows_refused = rows.status();
    rows = ViewState();
  }
  LOGBOOK_RETURN_IF_ERROR(rows.status());
  const EventSeq from = rows->seq.Next();
  reconcile::Fold fold(*std::move(rows));
  LOGBOOK_RETURN_IF_ERROR(journal.Read(from, journal.last(), [&](const Event& event) {
    fold.Apply(event);
    return true;
  }));
  contents.view = RowsOf(fold.state());
  return absl::OkStatus();
}

absl::Status ReadHistories(const Journal& journal, const Histories& names, Contents& contents) {
  for (const auto& [path, unused] : names) {
    const ObjectRef ref = RefFromPath(path);
    LOGBOOK_ASSIGN_OR_RETURN(
        contents.histories[path],
        ReadHistory(journal, ref, EventSeq(1), std::numeric_limits<size_t>::max()));
    std::vector<Incarnation> first;
    std::map<std::string, EventSeq> seen;
    for (const HistoryEntry& entry : contents.histories[path]) {
      if (!entry.uid.empty() && seen.emplace(entry.uid, entry.seq).second) {
        first.push_back({.first = entry.seq, .uid = entry.uid});
      }
    }
    LOGBOOK_ASSIGN_OR_RETURN(const std::vector<Incarnation> incarnations,
                             ReadIncarnations(journal, ref.resource, ref.key));
    if (incarnations != first) {
      return Internal("the incarnations of ", ref.key.ToString(), " are not those of its history");
    }
  }
  return absl::OkStatus();
}

}  // namespace

Rows RowsOf(const ViewState& state) {
  Rows rows;
  state.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    rows["object " + path] = EncodeObjectRow(entry);
  });
  state.keys.ForEach([&](const std::string& path, const KeyStatePtr& key) {
    rows["key " + path] = EncodeKeyRow(*key);
  });
  state.tombstones.ForEach([&](const std::string& uid, const Tombstone& tombstone) {
    rows["tombstone " + uid] = EncodeTombstoneRow(tombstone);
  });
  state.streams.ForEach([&](StreamId id, const StreamState& stream) {
    rows[Concat("stream ", id.value)] = EncodeStreamRow(stream);
  });
  rows["build"] = EncodeBuildRow(state.build, state.run);
  return rows;
}

absl::StatusOr<Contents> ReadContents(const Journal& journal, const Histories& names) {
  Contents contents;
  LOGBOOK_RETURN_IF_ERROR(
      journal.ReadRecords(EventSeq(1), journal.last(), [&](EventSeq, std::string_view record) {
        contents.records.emplace_back(record);
        return true;
      }));
  // Bodies that are deltas need more than their own records.
  LOGBOOK_RETURN_IF_ERROR(
      journal.Read(EventSeq(1), journal.last(), [](const Event&) { return true; }));
  LOGBOOK_ASSIGN_OR_RETURN(contents.bookmarks, journal.Bookmarks());
  LOGBOOK_RETURN_IF_ERROR(ReadView(journal, contents));
  LOGBOOK_RETURN_IF_ERROR(ReadHistories(journal, names, contents));
  return contents;
}

Histories HistoriesOf(const std::vector<std::string>& records, EventSeq last) {
  Histories histories;
  for (uint64_t i = 0; i < last.value; ++i) {
    const absl::StatusOr<RecordFixed> fixed = ParseRecordFixed(records[i]);
    const absl::StatusOr<std::vector<ObjectRef>> subjects = SubjectsOf(records[i]);
    LOGBOOK_CHECK(fixed.ok() && subjects.ok());
    for (const ObjectRef& subject : *subjects) {
      histories[ObjectPath(subject.resource, subject.key)].push_back(
          {.seq = fixed->seq, .kind = fixed->kind, .uid = subject.uid});
    }
  }
  return histories;
}

}  // namespace logbook::store
