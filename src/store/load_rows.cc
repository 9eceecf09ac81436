#include "logbook/store/load_rows.h"

#include <memory>
#include <utility>

#include "absl/strings/escaping.h"

#include "logbook/store/key_codec.h"
#include "logbook/store/state_rows.h"

namespace logbook::store {

absl::Status LoadObjectRow(std::string_view row, std::string_view value, BodyDecoder& bodies,
                           ViewState& state) {
  LOGBOOK_ASSIGN_OR_RETURN(const ObjectRef ref, ParseObjectRowKey(row));
  LOGBOOK_ASSIGN_OR_RETURN(ObjectEntry entry, DecodeObjectRow(value, &bodies));
  state.PutObject(ref.resource, std::move(entry));
  return absl::OkStatus();
}

absl::Status LoadKeyRow(std::string_view row, std::string_view value, ViewState& state) {
  LOGBOOK_ASSIGN_OR_RETURN(const ControllerKey key, ParseKeyRowKey(row));
  LOGBOOK_ASSIGN_OR_RETURN(KeyState loaded, DecodeKeyRow(value));
  state.keys.Set(KeyPath(key), std::make_shared<const KeyState>(std::move(loaded)));
  return absl::OkStatus();
}

absl::Status LoadTombstoneRow(std::string uid, std::string_view value, ViewState& state) {
  LOGBOOK_ASSIGN_OR_RETURN(Tombstone loaded, DecodeTombstoneRow(value));
  state.tombstones.Set(std::move(uid), std::move(loaded));
  return absl::OkStatus();
}

absl::Status LoadStreamRow(StreamId stream, std::string_view value, ViewState& state) {
  LOGBOOK_ASSIGN_OR_RETURN(StreamState loaded, DecodeStreamRow(value));
  state.streams.Set(stream, std::move(loaded));
  return absl::OkStatus();
}

absl::Status LoadBuildRow(std::string_view value, ViewState& state) {
  LOGBOOK_ASSIGN_OR_RETURN(BuildOfRun loaded, DecodeBuildRow(value));
  state.build = std::move(loaded.build);
  state.run = loaded.run;
  return absl::OkStatus();
}

absl::Status NamingRow(const absl::Status& status, const Database& database, ColumnFamily family,
                       std::string_view row) {
  return WithContext(status, Concat("store ", database.directory(), ": row ",
                                    ToStd(absl::CEscape(ToAbsl(row))), " of ", NameOf(family)));
}

}  // namespace logbook::store
