// `logbook log`: care for a store: init, info, verify, tail, and what the other
// log_*_command.h add.
#ifndef LOGBOOK_CMD_LOG_COMMAND_H_
#define LOGBOOK_CMD_LOG_COMMAND_H_

#include <CLI/CLI.hpp>

namespace logbook::cmd {

// Adds the subcommand; when it has run, `exit_code` says how it went.
void AddLogCommand(CLI::App& app, int& exit_code);

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_LOG_COMMAND_H_
