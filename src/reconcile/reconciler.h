// Reconciler: what a user of the library writes, and what it is given.
//
// Example: a kind that owns one ConfigMap
//   Plan Reconcile(const View& view, const ObjectKey& key) {
//     const Json* app = view.Get("apps.example.org", key);
//     ChildPlanner children(view, OwnerOf(kApps, *app), "example-operator");
//     children.Apply(kConfigMaps, ConfigMapFor(*app));
//     return children.TakePlan();
//   }
//
// Shape:    View in, Plan out. The view is the fold of the journal up to one event (view.h): the
//           object itself, what it owns, and the kinds that were declared in operator.h. The plan
//           is data (plan.h): effects in order or the reason for none, and when to look again.
//           Writing it to the journal, carrying it out, and retrying are the runtime's business.
// Purity:   A reconciler reads no clock (View::Now() is recorded), no environment, no randomness,
//           does no I/O and iterates over no unordered container. The same view gives the same
//           plan, byte for byte: on every machine, in a replay, in another run. The build keeps
//           it so (tests/lint).
// Threads:  Called on a worker (worker.h), never twice at once for one key.
// Errors:   Plan::Failed, and the key is tried again with backoff; Plan::Terminal, and it waits for
//           a change. What an effect came to is in the next view (View::LastEffect).
// Source:   docs/architecture.md, the lap; controller-runtime's reconcile.Reconciler, without its
//           client and its context.
#ifndef LOGBOOK_RECONCILE_RECONCILER_H_
#define LOGBOOK_RECONCILE_RECONCILER_H_

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/model/object.h"
#include "logbook/model/object_key.h"
#include "logbook/model/plan.h"
#include "logbook/model/view.h"

namespace logbook::reconcile {

// Pure. Called on a worker, never twice at once for one key.
using ReconcileFn = std::function<Plan(const View& view, const ObjectKey& key)>;

// The keys that a changed object concerns; called with the object as it was and as it is now.
// Pure; called on the journal's writer, so it must be quick. Its answer is recorded. One that
// throws names no key.
using Mapper = std::function<std::vector<ObjectKey>(const Object& object)>;

// Whether a change concerns the controller at all. `before` or `after` is null when the object was
// created or removed. Pure; without one, every change of content does.
using Predicate = std::function<bool(const Object* before, const Object* after)>;

// What an external handler is called with.
struct ExternalCall {
  std::string operation_id;  // stable for (key, uid, step): the same again after a crash
  ObjectKey key;
  std::string uid;
  std::string arguments;  // the effect's body
  absl::Duration timeout;
  std::stop_token stop;
};

// Acts on something outside of Kubernetes. Called at least once per operation id, on an effect
// runner; may block until the timeout.
using ExternalHandler = std::function<absl::Status(const ExternalCall& call)>;

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_RECONCILER_H_
