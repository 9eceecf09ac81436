#include "logbook/k8s/retry.h"

#include "logbook/k8s/api_client.h"
#include "logbook/k8s/transport_status.h"

namespace logbook::k8s {
namespace {

constexpr absl::Duration kDefaultWait = absl::Seconds(1);  // client-go's, for reads that broke
constexpr int kBrokenReadAttemptsMax = 3;  // who watches has a better backoff than ours

}  // namespace

std::optional<absl::Duration> RetryDelay(Verb verb, const absl::Status& status, int attempt) {
  if (attempt >= kCallAttemptsMax || verb == Verb::kWatch) {
    return std::nullopt;
  }
  if (const std::optional<ApiStatus> api = ApiStatusOf(status)) {
    if (api->http_status == 429) {
      return api->retry_after.value_or(kDefaultWait);
    }
    if (api->http_status == 503) {
      return api->retry_after;  // without it a proxy says so, and a write may have happened
    }
    return std::nullopt;
  }
  const bool broke = absl::IsUnavailable(status) && SentOf(status) == Sent::kPerhaps;
  if (IsRead(verb) && broke && attempt < kBrokenReadAttemptsMax) {
    return kDefaultWait;
  }
  return std::nullopt;
}

}  // namespace logbook::k8s
