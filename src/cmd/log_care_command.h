// logbook log compact, hold: what changes a journal that nobody uses.
#ifndef LOGBOOK_CMD_LOG_CARE_COMMAND_H_
#define LOGBOOK_CMD_LOG_CARE_COMMAND_H_

#include <memory>
#include <vector>

#include <CLI/CLI.hpp>

#include "logbook/base/json.h"
#include "logbook/base/log.h"
#include "logbook/store/holds.h"

namespace logbook::cmd {

// `sink` takes what the store logs; `exit_code` is set when one of the commands has run.
void AddLogCareCommands(CLI::App& log, const std::shared_ptr<LogSink>& sink, int& exit_code);

Json HoldsAsJson(const std::vector<store::Hold>& holds);

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_LOG_CARE_COMMAND_H_
