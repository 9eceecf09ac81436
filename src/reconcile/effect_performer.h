// EffectPerformer: turns one effect into requests and their answers into an outcome.
//
// Errors:   none are returned: whatever happens is an outcome. Its failure_class is the reason of
//           the server's Status, or one of the kClass… constants.
// Threads:  Thread-safe; blocks on the API server or an external handler.
#ifndef LOGBOOK_RECONCILE_EFFECT_PERFORMER_H_
#define LOGBOOK_RECONCILE_EFFECT_PERFORMER_H_

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/model/effect.h"
#include "logbook/model/object.h"
#include "logbook/reconcile/operator.h"

namespace logbook::k8s {
class ApiClient;
}

namespace logbook::reconcile {

struct EffectCall {
  const OperatorSpec* spec;
  const Effect* effect;
  ControllerKey key;
  std::string operation_id;
  absl::Duration timeout;
  std::stop_token stop;
};

// What came of it, and what the performer saw besides: after a conflict, the object as it is now.
struct Performed {
  Outcome outcome;
  ObjectPtr prior;  // the target in the view when the effect was sent; null: it was not there
  Resource observed_resource;
  ObjectPtr observed;  // null: nothing was read
};

class EffectPerformer {
 public:
  // Both outlive the performer.
  EffectPerformer(k8s::ApiClient& api, const Clock& clock) : api_(api), clock_(clock) {}

  Performed Perform(const EffectCall& call);

  // Reads the target of an effect of which it is not known whether it happened. The object as it
  // is now, or null if it is not there. Errors: of the read.
  absl::StatusOr<ObjectPtr> Read(const Resource& resource, const ObjectKey& key,
                                 std::stop_token stop);

 private:
  void Refused(Performed& performed, const absl::Status& status, const EffectCall& call);

  k8s::ApiClient& api_;
  const Clock& clock_;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_EFFECT_PERFORMER_H_
