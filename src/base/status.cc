#include "logbook/base/status.h"

namespace logbook {

absl::Status WithContext(const absl::Status& status, std::string_view context) {
  if (status.ok()) {
    return status;
  }
  absl::Status result(status.code(), Concat(context, ": ", status.message()));
  status.ForEachPayload([&result](absl::string_view url, const absl::Cord& payload) {
    result.SetPayload(url, payload);
  });
  return result;
}

}  // namespace logbook
