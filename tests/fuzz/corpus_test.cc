// Every target over its corpus, in every build.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "targets.h"
#include <gtest/gtest.h>

#include "logbook/support/seed.h"

namespace logbook::fuzz {
namespace {

namespace fs = std::filesystem;

std::string BytesOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(FuzzCorpusTest, EveryTargetKeepsItsPromisesOverItsCorpus) {
  for (const Target& target : kTargets) {
    int inputs = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(LOGBOOK_CORPUS) / target.name)) {
      SCOPED_TRACE(entry.path());
      target.run(BytesOf(entry.path()));
      ++inputs;
    }
    EXPECT_GT(inputs, 3) << target.name;
  }
}

// No fuzzer, but cheap: each input with some bytes changed.
TEST(FuzzCorpusTest, AndOverWhatIsNearIt) {
  std::mt19937_64 random(TestSeed());
  for (const Target& target : kTargets) {
    for (const auto& entry : fs::directory_iterator(fs::path(LOGBOOK_CORPUS) / target.name)) {
      const std::string bytes = BytesOf(entry.path());
      for (int i = 0; i < 50 && !bytes.empty(); ++i) {
        std::string near = bytes;
        for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
          near[random() % near.size()] = static_cast<char>(random());
        }
        near.resize(random() % 4 == 0 ? random() % near.size() : near.size());
        target.run(near);
      }
    }
  }
}

}  // namespace
}  // namespace logbook::fuzz
