#include "log_export_command.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "report.h"
#include "version.h"

#include "logbook/base/clock.h"
#include "logbook/reconcile/export_store.h"
#include "logbook/reconcile/import_store.h"
#include "logbook/store/backup.h"
#include "logbook/store/inspect.h"
#include "logbook/store/restore.h"

namespace logbook::cmd {
namespace {

struct ExportFlags {
  std::string from;
  std::string to;
  reconcile::ExportOptions options{
      .since = {}, .not_before = {}, .object = {}, .version = Version()};
};

// False if `text` cannot be understood.
bool ParseSince(const std::string& text, reconcile::ExportOptions& options) {
  EventSeq seq;
  absl::Duration age;
  if (absl::SimpleAtoi(text, &seq.value)) {
    options.since = seq;
    return true;
  }
  if (!absl::ParseDuration(text, &age) || age < absl::ZeroDuration()) {
    return false;
  }
  options.not_before = SystemClock().Now() - age;
  return true;
}

bool ParseObject(const std::string& text, reconcile::ExportOptions& options) {
  const std::vector<std::string> parts = absl::StrSplit(text, '/');
  if (parts.size() != 3 || parts[0].empty() || parts[2].empty()) {
    return false;
  }
  options.object =
      ObjectRef{.resource = parts[0], .key = {.ns = parts[1], .name = parts[2]}, .uid = {}};
  return true;
}

absl::Status Export(const ExportFlags& flags, const Logger& log) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, store::OpenOffline(flags.from, log));
  LOGBOOK_ASSIGN_OR_RETURN(const reconcile::ExportReport report,
                           reconcile::ExportStore(*journal, flags.to, flags.options));
  std::cout << report.events << " events, from " << report.first.value << " to "
            << report.last.value << ", on a base of " << report.objects
            << " objects: " << report.bytes << " bytes in " << flags.to << "\n";
  return absl::OkStatus();
}

absl::Status Import(const ExportFlags& flags, const Logger& log) {
  LOGBOOK_ASSIGN_OR_RETURN(
      const reconcile::ImportReport report,
      reconcile::ImportStore({.file = flags.from, .directory = flags.to, .logger = log},
                             SystemClock()));
  std::cout << "events " << report.first.value << " to " << report.last.value << " in " << flags.to
            << ", store " << report.uuid << " of operator \"" << report.operator_name << "\"\n";
  return absl::OkStatus();
}

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
    return command;
  };
  CLI::App* out =
      add("export", "Write the journal, or a slice of it, to one file", "DIR", "FILE", Export);
  const auto option = [&](const std::string& name, auto parse, const std::string& advice,
                          const std::string& help) {
    const auto take = [=](const std::string& text) {
      if (!parse(text, flags->options)) {
        throw CLI::ValidationError(name, advice + ", not " + text);
      }
    };
    out->add_option_function<std::string>(name, take, help);
  };
  option("--since", ParseSince, "use a seq such as 4711, or a time such as 2h",
         "First event that must be in it, or how far to look back, such as 2h");
  option("--object", ParseObject, "use a name such as deployments.apps/shop/web, or nodes//a",
         "Only what is about RESOURCE/NAMESPACE/NAME and what came of it");
  add("import", "Make a store for offline work of an export", "FILE", "DIR", Import);
  add("backup", "Copy the store and verify the copy", "DIR", "TARGET", Backup);
  add("restore", "Make a store of a backup", "BACKUP", "DIR", Restore);
}

}  // namespace logbook::cmd
