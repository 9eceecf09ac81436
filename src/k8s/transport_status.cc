#include "logbook/k8s/transport_status.h"

#include "absl/strings/cord.h"

namespace logbook::k8s {
namespace {

constexpr char kSentUrl[] = "logbook.dev/k8s/sent";
constexpr char kTooLargeUrl[] = "logbook.dev/k8s/too-large";

}  // namespace

absl::Status TransportError(absl::StatusCode code, std::string_view message, Sent sent) {
  absl::Status status(code, ToAbsl(message));
  status.SetPayload(kSentUrl, absl::Cord(sent == Sent::kNo ? "no" : "perhaps"));
  return status;
}

std::optional<Sent> SentOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kSentUrl);
  if (!payload.has_value()) {
    return std::nullopt;
  }
  return *payload == "no" ? Sent::kNo : Sent::kPerhaps;
}

absl::Status ResponseTooLarge(std::string_view what, size_t bytes_max) {
  absl::Status status =
      TransportError(absl::StatusCode::kInvalidArgument,
                     Concat(what, ": the answer exceeds ", bytes_max, " bytes"), Sent::kPerhaps);
  status.SetPayload(kTooLargeUrl, absl::Cord());
  return status;
}

bool IsResponseTooLarge(const absl::Status& status) {
  return status.GetPayload(kTooLargeUrl).has_value();
}

}  // namespace logbook::k8s
