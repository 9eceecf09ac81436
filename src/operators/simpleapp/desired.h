// What a SimpleApp's children look like when all is well. Pure; the same app, the same bytes.
#ifndef LOGBOOK_OPERATORS_SIMPLEAPP_DESIRED_H_
#define LOGBOOK_OPERATORS_SIMPLEAPP_DESIRED_H_

#include <string>

#include "logbook/base/json.h"
#include "logbook/operators/simpleapp/types.h"

namespace logbook::operators {

Json DesiredDeployment(const SimpleApp& app);
Json DesiredService(const SimpleApp& app);

// Only for an app with a host.
Json DesiredIngress(const SimpleApp& app);

// The record that the app existed. It has no owner reference, or it would die with the app.
// `deletion_timestamp` is RFC 3339, as in the object's metadata.
Json AuditConfigMap(const SimpleApp& app, const std::string& name,
                    const std::string& deletion_timestamp);

}  // namespace logbook::operators

#endif  // LOGBOOK_OPERATORS_SIMPLEAPP_DESIRED_H_
