#include "report.h"

#include <iostream>

#include "exit_code.h"

#include "logbook/base/json.h"

namespace logbook::cmd {

int Report(const absl::Status& status, std::string_view output) {
  if (status.ok()) {
    return kExitFine;
  }
  if (output == "json") {
    std::cout << DumpJson({{"ok", false},
                           {"code", absl::StatusCodeToString(status.code())},
                           {"error", std::string(status.message())}})
              << "\n";
  }
  std::cerr << "logbook: " << status.message() << "\n";
  return kExitError;
}

}  // namespace logbook::cmd
