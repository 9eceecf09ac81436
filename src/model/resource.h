// Kinds as data: group, version and plural name, never a C++ type.
#ifndef LOGBOOK_MODEL_RESOURCE_H_
#define LOGBOOK_MODEL_RESOURCE_H_

#include <string>
#include <string_view>

#include "logbook/base/status.h"

namespace logbook {

// A kind as it is served. `kind` and `namespaced` come from discovery and are empty before it.
struct Resource {
  std::string group;  // empty for the core group
  std::string version;
  std::string plural;
  std::string kind;
  bool namespaced = true;

  // "deployments.apps", "pods": names the resource whatever its version.
  std::string GroupResource() const;

  // "apps/v1", "v1": what objects carry as apiVersion.
  std::string ApiVersion() const;

  // "apps/v1/deployments", "v1/pods": what registrations say.
  std::string ToString() const;

  friend bool operator==(const Resource&, const Resource&) = default;
};

// Reads "apps/v1/deployments" or "v1/pods". Errors: kInvalidArgument quoting `text`.
absl::StatusOr<Resource> ParseResource(std::string_view text);

// The group of an apiVersion: "apps" of "apps/v1", "" of "v1".
std::string_view GroupOf(std::string_view api_version);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_RESOURCE_H_
