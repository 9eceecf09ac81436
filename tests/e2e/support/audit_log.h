// What the API server's audit log says was written: the truth that our journal is held to.
#ifndef LOGBOOK_TESTS_E2E_SUPPORT_AUDIT_LOG_H_
#define LOGBOOK_TESTS_E2E_SUPPORT_AUDIT_LOG_H_

#include <string>
#include <vector>

#include "cluster.h"

namespace logbook::e2e {

// The writes of `user`, successful or not, each once, in the order they were answered.
std::vector<Json> WritesBy(const Cluster& cluster, const std::string& user);

// The same without the anchor, which is bookkeeping of the journal itself.
std::vector<Json> WritesToObjectsBy(const Cluster& cluster, const std::string& user);

// Of the writes of `user` to objects in `ns`: those that left the object as the write before it, by
// whomever, had left it. Versions, generation and managedFields are not content.
std::vector<std::string> WritesThatChangedNothing(const Cluster& cluster, const std::string& user,
                                                  const std::string& ns);

}  // namespace logbook::e2e

#endif  // LOGBOOK_TESTS_E2E_SUPPORT_AUDIT_LOG_H_
