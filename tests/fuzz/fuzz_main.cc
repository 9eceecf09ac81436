// The program of one target: LOGBOOK_FUZZ_TARGET is its function.
#include <cstddef>
#include <cstdint>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  logbook::fuzz::LOGBOOK_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
