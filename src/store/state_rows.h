// Rows of a state checkpoint: one table entry of a ViewState each, with the seq of the event that
// last changed it. The messages are in proto/logbook/v1/record.proto.
//
// Errors:   decoding gives kDataLoss without naming the row, which the caller knows.
#ifndef LOGBOOK_STORE_STATE_ROWS_H_
#define LOGBOOK_STORE_STATE_ROWS_H_

#include <string>
#include <string_view>

#include "logbook/base/status.h"
#include "logbook/model/key_state.h"
#include "logbook/model/view_state.h"
#include "logbook/store/body_codec.h"

namespace logbook::store {

// `bodies` compresses the object, and reads one that is compressed; null where none is.
std::string EncodeObjectRow(const ObjectEntry& entry, BodyCompressor* bodies = nullptr);
absl::StatusOr<ObjectEntry> DecodeObjectRow(std::string_view row, BodyDecoder* bodies = nullptr);

std::string EncodeKeyRow(const KeyState& state);
absl::StatusOr<KeyState> DecodeKeyRow(std::string_view row);

std::string EncodeTombstoneRow(const Tombstone& tombstone);
absl::StatusOr<Tombstone> DecodeTombstoneRow(std::string_view row);

std::string EncodeStreamRow(const StreamState& stream);
absl::StatusOr<StreamState> DecodeStreamRow(std::string_view row);

struct BuildOfRun {
  BuildStarted build;
  RunId run;
};

std::string EncodeBuildRow(const BuildStarted& build, RunId run);
absl::StatusOr<BuildOfRun> DecodeBuildRow(std::string_view row);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_STATE_ROWS_H_
