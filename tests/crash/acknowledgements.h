// The acknowledgement log: what the driver was told by the journal, kept outside of the store, so
// that whoever looks at the store after a fault knows what must be in it. One line each, written at
// once: "<last> <chain> <synced>".
#ifndef LOGBOOK_TESTS_CRASH_ACKNOWLEDGEMENTS_H_
#define LOGBOOK_TESTS_CRASH_ACKNOWLEDGEMENTS_H_

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "session.h"

namespace logbook::crash {

// Appends to a file; each call is in it when it returns.
class AcknowledgementLog {
 public:
  explicit AcknowledgementLog(const std::string& path) : file_(path, std::ios::app) {}

  void Add(const Acknowledgement& one) {
    file_ << one.last.value << ' ' << ToHex(one.chain) << ' ' << one.synced.value << std::endl;
  }

 private:
  std::ofstream file_;
};

// All lines that were written; none if there is no such file.
inline std::vector<Acknowledgement> ReadAcknowledgements(const std::string& path) {
  std::vector<Acknowledgement> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    Acknowledgement one;
    std::string chain;
    std::istringstream(line) >> one.last.value >> chain >> one.synced.value;
    one.chain = ChainFromHex(chain).value_or(Chain());
    all.push_back(one);
  }
  return all;
}

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_ACKNOWLEDGEMENTS_H_
