// What the program tells the shell.
#ifndef LOGBOOK_CMD_EXIT_CODE_H_
#define LOGBOOK_CMD_EXIT_CODE_H_

namespace logbook::cmd {

inline constexpr int kExitFine = 0;
inline constexpr int kExitError = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitFinding = 3;  // divergence, broken chain, drift

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_EXIT_CODE_H_
