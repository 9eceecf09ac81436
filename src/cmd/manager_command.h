// `logbook manager`: the operator.
#ifndef LOGBOOK_CMD_MANAGER_COMMAND_H_
#define LOGBOOK_CMD_MANAGER_COMMAND_H_

#include <CLI/CLI.hpp>

namespace logbook::cmd {

// Adds the subcommand; when it has run, `exit_code` says how it went.
void AddManagerCommand(CLI::App& app, int& exit_code);

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_MANAGER_COMMAND_H_
