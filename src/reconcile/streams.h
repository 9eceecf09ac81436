// Streams: which streams the registrations need, and which of them the journal already knows.
#ifndef LOGBOOK_RECONCILE_STREAMS_H_
#define LOGBOOK_RECONCILE_STREAMS_H_

#include <map>
#include <string>
#include <vector>

#include "logbook/model/event.h"
#include "logbook/model/view_state.h"
#include "logbook/reconcile/operator.h"
#include "logbook/reconcile/writer.h"

namespace logbook::reconcile {

// One stream per kind, selector and namespace; shared by all controllers that need it. A stream
// without a selector makes those with one unnecessary.
std::vector<StreamIdentity> NeededStreams(const std::vector<OperatorSpec>& specs,
                                          const std::vector<std::string>& namespaces,
                                          const std::string& cluster);

// Gives each of `needed` its id: the one it had, or a new one. A stream that is no longer needed is
// closed; its objects leave the view without being called deleted. Blocks for one synced commit.
absl::StatusOr<std::map<StreamId, StreamIdentity>> OpenStreams(
    JournalWriter& writer, const std::vector<StreamIdentity>& needed);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_STREAMS_H_
