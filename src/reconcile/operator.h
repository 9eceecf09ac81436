// Operator: how a reconciler is registered, in controller-runtime's words.
//
// Example
//   Operator("simpleapp")
//       .For("apps.bootcamp.local/v1/simpleapps", "SimpleApp")
//       .Owns("apps/v1/deployments")
//       .Watches("v1/pods", {.label_selector = "app.kubernetes.io/managed-by=simpleapp-operator",
//                            .mapper = ByAnnotation})
//       .Finalizer({.name = "apps.bootcamp.local/simpleapp-finalizer"}, Cleanup)
//       .Reconciles(Reconcile)
//       .Build();
//
// The functions given here are pure: they see a View and return a Plan, and the build of an
// operator cannot reach a clock, the disk or the network. Only an External handler may.
#ifndef LOGBOOK_RECONCILE_OPERATOR_H_
#define LOGBOOK_RECONCILE_OPERATOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/status.h"
#include "logbook/model/plan.h"
#include "logbook/model/redactor.h"
#include "logbook/model/view.h"
#include "logbook/reconcile/reconciler.h"

namespace logbook::reconcile {

struct WatchOptions {
  // What the server need not send; empty: everything. The mapper may see other objects all the
  // same, where another declaration in the process wants them.
  std::string label_selector;
  Mapper mapper;        // required
  Predicate predicate;  // optional
};

struct FinalizerOptions {
  std::string name;                            // "domain/name", stable for ever
  absl::Duration timeout = absl::Seconds(30);  // for one run of the cleanup's effects
  // Failures in a row after which it is reported as an error of its own; trying goes on all the
  // same.
  uint32_t attempts_max = 10;
};

struct WatchSpec {
  Resource resource;
  std::string label_selector;
  Mapper mapper;
  Predicate predicate;
};

// A registration that has been checked.
struct OperatorSpec {
  std::string name;           // of the controller, "simpleapp"
  std::string field_manager;  // "simpleapp-operator": who our fields belong to, for ever
  Resource primary;           // what it is For
  Predicate primary_predicate;
  std::vector<Resource> owned;
  std::vector<WatchSpec> watched;
  std::map<std::string, ExternalHandler> externals;  // by step
  std::set<EffectKind> effect_kinds;                 // a plan with another kind is refused
  SensitiveFields sensitive;                         // besides those of Secrets
  FinalizerOptions finalizer;                        // name is empty: none
  ReconcileFn cleanup;
  ReconcileFn reconcile;
  ViewScope scope;  // what a View may be asked for

  // Canonical text of what is declared here and bears on plans: when it changes, or the build does,
  // every object is looked at once.
  std::string Configuration() const;
};

class Operator {
 public:
  explicit Operator(std::string_view name);

  Operator& For(std::string_view resource, std::string_view kind, Predicate predicate = nullptr);
  Operator& Owns(std::string_view resource);
  Operator& Watches(std::string_view resource, WatchOptions options);
  // `cleanup` plans what must be done before the object may go; the finalizer is removed after it.
  Operator& Finalizer(FinalizerOptions options, ReconcileFn cleanup);
  Operator& External(std::string_view step, ExternalHandler handler);
  // Values of these fields never reach the journal; reconcilers see keyed hashes instead
  // (redactor.h). `paths` are such as "spec.password" and "spec.users.*.token".
  Operator& Sensitive(std::string_view resource, std::vector<std::string> paths);
  // The kinds of effects its plans may have. kApply brings kPatch with it.
  Operator& Effects(std::set<EffectKind> kinds);
  Operator& FieldManager(std::string_view manager);
  Operator& Reconciles(ReconcileFn reconcile);

  // Errors: kInvalidArgument naming the first declaration that is wrong or missing.
  absl::StatusOr<OperatorSpec> Build() const;

 private:
  Resource Parse(std::string_view declaration, std::string_view resource);

  OperatorSpec spec_;
  absl::Status status_;  // the first error met
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_OPERATOR_H_
