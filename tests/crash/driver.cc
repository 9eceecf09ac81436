// The program that the crash tests kill: carries out the script on a store.
//
//   crash_driver STORE ACKNOWLEDGEMENTS [--strict] [--trim] [--supervised]
//
// Exit status 0: the script is done; 1: an error, told on standard error. With --trim, all that can
// be is trimmed from the store in place of the script. With --supervised, file
// descriptor 3 is the socket to whoever is to be asked before each system call on a file.
#include <iostream>
#include <string>
#include <string_view>

#include "acknowledgements.h"
#include "session.h"
#include "system_calls.h"

#include "logbook/base/clock.h"
#include "logbook/reconcile/trimmer.h"

namespace logbook::crash {
namespace {

absl::Status Trim(const std::string& directory) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, store::Journal::Open(StoreOptions(directory)));
  // An empty view holds nothing.
  return reconcile::Trimmer(*journal, {}, SystemClock())
      .TrimTo(journal->last(), ViewState(), [] { return false; })
      .status();
}

int Drive(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: crash_driver STORE ACKNOWLEDGEMENTS [--strict] [--trim] [--supervised]\n";
    return 2;
  }
  store::JournalOptions options = StoreOptions(argv[1]);
  AcknowledgementLog log(argv[2]);
  bool trim = false;
  for (int i = 3; i < argc; ++i) {
    if (argv[i] == std::string_view("--strict")) {
      options.durability = store::Durability::kStrict;
    } else if (argv[i] == std::string_view("--trim")) {
      trim = true;
    } else if (!AskBeforeFileCalls(kSupervisorSocket)) {
      return 2;
    }
  }
  Session session(options, [&](const Acknowledgement& one) { log.Add(one); });
  const absl::Status done = trim ? Trim(argv[1]) : session.Run();
  if (!done.ok()) {
    std::cerr << done << "\n";
  }
  return done.ok() ? 0 : 1;
}

}  // namespace
}  // namespace logbook::crash

int main(int argc, char** argv) {
  return logbook::crash::Drive(argc, argv);
}
