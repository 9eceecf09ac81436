// The flags that say how long the journal keeps what.
#ifndef LOGBOOK_CMD_RETENTION_FLAGS_H_
#define LOGBOOK_CMD_RETENTION_FLAGS_H_

#include <CLI/CLI.hpp>

#include "logbook/reconcile/retention.h"

namespace logbook::cmd {

// `policy` outlives the parsing; what it holds is the default.
void AddRetentionFlags(CLI::App& command, reconcile::RetentionPolicy& policy);

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_RETENTION_FLAGS_H_
