#include "logbook/store/text_fields.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace logbook::store {

absl::StatusOr<TextFields> TextFields::Parse(std::string_view text) {
  TextFields fields;
  int line_number = 0;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(ToAbsl(text), '\n'))) {
    ++line_number;
    if (line.empty()) {
      continue;
    }
    const size_t colon = line.find(": ");
    if (colon == 0 || colon == std::string::npos) {
      return DataLoss("line ", line_number, " is not \"name: value\"");
    }
    fields.fields_[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return fields;
}

absl::StatusOr<std::string> TextFields::Text(const std::string& name) const {
  const auto found = fields_.find(name);
  if (found == fields_.end()) {
    return DataLoss("no line \"", name, "\"");
  }
  return found->second;
}

absl::StatusOr<uint64_t> TextFields::Number(const std::string& name) const {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string text, Text(name));
  uint64_t number = 0;
  if (!absl::SimpleAtoi(text, &number)) {
    return DataLoss("\"", text, "\" in line \"", name, "\" is not a number");
  }
  return number;
}

std::string TextField(std::string_view name, std::string_view value) {
  return Concat(name, ": ", value, "\n");
}

}  // namespace logbook::store
