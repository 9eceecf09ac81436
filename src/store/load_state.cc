// The reading half of checkpoint.h.
#include "logbook/store/base.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/load_rows.h"

namespace logbook::store {
namespace {

// Rows of `family` that begin with `prefix`, each handed to put(key, value) -> absl::Status.
template <typename Put>
absl::Status ForEachRow(const Database& database, ColumnFamily family, std::string_view prefix,
                        Put put) {
  return database.Scan(family, prefix, EndOfPrefix(prefix),
                       [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
                         LOGBOOK_RETURN_IF_ERROR(NamingRow(put(key, value), database, family, key));
                         return true;
                       });
}

absl::Status LoadStreams(const Database& database, ViewState& state) {
  return ForEachRow(database, ColumnFamily::kMeta, kMetaStreamPrefix,
                    [&](std::string_view key, std::string_view value) -> absl::Status {
                      LOGBOOK_ASSIGN_OR_RETURN(const StreamId stream,
                                               ParseStreamRowKey(kMetaStreamPrefix, key));
                      return LoadStreamRow(stream, value, state);
                    });
}

}  // namespace

absl::StatusOr<ViewState> LoadState(const Journal& journal) {
  const Database& database = journal.database();
  ViewState state;
  LOGBOOK_ASSIGN_OR_RETURN(state.seq, ReadStateSeq(database));
  if (state.seq < journal.watermark().seq) {
    return LoadBase(journal);  // the checkpoint was cut off, with a damaged tail
  }
  BodyReader bodies(database, journal.dictionaries());
  LOGBOOK_RETURN_IF_ERROR(ForEachRow(database, ColumnFamily::kState, kStateObjectPrefix,
                                     [&](std::string_view key, std::string_view value) {
                                       return LoadObjectRow(key, value, bodies, state);
                                     }));
  LOGBOOK_RETURN_IF_ERROR(ForEachRow(
      database, ColumnFamily::kState, kStateKeyPrefix,
      [&](std::string_view key, std::string_view value) { return LoadKeyRow(key, value, state); }));
  LOGBOOK_RETURN_IF_ERROR(ForEachRow(database, ColumnFamily::kTombstones, "",
                                     [&](std::string_view key, std::string_view value) {
                                       return LoadTombstoneRow(std::string(key), value, state);
                                     }));
  LOGBOOK_RETURN_IF_ERROR(LoadStreams(database, state));
  LOGBOOK_RETURN_IF_ERROR(ForEachRow(
      database, ColumnFamily::kMeta, kMetaBuild,
      [&](std::string_view, std::string_view value) { return LoadBuildRow(value, state); }));
  return state;
}

}  // namespace logbook::store
