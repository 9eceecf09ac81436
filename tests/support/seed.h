// The seed of a random test: printed, and taken back from LOGBOOK_TEST_SEED to repeat a failure.
//
// Example
//   std::mt19937_64 random(TestSeed());
#ifndef LOGBOOK_SUPPORT_SEED_H_
#define LOGBOOK_SUPPORT_SEED_H_

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace logbook {

inline uint64_t TestSeed() {
  const char* given = std::getenv("LOGBOOK_TEST_SEED");
  const uint64_t seed =
      given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
  std::cerr << "repeat with LOGBOOK_TEST_SEED=" << seed << "\n";
  return seed;
}

}  // namespace logbook

#endif  // LOGBOOK_SUPPORT_SEED_H_
