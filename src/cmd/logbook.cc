// The logbook program: options in, objects built, exit codes out.
//
// Exit codes: 0 fine, 1 error, 2 usage, 3 finding.
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "exit_code.h"
#include "log_command.h"
#include "manager_command.h"
#include "version.h"
#include <CLI/CLI.hpp>

namespace {

int Run(int argc, char** argv) {
  CLI::App app("logbook: an event-sourced Kubernetes operator runtime");
  app.require_subcommand(1);
  int exit_code = logbook::cmd::kExitFine;
  logbook::cmd::AddManagerCommand(app, exit_code);
  logbook::cmd::AddLogCommand(app, exit_code);
  app.add_subcommand("version", "Print the version and those of what it is made of")->callback([] {
    std::cout << logbook::cmd::VersionText();
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = app.exit(error) == 0;
    return asked_for_help ? logbook::cmd::kExitFine : logbook::cmd::kExitUsage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {  // of a library: nothing of ours throws
    std::fprintf(stderr, "logbook: %s\n", error.what());
    return logbook::cmd::kExitError;
  }
}
