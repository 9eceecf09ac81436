#include "logbook/store/position.h"

#include <string_view>

#include "logbook/store/posix_file.h"
#include "logbook/store/text_fields.h"

namespace logbook::store {
namespace {

std::string PathOf(const std::string& directory) {
  return directory + "/SYNCED";
}

absl::StatusOr<Position> ParsePosition(std::string_view text) {
  Position position;
  LOGBOOK_ASSIGN_OR_RETURN(const TextFields fields, TextFields::Parse(text));
  LOGBOOK_ASSIGN_OR_RETURN(position.seq.value, fields.Number("seq"));
  LOGBOOK_ASSIGN_OR_RETURN(position.run.value, fields.Number("run"));
  LOGBOOK_ASSIGN_OR_RETURN(const std::string chain, fields.Text("chain"));
  LOGBOOK_ASSIGN_OR_RETURN(position.chain, ChainFromHex(chain));
  return position;
}

}  // namespace

absl::StatusOr<std::optional<Position>> ReadSynced(const std::string& directory) {
  const absl::StatusOr<std::string> text = ReadFile(PathOf(directory));
  if (absl::IsNotFound(text.status())) {
    return std::nullopt;
  }
  LOGBOOK_RETURN_IF_ERROR(text.status());
  const absl::StatusOr<Position> position = ParsePosition(*text);
  if (!position.ok()) {
    return DataLoss(
        PathOf(directory), " is damaged (", position.status().message(),
        "): restore the whole store from a copy; without one, remove the file, and logbook "
        "log verify can say everything but what had been synced");
  }
  return *position;
}

absl::Status WriteSynced(const std::string& directory, const Position& position) {
  return ReplaceFile(PathOf(directory), Concat(TextField("seq", Concat(position.seq.value)),
                                               TextField("run", Concat(position.run.value)),
                                               TextField("chain", ToHex(position.chain))));
}

}  // namespace logbook::store
