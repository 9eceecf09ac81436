#include "log_command.h"

#include <iostream>
#include <limits>
#include <memory>
#include <string>

#include "event_text.h"
#include "exit_code.h"
#include "log_care_command.h"
#include "log_export_command.h"
#include "report.h"

#include "logbook/base/log.h"
#include "logbook/store/inspect.h"
#include "logbook/store/verify.h"

namespace logbook::cmd {
namespace {

struct LogFlags {
  std::string directory;
  std::string output = "table";
  std::string cluster;
  std::string operator_name = "simpleapp-operator";
  uint64_t last = 20;
};

absl::Status Init(const LogFlags& flags, const Logger& log) {
  LOGBOOK_RETURN_IF_ERROR(store::InitStore(
      flags.directory, {.cluster_uid = flags.cluster, .operator_name = flags.operator_name}, log));
  std::cout << "empty store in " << flags.directory << "\n";
  return absl::OkStatus();
}

Json InfoAsJson(const store::StoreInfo& info) {
  Json bookmarks = Json::object();
  for (const auto& [stream, bookmark] : info.bookmarks) {
    bookmarks[std::to_string(stream.value)] = bookmark.resource_version;
  }
  return {{"directory", info.directory},
          {"store", info.format.uuid},
          {"cluster", info.format.identity.cluster_uid},
          {"operator", info.format.identity.operator_name},
          {"runs", info.run.value},
          {"events", info.position.seq.value},
          {"watermark", info.watermark.seq.value},
          {"kept", info.kept.records},
          {"holds", HoldsAsJson(info.holds)},
          {"synced", info.synced.seq.value},
          {"chain", ToHex(info.position.chain)},
          {"checkpoint", info.state_seq.value},
          {"bookmarks", bookmarks},
          {"diskBytes", info.disk_bytes}};
}

absl::Status Info(const LogFlags& flags, const Logger& log) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, store::OpenOffline(flags.directory, log));
  LOGBOOK_ASSIGN_OR_RETURN(const store::StoreInfo info, store::ReadInfo(*journal));
  const Json json = InfoAsJson(info);
  if (flags.output == "json") {
    std::cout << DumpJson(json) << "\n";
    return absl::OkStatus();
  }
  for (const auto& [key, value] : json.items()) {
    std::cout << key << std::string(12 - key.size(), ' ')
              << (value.is_string() ? value.get<std::string>() : DumpJson(value)) << "\n";
  }
  return absl::OkStatus();
}

absl::Status Tail(const LogFlags& flags, const Logger& log) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, store::OpenOffline(flags.directory, log));
  const uint64_t last = flags.last == 0 ? std::numeric_limits<uint64_t>::max() : flags.last;
  return store::ReadTail(*journal, last, [&](const Event& event) -> absl::StatusOr<bool> {
    std::cout << (flags.output == "json" ? DumpJson(EventAsJson(event)) : EventAsLine(event))
              << "\n";
    return std::cout.good();
  });
}

int Verify(const LogFlags& flags, const Logger& log) {
  const absl::StatusOr<store::VerifyReport> report =
      store::VerifyStore({.directory = flags.directory, .logger = log});
  if (!report.ok()) {
    return Report(report.status(), flags.output);
  }
  if (flags.output == "json") {
    Json findings = Json::array();
    for (const store::Finding& finding : report->findings) {
      findings.push_back({{"check", finding.check}, {"text", finding.text}});
    }
    std::cout << DumpJson({{"ok", report->ok()},
                           {"events", report->events},
                           {"rows", report->rows},
                           {"findings", findings},
                           {"findingsDropped", report->findings_dropped}})
              << "\n";
  } else {
    for (const store::Finding& finding : report->findings) {
      std::cout << finding.check << ": " << finding.text << "\n";
    }
    std::cout << (report->ok() ? "ok" : "damaged") << ", " << report->events << " events, "
              << report->rows << " rows, chain " << ToHex(report->position.chain) << "\n";
  }
  return report->ok() ? kExitFine : kExitFinding;
}

}  // namespace

void AddLogCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<LogFlags>();
  auto sink = std::make_shared<LogSink>(std::cerr, LogLevel::kError, SystemClock());
  CLI::App* log = app.add_subcommand("log", "Care for a journal that no manager has open");
  log->require_subcommand(1);
  const auto add = [&](const std::string& name, const std::string& help) {
    CLI::App* command = log->add_subcommand(name, help);
    command->add_option("DIR", flags->directory, "Directory of the store")->required();
    return command;
  };
  const auto add_output = [&](CLI::App* command) {
    command->add_option("-o,--output", flags->output, "table or json")
        ->capture_default_str()
        ->check(CLI::IsMember({"table", "json"}));
  };
  CLI::App* init = add("init", "Make an empty store");
  init->add_option("--cluster", flags->cluster, "uid of the cluster's namespace kube-system")
      ->required();
  init->add_option("--operator", flags->operator_name, "Whose store it is")->capture_default_str();
  init->callback(
      [=, &exit_code] { exit_code = Report(Init(*flags, Logger(sink.get())), flags->output); });
  CLI::App* info = add("info", "What the store holds, and how much");
  add_output(info);
  info->callback(
      [=, &exit_code] { exit_code = Report(Info(*flags, Logger(sink.get())), flags->output); });
  CLI::App* verify = add("verify", "Check every invariant that can be read off the disk");
  add_output(verify);
  verify->callback([=, &exit_code] { exit_code = Verify(*flags, Logger(sink.get())); });
  CLI::App* tail = add("tail", "Print the last events");
  add_output(tail);
  tail->add_option("--last", flags->last, "How many events; 0: all")->capture_default_str();
  tail->callback(
      [=, &exit_code] { exit_code = Report(Tail(*flags, Logger(sink.get())), flags->output); });
  AddLogCareCommands(*log, sink, exit_code);
  AddLogExportCommands(*log, sink, exit_code);
}

}  // namespace logbook::cmd
