// Phase: one word for a SimpleApp's state, from its children as the view shows them. Pure.
//
// The first rule that matches decides; the table is in docs/simpleapp.md and, line by line, in the
// tests.
#ifndef LOGBOOK_OPERATORS_SIMPLEAPP_PHASE_H_
#define LOGBOOK_OPERATORS_SIMPLEAPP_PHASE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "logbook/model/view.h"
#include "logbook/operators/simpleapp/types.h"
#include "logbook/reconcile/children.h"
#include "logbook/reconcile/trouble.h"

namespace logbook::operators {

inline constexpr std::string_view kPending = "Pending";
inline constexpr std::string_view kProgressing = "Progressing";
inline constexpr std::string_view kAvailable = "Available";
inline constexpr std::string_view kFailed = "Failed";

struct Phase {
  std::string_view name;
  std::string reason;  // one CamelCase word, for the conditions
  std::string message;
  int64_t ready_replicas = 0;
};

// `deployment` is the child as planned on this view; `refusal` the first of the children's, if any.
Phase ComputePhase(const View& view, const SimpleApp& app, const reconcile::Child& deployment,
                   const std::optional<reconcile::Trouble>& refusal);

}  // namespace logbook::operators

#endif  // LOGBOOK_OPERATORS_SIMPLEAPP_PHASE_H_
