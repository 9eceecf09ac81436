#include "logbook/model/resource.h"

#include <vector>

#include "absl/strings/str_split.h"

namespace logbook {

std::string Resource::GroupResource() const {
  return group.empty() ? plural : Concat(plural, ".", group);
}

std::string Resource::ApiVersion() const {
  return group.empty() ? version : Concat(group, "/", version);
}

std::string Resource::ToString() const {
  return Concat(ApiVersion(), "/", plural);
}

absl::StatusOr<Resource> ParseResource(std::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), '/');
  for (const std::string& part : parts) {
    if (part.empty()) {
      return InvalidArgument("\"", text, "\" is not [group/]version/plural");
    }
  }
  if (parts.size() == 2) {
    return Resource{.group = "", .version = parts[0], .plural = parts[1], .kind = ""};
  }
  if (parts.size() == 3) {
    return Resource{.group = parts[0], .version = parts[1], .plural = parts[2], .kind = ""};
  }
  return InvalidArgument("\"", text, "\" is not [group/]version/plural");
}

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace logbook
