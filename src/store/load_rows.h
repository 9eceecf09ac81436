// Rows of a view as they are read back, from a state checkpoint or from the base: each function
// puts one into `state`. Private to this folder.
//
// Errors:   kDataLoss without naming the row, which the caller knows.
#ifndef LOGBOOK_STORE_LOAD_ROWS_H_
#define LOGBOOK_STORE_LOAD_ROWS_H_

#include <string>
#include <string_view>

#include "logbook/base/status.h"
#include "logbook/model/body_codec.h"
#include "logbook/model/view_state.h"
#include "logbook/store/database.h"

namespace logbook::store {

// `row` is a key of the family state.
absl::Status LoadObjectRow(std::string_view row, std::string_view value, BodyDecoder& bodies,
                           ViewState& state);
absl::Status LoadKeyRow(std::string_view row, std::string_view value, ViewState& state);

absl::Status LoadTombstoneRow(std::string uid, std::string_view value, ViewState& state);
absl::Status LoadStreamRow(StreamId stream, std::string_view value, ViewState& state);
absl::Status LoadBuildRow(std::string_view value, ViewState& state);

// `status` of a row of `family`, naming it.
absl::Status NamingRow(const absl::Status& status, const Database& database, ColumnFamily family,
                       std::string_view row);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_LOAD_ROWS_H_
