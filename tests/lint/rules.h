// Rules of the house that no compiler sees. Each looks at one file.
#ifndef LOGBOOK_TESTS_LINT_RULES_H_
#define LOGBOOK_TESTS_LINT_RULES_H_

#include "source_tree.h"

namespace logbook::lint {

// A guard named by the path, and a comment that says what the header is for before anything else.
Violations CheckHeader(const SourceFile& file);

// No `using namespace`.
Violations CheckNamespaces(const SourceFile& file);

// Only cmd prints; everyone else logs or returns a Status.
Violations CheckPrinting(const SourceFile& file);

// Nobody sleeps: wait for what you wait for, with a deadline.
Violations CheckSleeping(const SourceFile& file);

// Nothing is left for later or switched off: no notes to do something, no test commented out.
Violations CheckLeftovers(const SourceFile& file);

// Files stay readable: 500 lines, tests 800.
Violations CheckLength(const SourceFile& file);

// Nothing names the machine it was written on.
Violations CheckMachinePaths(const SourceFile& file);

// Operators: no containers whose order differs from run to run.
Violations CheckOrder(const SourceFile& file);

}  // namespace logbook::lint

#endif  // LOGBOOK_TESTS_LINT_RULES_H_
