// Makes a golden store: write_golden_store DIRECTORY
#include <iostream>

#include "golden_store.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " DIRECTORY\n";
    return 2;
  }
  const absl::Status written = logbook::store::WriteGoldenStore(argv[1]);
  if (!written.ok()) {
    std::cerr << written.message() << "\n";
    return 1;
  }
  return 0;
}
