// Errors below HTTP: no answer came, and what that means for a write.
#ifndef LOGBOOK_K8S_TRANSPORT_STATUS_H_
#define LOGBOOK_K8S_TRANSPORT_STATUS_H_

#include <optional>
#include <string_view>

#include "logbook/base/status.h"

namespace logbook::k8s {

enum class Sent {
  kNo,       // no server can have acted on the request
  kPerhaps,  // a server may have
};

// A Status without an HTTP answer behind it.
absl::Status TransportError(absl::StatusCode code, std::string_view message, Sent sent);

// Whether the request of a TransportError left; nullopt for every other Status.
std::optional<Sent> SentOf(const absl::Status& status);

// The error for a response whose body exceeds the limit of its request.
absl::Status ResponseTooLarge(std::string_view what, size_t bytes_max);
bool IsResponseTooLarge(const absl::Status& status);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_TRANSPORT_STATUS_H_
