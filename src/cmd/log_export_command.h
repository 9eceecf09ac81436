// logbook log export, import, backup, restore: a journal goes elsewhere and comes back.
#ifndef LOGBOOK_CMD_LOG_EXPORT_COMMAND_H_
#define LOGBOOK_CMD_LOG_EXPORT_COMMAND_H_

#include <memory>

#include <CLI/CLI.hpp>

#include "logbook/base/log.h"

namespace logbook::cmd {

// `sink` takes what the store logs; `exit_code` is set when one of the commands has run.
void AddLogExportCommands(CLI::App& log, const std::shared_ptr<LogSink>& sink, int& exit_code);

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_LOG_EXPORT_COMMAND_H_
