// The reading half of checkpoint.h.
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"

#include "logbook/store/checkpoint.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/state_rows.h"

namespace logbook::store {
namespace {

// Rows of `family` that begin with `prefix`, each handed to put(key, value) -> absl::Status.
template <typename Put>
absl::Status ForEachRow(const Database& database, ColumnFamily family, std::string_view prefix,
                        Put put) {
  return database.Scan(family, prefix, EndOfPrefix(prefix),
                       [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
                         const absl::Status status = put(key, value);
                         if (!status.ok()) {
                           return WithContext(
                               status,
                               Concat("store ", database.directory(), ": row ",
                                      ToStd(absl::CEscape(ToAbsl(key))), " of ", NameOf(family)));
                         }
                         return true;
                       });
}

absl::Status LoadObjects(const Journal& journal, ViewState& state) {
  const Database& database = journal.database();
  BodyReader bodies(database, journal.dictionaries());
  return ForEachRow(database, ColumnFamily::kState, kStateObjectPrefix,
                    [&](std::string_view key, std::string_view value) -> absl::Status {
                      LOGBOOK_ASSIGN_OR_RETURN(const ObjectRef ref, ParseObjectRowKey(key));
                      LOGBOOK_ASSIGN_OR_RETURN(ObjectEntry entry, DecodeObjectRow(value, &bodies));
                      state.PutObject(ref.resource, std::move(entry));
                      return absl::OkStatus();
                    });
}

absl::Status LoadKeys(const Database& database, ViewState& state) {
  return ForEachRow(database, ColumnFamily::kState, kStateKeyPrefix,
                    [&](std::string_view key, std::string_view value) -> absl::Status {
                      LOGBOOK_ASSIGN_OR_RETURN(const ControllerKey of, ParseKeyRowKey(key));
                      LOGBOOK_ASSIGN_OR_RETURN(KeyState loaded, DecodeKeyRow(value));
                      state.keys.Set(KeyPath(of),
                                     std::make_shared<const KeyState>(std::move(loaded)));
                      return absl::OkStatus();
                    });
}

absl::Status LoadTombstones(const Database& database, ViewState& state) {
  return ForEachRow(database, ColumnFamily::kTombstones, "",
                    [&](std::string_view key, std::string_view value) -> absl::Status {
                      LOGBOOK_ASSIGN_OR_RETURN(Tombstone loaded, DecodeTombstoneRow(value));
                      state.tombstones.Set(std::string(key), std::move(loaded));
                      return absl::OkStatus();
                    });
}

absl::Status LoadStreams(const Database& database, ViewState& state) {
  return ForEachRow(database, ColumnFamily::kMeta, kMetaStreamPrefix,
                    [&](std::string_view key, std::string_view value) -> absl::Status {
                      LOGBOOK_ASSIGN_OR_RETURN(const StreamId stream,
                                               ParseStreamRowKey(kMetaStreamPrefix, key));
                      LOGBOOK_ASSIGN_OR_RETURN(StreamState loaded, DecodeStreamRow(value));
                      state.streams.Set(stream, std::move(loaded));
                      return absl::OkStatus();
                    });
}

absl::Status LoadBuild(const Database& database, ViewState& state) {
  return ForEachRow(database, ColumnFamily::kMeta, kMetaBuild,
                    [&](std::string_view, std::string_view value) -> absl::Status {
                      LOGBOOK_ASSIGN_OR_RETURN(BuildOfRun loaded, DecodeBuildRow(value));
                      state.build = std::move(loaded.build);
                      state.run = loaded.run;
                      return absl::OkStatus();
                    });
}

}  // namespace

absl::StatusOr<ViewState> LoadState(const Journal& journal) {
  const Database& database = journal.database();
  ViewState state;
  LOGBOOK_ASSIGN_OR_RETURN(state.seq, ReadStateSeq(database));
  LOGBOOK_RETURN_IF_ERROR(LoadObjects(journal, state));
  LOGBOOK_RETURN_IF_ERROR(LoadKeys(database, state));
  LOGBOOK_RETURN_IF_ERROR(LoadTombstones(database, state));
  LOGBOOK_RETURN_IF_ERROR(LoadStreams(database, state));
  LOGBOOK_RETURN_IF_ERROR(LoadBuild(database, state));
  return state;
}

}  // namespace logbook::store
