// Small text files of "name: value" lines, as FORMAT and SYNCED are: readable by people, and by
// builds that do not know all of the names.
#ifndef LOGBOOK_STORE_TEXT_FIELDS_H_
#define LOGBOOK_STORE_TEXT_FIELDS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "logbook/base/status.h"

namespace logbook::store {

class TextFields {
 public:
  // Errors: kDataLoss naming the line that is not "name: value".
  static absl::StatusOr<TextFields> Parse(std::string_view text);

  // The value of `name`. Errors: kDataLoss if it is missing.
  absl::StatusOr<std::string> Text(const std::string& name) const;
  absl::StatusOr<uint64_t> Number(const std::string& name) const;

 private:
  std::map<std::string, std::string> fields_;
};

// One line.
std::string TextField(std::string_view name, std::string_view value);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_TEXT_FIELDS_H_
