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

int main(int argc, char** argv) {
  using namespace logbook;
  if (argc < 3) {
    std::cerr << "usage: crash_driver STORE ACKNOWLEDGEMENTS [--strict] [--supervised]\n";
    return 2;
  }
  store::JournalOptions options = crash::StoreOptions(argv[1]);
  crash::AcknowledgementLog log(argv[2]);
  for (int i = 3; i < argc; ++i) {
    if (argv[i] == std::string_view("--strict")) {
      options.durability = store::Durability::kStrict;
    } else if (!crash::AskBeforeFileCalls(crash::kSupervisorSocket)) {
      return 2;
    }
  }
  crash::Session session(options, [&](const crash::Acknowledgement& one) { log.Add(one); });
  const absl::Status done = session.Run();
  if (!done.ok()) {
    std::cerr << done << "\n";
  }
  return done.ok() ? 0 : 1;
}
