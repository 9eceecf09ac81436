// Which build this is.
#ifndef LOGBOOK_CMD_VERSION_H_
#define LOGBOOK_CMD_VERSION_H_

#include <string>

namespace logbook::cmd {

// "0.1.0".
std::string Version();

// Hex text that differs between any two programs: the linker's build id of this executable.
std::string BuildId();

// For people: version, build, compiler, libraries.
std::string VersionText();

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_VERSION_H_
