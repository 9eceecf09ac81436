// What is fuzzed: functions that take any bytes, and abort where a promise is broken.
//
// With clang each becomes a libFuzzer program (preset fuzz, scripts/fuzz.sh); in every build they
// run over tests/fuzz/corpus, where each input that once found something also goes.
#ifndef LOGBOOK_TESTS_FUZZ_TARGETS_H_
#define LOGBOOK_TESTS_FUZZ_TARGETS_H_

#include <array>
#include <string_view>

namespace logbook::fuzz {

// model/record_codec: whatever is read is written the same again, and subjects are those of the
// event.
void FuzzRecord(std::string_view bytes);

// store/state_rows, store/history: rows; the first byte chooses the kind.
void FuzzRow(std::string_view bytes);

// store/key_codec: what is parsed is written the same again, and keys order as their tuples.
void FuzzKey(std::string_view bytes);

// FORMAT, SYNCED and anchors; the first byte chooses.
void FuzzText(std::string_view bytes);

// base/json_peek: what is accepted is JSON, and the same JSON to both parsers.
void FuzzJson(std::string_view bytes);

// store/export_reader: what is taken is read the same again; the first byte chooses between a file
// and frames, of which a file is made.
void FuzzExport(std::string_view bytes);

struct Target {
  std::string_view name;  // of its folder in the corpus
  void (*run)(std::string_view);
};

inline constexpr std::array<Target, 6> kTargets = {{{"record", FuzzRecord},
                                                    {"row", FuzzRow},
                                                    {"key", FuzzKey},
                                                    {"text", FuzzText},
                                                    {"json", FuzzJson},
                                                    {"export", FuzzExport}}};

}  // namespace logbook::fuzz

#endif  // LOGBOOK_TESTS_FUZZ_TARGETS_H_
