// The program that the crash tests kill: carries out the script on a store.
//
//   crash_driver STORE ACKNOWLEDGEMENTS [--strict] [--supervised]
//
// Exit status 0: the script is done; 1: an error, told on standard error. With --supervised, file
// descriptor 3 is the socket to whoever is to be asked before each system call on a file.
#include <iostream>
#include <string_view>

#include "acknowledgements.h"
#include "session.h"
#include "system_calls.h"

namespace logbook::crash {
namespace {

int Drive(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: crash_driver STORE ACKNOWLEDGEMENTS [--strict] [--supervised]\n";
    return 2;
  }
  store::JournalOptions options = StoreOptions(argv[1]);
  AcknowledgementLog log(argv[2]);
  for (int i = 3; i < argc; ++i) {
    if (argv[i] == std::string_view("--strict")) {
      options.durability = store::Durability::kStrict;
    } else if (!AskBeforeFileCalls(kSupervisorSocket)) {
      return 2;
    }
  }
  Session session(options, [&](const Acknowledgement& one) { log.Add(one); });
  const absl::Status done = session.Run();
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
