// The layers of docs/architecture.md as data, and the check of #include lines against them.
#ifndef LOGBOOK_TESTS_LINT_LAYERS_H_
#define LOGBOOK_TESTS_LINT_LAYERS_H_

#include <set>
#include <string>
#include <vector>

#include "source_tree.h"

namespace logbook::lint {

struct Layer {
  std::string folder;             // of src/
  std::set<std::string> headers;  // folders that all its files may include, besides itself
  std::set<std::string> sources;  // folders, or single headers, that only its private files may
};

// In the order of the layers, lowest first.
const std::vector<Layer>& Layers();

// The headers of a folder that others may include: those under HDRS in its CMakeLists.txt, by their
// paths from src/, such as "store/journal.h". All else is private to its folder.
std::set<std::string> PublicHeaders(const SourceFile& cmake_lists);

// The includes of one file of src/ that the layers, or the rules for third-party headers, forbid.
Violations CheckIncludes(const SourceFile& file, const std::set<std::string>& public_headers);

}  // namespace logbook::lint

#endif  // LOGBOOK_TESTS_LINT_LAYERS_H_
