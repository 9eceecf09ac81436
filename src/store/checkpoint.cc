#include "logbook/store/checkpoint.h"

#include <algorithm>

#include "logbook/base/check.h"
#include "logbook/store/history.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/row_series.h"
#include "logbook/store/state_rows.h"

namespace logbook::store {
namespace {

std::string ObjectRowKeyOf(std::string_view path) {
  const ObjectRef ref = RefFromPath(path);
  return ObjectRowKey(ref.resource, ref.key);
}

absl::Status PutObject(const ViewState& state, const std::string& path, BodyCompressor& bodies,
                       RowSeries& rows) {
  const ObjectEntry* entry = state.objects.Find(path);
  const std::string key = ObjectRowKeyOf(path);
  return entry == nullptr ? rows.Delete(ColumnFamily::kState, key)
                          : rows.Put(ColumnFamily::kState, key, EncodeObjectRow(*entry, &bodies));
}

absl::Status PutKey(const ViewState& state, const std::string& path, RowSeries& rows) {
  const KeyStatePtr* found = state.keys.Find(path);
  const std::string key = KeyRowKey(KeyFromPath(path));
  return found == nullptr ? rows.Delete(ColumnFamily::kState, key)
                          : rows.Put(ColumnFamily::kState, key, EncodeKeyRow(**found));
}

absl::Status PutTombstone(const ViewState& state, const std::string& uid, RowSeries& rows) {
  const Tombstone* found = state.tombstones.Find(uid);
  return found == nullptr ? rows.Delete(ColumnFamily::kTombstones, uid)
                          : rows.Put(ColumnFamily::kTombstones, uid, EncodeTombstoneRow(*found));
}

absl::Status PutStream(const ViewState& state, StreamId stream, RowSeries& rows) {
  const StreamState* found = state.streams.Find(stream);
  const std::string key = StreamRowKey(kMetaStreamPrefix, stream);
  return found == nullptr ? rows.Delete(ColumnFamily::kMeta, key)
                          : rows.Put(ColumnFamily::kMeta, key, EncodeStreamRow(*found));
}

absl::Status PutChanged(const CheckpointInput& input, const Journal& journal, RowSeries& rows) {
  const ViewState& state = *input.state;
  BodyCompressor bodies(journal.dictionaries());
  for (const std::string& path : input.objects) {
    LOGBOOK_RETURN_IF_ERROR(PutObject(state, path, bodies, rows));
  }
  for (const std::string& path : input.keys) {
    LOGBOOK_RETURN_IF_ERROR(PutKey(state, path, rows));
  }
  for (const std::string& uid : input.tombstones) {
    LOGBOOK_RETURN_IF_ERROR(PutTombstone(state, uid, rows));
  }
  for (StreamId stream : input.streams) {
    LOGBOOK_RETURN_IF_ERROR(PutStream(state, stream, rows));
  }
  return absl::OkStatus();
}

// Adds every key of `state` and every key that has a row, so that PutChanged writes or removes it.
absl::Status AddEverything(const Database& database, CheckpointInput& input) {
  input.state->objects.ForEach(
      [&](const std::string& path, const ObjectEntry&) { input.objects.insert(path); });
  input.state->keys.ForEach(
      [&](const std::string& path, const KeyStatePtr&) { input.keys.insert(path); });
  input.state->tombstones.ForEach(
      [&](const std::string& uid, const Tombstone&) { input.tombstones.insert(uid); });
  input.state->streams.ForEach(
      [&](StreamId stream, const StreamState&) { input.streams.insert(stream); });
  LOGBOOK_RETURN_IF_ERROR(
      database.Scan(ColumnFamily::kState, "", "",
                    [&](std::string_view key, std::string_view) -> absl::StatusOr<bool> {
                      if (key.substr(0, 1) == kStateObjectPrefix) {
                        LOGBOOK_ASSIGN_OR_RETURN(const ObjectRef ref, ParseObjectRowKey(key));
                        input.objects.insert(ObjectPath(ref.resource, ref.key));
                      } else {
                        LOGBOOK_ASSIGN_OR_RETURN(const ControllerKey of, ParseKeyRowKey(key));
                        input.keys.insert(KeyPath(of));
                      }
                      return true;
                    }));
  LOGBOOK_RETURN_IF_ERROR(
      database.Scan(ColumnFamily::kTombstones, "", "", [&](std::string_view uid, std::string_view) {
        input.tombstones.emplace(uid);
        return true;
      }));
  return database.Scan(ColumnFamily::kMeta, kMetaStreamPrefix, EndOfPrefix(kMetaStreamPrefix),
                       [&](std::string_view key, std::string_view) -> absl::StatusOr<bool> {
                         LOGBOOK_ASSIGN_OR_RETURN(const StreamId stream,
                                                  ParseStreamRowKey(kMetaStreamPrefix, key));
                         input.streams.insert(stream);
                         return true;
                       });
}

absl::Status PutEverything(const Journal& journal, const ViewStatePtr& state, RowSeries& rows) {
  CheckpointInput all;
  all.state = state;
  LOGBOOK_RETURN_IF_ERROR(AddEverything(journal.database(), all));
  return PutChanged(all, journal, rows);
}

}  // namespace

absl::Status WriteCheckpoint(Journal& journal, const CheckpointInput& input) {
  const ViewState& state = *input.state;
  LOGBOOK_CHECK(state.seq <= journal.last());
  LOGBOOK_ASSIGN_OR_RETURN(const EventSeq before, ReadStateSeq(journal.database()));
  LOGBOOK_CHECK(before <= state.seq);
  RowSeries rows(journal);
  LOGBOOK_RETURN_IF_ERROR(input.everything ? PutEverything(journal, input.state, rows)
                                           : PutChanged(input, journal, rows));
  LOGBOOK_RETURN_IF_ERROR(
      PutHistory(journal, std::max(before.Next(), journal.oldest()), state.seq, rows));
  LOGBOOK_RETURN_IF_ERROR(rows.WriteOut());
  // Alone, and last: all rows are there once it is.
  RowBatch last(journal.database());
  last.Put(ColumnFamily::kMeta, kMetaBuild, EncodeBuildRow(state.build, state.run));
  last.Put(ColumnFamily::kMeta, kMetaStateSeq, EncodeNumber(state.seq.value));
  return journal.WriteDerived(last);
}

absl::StatusOr<EventSeq> ReadStateSeq(const Database& database) {
  const absl::StatusOr<std::string> row = database.Get(ColumnFamily::kMeta, kMetaStateSeq);
  if (absl::IsNotFound(row.status())) {
    return EventSeq(0);
  }
  LOGBOOK_RETURN_IF_ERROR(row.status());
  LOGBOOK_ASSIGN_OR_RETURN(const uint64_t seq, DecodeNumber(*row));
  return EventSeq(seq);
}

}  // namespace logbook::store
