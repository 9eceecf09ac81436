// The files of the repository, as the lint tests read them.
#ifndef LOGBOOK_TESTS_LINT_SOURCE_TREE_H_
#define LOGBOOK_TESTS_LINT_SOURCE_TREE_H_

#include <string>
#include <string_view>
#include <vector>

namespace logbook::lint {

struct SourceFile {
  std::string path;  // from the root of the repository: "src/base/log.h"
  std::string text;

  std::vector<std::string_view> Lines() const;
  std::string Extension() const;                // ".h"
  bool IsBelow(std::string_view folder) const;  // "src/base"

  // "src" + its folder: "base" of src/base/log.h; "" outside of src.
  std::string Module() const;
};

// What is wrong, as "path:line: message".
using Violations = std::vector<std::string>;

// `line` counts from 1; 0 for the file as a whole.
std::string Violation(const SourceFile& file, size_t line, std::string_view message);

// All text files below `folder` ("" for the whole repository), in order of their paths; build
// directories, git's and binary files are left out.
std::vector<SourceFile> ReadTree(std::string_view folder);

// Names of the folders directly below `folder`, in order.
std::vector<std::string> FoldersIn(std::string_view folder);

}  // namespace logbook::lint

#endif  // LOGBOOK_TESTS_LINT_SOURCE_TREE_H_
