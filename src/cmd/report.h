// How a command ends.
#ifndef LOGBOOK_CMD_REPORT_H_
#define LOGBOOK_CMD_REPORT_H_

#include <string_view>

#include "logbook/base/status.h"

namespace logbook::cmd {

// Says on standard error what went wrong, if anything, and gives the exit code for it. With
// `output` "json", whoever reads standard output finds it there too.
int Report(const absl::Status& status, std::string_view output = "table");

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_REPORT_H_
