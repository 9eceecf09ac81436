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
  std::set<std::string> sources;  // folders, or single headers, that only its .cc files may
};

// In the order of the layers, lowest first.
const std::vector<Layer>& Layers();

// The includes of one file of src/ that the layers, or the rules for third-party headers, forbid.
Violations CheckIncludes(const SourceFile& file);

}  // namespace logbook::lint

#endif  // LOGBOOK_TESTS_LINT_LAYERS_H_
