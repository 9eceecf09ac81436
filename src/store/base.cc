#include "logbook/store/base.h"

#include "logbook/store/key_codec.h"
#include "logbook/store/load_rows.h"
#include "logbook/store/tail.h"

namespace logbook::store {
namespace {

// Rows that hold at state.seq, each handed to put(row, value, state) -> absl::Status.
template <typename Put>
absl::Status Load(const Database& database, std::string_view prefix, ViewState& state, Put put) {
  return ScanBase(database, prefix, state.seq,
                  [&](std::string_view row, std::string_view value) -> absl::StatusOr<bool> {
                    LOGBOOK_RETURN_IF_ERROR(
                        NamingRow(put(row, value, state), database, ColumnFamily::kBase, row));
                    return true;
                  });
}

absl::Status LoadObjects(const Journal& journal, std::string_view prefix, ViewState& state) {
  BodyReader bodies(journal.database(), journal.dictionaries());
  return Load(journal.database(), prefix, state,
              [&](std::string_view row, std::string_view value, ViewState& into) {
                return LoadObjectRow(row, value, bodies, into);
              });
}

absl::Status LoadTombstone(std::string_view row, std::string_view value, ViewState& state) {
  LOGBOOK_ASSIGN_OR_RETURN(std::string uid, ParseBaseTombstoneKey(row));
  return LoadTombstoneRow(std::move(uid), value, state);
}

absl::Status LoadStream(std::string_view row, std::string_view value, ViewState& state) {
  LOGBOOK_ASSIGN_OR_RETURN(const StreamId stream, ParseStreamRowKey(kBaseStreamPrefix, row));
  return LoadStreamRow(stream, value, state);
}

absl::Status LoadBuild(std::string_view, std::string_view value, ViewState& state) {
  return LoadBuildRow(value, state);
}

// Tombstones, streams and build: they are few.
absl::Status LoadRest(const Database& database, ViewState& state) {
  LOGBOOK_RETURN_IF_ERROR(Load(database, kBaseTombstonePrefix, state, LoadTombstone));
  LOGBOOK_RETURN_IF_ERROR(Load(database, kBaseStreamPrefix, state, LoadStream));
  return Load(database, kBaseBuildPrefix, state, LoadBuild);
}

}  // namespace

absl::Status ScanBase(const Database& database, std::string_view prefix, EventSeq watermark,
                      RowVisitor visit) {
  std::string row;  // the newest version of it so far; versions come in order
  std::string value;
  const absl::Status read =
      database.Scan(ColumnFamily::kBase, prefix, EndOfPrefix(prefix),
                    [&](std::string_view key, std::string_view found) -> absl::StatusOr<bool> {
                      LOGBOOK_ASSIGN_OR_RETURN(const BaseRow version, ParseBaseRowKey(key));
                      if (version.watermark > watermark) {
                        return true;
                      }
                      if (!row.empty() && row != version.row) {
                        LOGBOOK_RETURN_IF_ERROR(visit(row, value).status());
                      }
                      row = version.row;
                      value = found;
                      return true;
                    });
  LOGBOOK_RETURN_IF_ERROR(read);
  return row.empty() ? absl::OkStatus() : visit(row, value).status();
}

absl::StatusOr<ViewState> LoadBase(const Journal& journal) {
  const Database& database = journal.database();
  while (true) {  // once more if it was moved meanwhile, as the database says
    ViewState state;
    LOGBOOK_ASSIGN_OR_RETURN(const Position before, ReadWatermark(database));
    state.seq = before.seq;
    LOGBOOK_RETURN_IF_ERROR(LoadObjects(journal, kStateObjectPrefix, state));
    LOGBOOK_RETURN_IF_ERROR(Load(database, kStateKeyPrefix, state, LoadKeyRow));
    LOGBOOK_RETURN_IF_ERROR(LoadRest(database, state));
    LOGBOOK_ASSIGN_OR_RETURN(const Position after, ReadWatermark(database));
    if (after.seq == state.seq) {
      return state;
    }
  }
}

absl::StatusOr<ViewState> LoadBaseRows(const Journal& journal, const RowNames& names) {
  const Database& database = journal.database();
  ViewState state;
  state.seq = journal.watermark().seq;
  std::set<std::string> objects = names.objects;
  for (const std::string& path : names.keys) {
    LOGBOOK_RETURN_IF_ERROR(Load(database, KeyRowKey(KeyFromPath(path)), state, LoadKeyRow));
    if (const KeyStatePtr* key = state.keys.Find(path); key != nullptr) {
      objects.insert(ObjectPath((*key)->resource, KeyFromPath(path).object));
    }
  }
  for (const std::string& path : objects) {
    const ObjectRef ref = RefFromPath(path);
    LOGBOOK_RETURN_IF_ERROR(LoadObjects(journal, ObjectRowKey(ref.resource, ref.key), state));
  }
  LOGBOOK_RETURN_IF_ERROR(LoadRest(database, state));
  return state;
}

}  // namespace logbook::store
