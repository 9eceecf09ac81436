// What a Watcher does about each thing that can go wrong, as a table.
//
//   state        does                                       and leads to, if all goes well
//   discovering  asks for kind, scope and served_by         probing, listing or watching
//   probing      lists one object: is the cluster older     listing or watching
//                than our bookmark?
//   listing      lists all, page by page                    watching
//   watching     reads changes after the bookmark           discovering, when the server ends it
//
// Every failure leads back to discovering, after a pause, and may require a probe or a list there.
#ifndef LOGBOOK_K8S_WATCH_POLICY_H_
#define LOGBOOK_K8S_WATCH_POLICY_H_

#include <string_view>

#include "logbook/base/status.h"

namespace logbook::k8s {

enum class WatchState { kDiscovering, kProbing, kListing, kWatching };

std::string_view ToString(WatchState state);

enum class WatchFailure {
  // Answers of the server, by status, or inside a watch by ERROR event.
  kExpired,          // 410, in any of its shapes
  kThrottled,        // 429
  kVersionTooLarge,  // 504 with this cause
  kUnauthorized,     // 401
  kForbidden,        // 403
  kMissing,          // 404: the kind is not served
  kRefused,          // other 4xx
  kInternal,         // an ERROR event with 500: the server cannot decode an object, for one
  kUnreachable,      // other 5xx, no answer, a broken connection
  // What the watcher notices by itself.
  kSilent,          // not even a bookmark for too long
  kEndedEarly,      // the server ended a watch at once, without a frame
  kWentBack,        // an event is older than the one before it
  kBookmarkBehind,  // a bookmark is older than ours
  kOlder,           // a list is older than our bookmark
  kUndecodable,     // a frame, or what is in it
  kSinkFailed,
  kStopped,
};

// A Status of the watcher's own finding.
absl::Status WatchError(WatchFailure failure, std::string_view message);

WatchFailure FailureOf(const absl::Status& status);

enum class Pause {
  kNone,
  kAsked,      // as long as the server asks
  kBackoff,    // exponential, up to half a minute
  kMissing,    // exponential, up to five seconds: a CRD is being installed
  kForbidden,  // from two seconds: somebody has to grant something first
  kOlder,      // one to four seconds: a replica that lags has to catch up
};

struct WatchReaction {
  Pause pause = Pause::kBackoff;
  bool list = false;         // the bookmark is of no use any more
  bool probe = false;        // find out whether the cluster was rewound
  bool unavailable = false;  // tell the sink
  bool reload = false;       // ask the sink where the stream is
};

WatchReaction ReactionTo(WatchFailure failure);

// A Status of the sink as the watcher's own failure; OK stays OK.
absl::Status FromSink(const absl::Status& status);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_WATCH_POLICY_H_
