// ChildPlanner: the plan for everything that one object owns, child by child. Pure.
//
// Example
//   ChildPlanner children(view, owner, "myapp-operator");
//   const Child deployment = children.Apply(kDeployments, DesiredDeployment(app));
//   children.Remove(kIngresses, {.ns = ns, .name = name});
//   return children.TakePlan();
#ifndef LOGBOOK_RECONCILE_CHILD_PLANNER_H_
#define LOGBOOK_RECONCILE_CHILD_PLANNER_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "logbook/model/plan.h"
#include "logbook/model/view.h"
#include "logbook/reconcile/children.h"
#include "logbook/reconcile/trouble.h"

namespace logbook::reconcile {

class ChildPlanner {
 public:
  // `view` outlives the planner.
  ChildPlanner(const View& view, Owner owner, std::string_view field_manager);

  // As PlanChild; also puts right what an apply cannot (service_ports.h).
  Child Apply(const Resource& resource, const Json& desired);

  // As PlanRemoval.
  void Remove(const Resource& resource, const ObjectKey& key);

  // The first of the wanted children, in the order of the calls, that cannot be: its name is
  // somebody else's, or the server refused it the last time.
  const std::optional<Trouble>& refusal() const { return refusal_; }

  // All effects, in the order of the calls; the reason names the first child that has one.
  Plan TakePlan() { return std::move(plan_); }

 private:
  void Take(const Resource& resource, const Child& child);

  const View& view_;
  const Owner owner_;
  const std::string field_manager_;
  Plan plan_;
  std::optional<Trouble> refusal_;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_CHILD_PLANNER_H_
