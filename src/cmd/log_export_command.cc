#include "log_export_command.h"

#include <iostream>
#include <string>

#include "report.h"

#include "logbook/base/clock.h"
#include "logbook/store/backup.h"
#include "logbook/store/journal.h"
#include "logbook/store/restore.h"

namespace logbook::cmd {
namespace {

struct ExportFlags {
  std::string from;
  std::string to;
};

absl::Status Backup(const ExportFlags& flags, const Logger& log) {
  LOGBOOK_ASSIGN_OR_RETURN(
      const std::unique_ptr<store::Journal> journal,
      store::Journal::Open({.directory = flags.from, .identity = {}, .logger = log}));
  LOGBOOK_ASSIGN_OR_RETURN(const store::BackupReport report,
                           store::Backup(*journal, flags.to, log));
  std::cout << "backup of store " << journal->format().uuid << " up to event "
            << report.position.seq.value << " in " << flags.to << ", verified\n";
  return journal->Close();
}

absl::Status Restore(const ExportFlags& flags, const Logger& log) {
  LOGBOOK_ASSIGN_OR_RETURN(const store::RestoreReport report,
                           store::Restore(flags.from, flags.to, SystemClock(), log));
  std::cout << "store " << report.format.uuid << " in " << flags.to << ", restored from store "
            << report.format.restored->uuid << " up to event " << report.last.value << "\n";
  return absl::OkStatus();
}

}  // namespace

void AddLogExportCommands(CLI::App& log, const std::shared_ptr<LogSink>& sink, int& exit_code) {
  auto flags = std::make_shared<ExportFlags>();
  const auto add = [&](const std::string& name, const std::string& help, const std::string& from,
                       const std::string& to, auto action) {
    CLI::App* command = log.add_subcommand(name, help);
    command->add_option(from, flags->from, "What to read")->required();
    command->add_option(to, flags->to, "What to make; must not be there yet")->required();
    command->callback([=, &exit_code] { exit_code = Report(action(*flags, Logger(sink.get()))); });
  };
  add("backup", "Copy the store and verify the copy", "DIR", "TARGET", Backup);
  add("restore", "Make a store of a backup", "BACKUP", "DIR", Restore);
}

}  // namespace logbook::cmd
