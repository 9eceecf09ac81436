#include "log_care_command.h"

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "exit_code.h"
#include "report.h"
#include "retention_flags.h"

#include "logbook/base/clock.h"
#include "logbook/reconcile/compact.h"
#include "logbook/store/inspect.h"

namespace logbook::cmd {
namespace {

struct CareFlags {
  std::string directory;
  reconcile::RetentionPolicy retention;
  uint64_t before = 0;
  store::Hold hold;
  uint64_t from = 0;
};

std::string User() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before the first thread
  const char* user = std::getenv("USER");
  return user == nullptr ? "unknown" : user;
}

absl::Status Compact(const CareFlags& flags, const Logger& log) {
  LOGBOOK_ASSIGN_OR_RETURN(
      const reconcile::TrimReport report,
      reconcile::CompactStore(
          {.directory = flags.directory,
           .retention = flags.retention,
           .before = flags.before == 0 ? std::nullopt : std::optional(EventSeq(flags.before)),
           .logger = log},
          SystemClock()));
  std::cout << report.events << " events trimmed, " << report.kept
            << " of them kept; the oldest is event " << report.watermark.value + 1 << "\n";
  if (!report.held_by.empty()) {
    std::cout << "held by " << report.held_by << "\n";
  }
  return absl::OkStatus();
}

// Holds are few, so a store is opened and closed for each.
absl::Status ChangeStore(const CareFlags& flags, const Logger& log,
                         const std::function<absl::Status(store::Journal&)>& change) {
  LOGBOOK_ASSIGN_OR_RETURN(
      const std::unique_ptr<store::Journal> journal,
      store::Journal::Open({.directory = flags.directory, .identity = {}, .logger = log}));
  LOGBOOK_RETURN_IF_ERROR(change(*journal));
  return journal->Close();
}

absl::Status AddHold(const CareFlags& flags, const Logger& log) {
  return ChangeStore(flags, log, [&](store::Journal& journal) {
    store::Hold hold = flags.hold;
    hold.from = flags.from == 0 ? journal.oldest() : EventSeq(flags.from);
    hold.who = User();
    hold.at = SystemClock().Now();
    return store::PutHold(journal, hold);
  });
}

absl::Status RemoveHold(const CareFlags& flags, const Logger& log) {
  return ChangeStore(flags, log, [&](store::Journal& journal) {
    return store::RemoveHold(journal, flags.hold.name);
  });
}

absl::Status ListHolds(const CareFlags& flags, const Logger& log) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, store::OpenOffline(flags.directory, log));
  LOGBOOK_ASSIGN_OR_RETURN(const std::vector<store::Hold> holds, store::ReadHolds(*journal));
  std::cout << DumpJson(HoldsAsJson(holds)) << "\n";
  return absl::OkStatus();
}

using Action = absl::Status (*)(const CareFlags&, const Logger&);

}  // namespace

Json HoldsAsJson(const std::vector<store::Hold>& holds) {
  Json list = Json::array();
  for (const store::Hold& hold : holds) {
    list.push_back({{"name", hold.name},
                    {"from", hold.from.value},
                    {"who", hold.who},
                    {"why", hold.why},
                    {"at", absl::FormatTime(hold.at, absl::UTCTimeZone())}});
  }
  return list;
}

void AddLogCareCommands(CLI::App& log, const std::shared_ptr<LogSink>& sink, int& exit_code) {
  auto flags = std::make_shared<CareFlags>();
  const auto add = [&](CLI::App& parent, const std::string& name, const std::string& help,
                       Action action) {
    CLI::App* command = parent.add_subcommand(name, help);
    command->add_option("DIR", flags->directory, "Directory of the store")->required();
    command->callback([=, &exit_code] { exit_code = Report(action(*flags, Logger(sink.get()))); });
    return command;
  };
  CLI::App* compact = add(log, "compact", "Trim old events and give back their space", Compact);
  compact->add_option("--before", flags->before,
                      "Trim the events before this seq, whatever their age");
  AddRetentionFlags(*compact, flags->retention);
  CLI::App* hold = log.add_subcommand("hold", "Keep events, whatever retention says");
  hold->require_subcommand(1);
  CLI::App* put = add(*hold, "add", "Keep the events from a seq on", AddHold);
  CLI::App* remove = add(*hold, "remove", "End a hold", RemoveHold);
  for (CLI::App* command : {put, remove}) {
    command->add_option("NAME", flags->hold.name, "Name of the hold")->required();
  }
  put->add_option("--from", flags->from, "First event that is kept; default: the oldest");
  put->add_option("--why", flags->hold.why, "Reason, recorded")->required();
  add(*hold, "list", "Print the holds", ListHolds);
}

}  // namespace logbook::cmd
