#include "logbook/model/effect.h"

namespace logbook {

std::string_view ToString(EffectKind kind) {
  switch (kind) {
    case EffectKind::kApply:
      return "apply";
    case EffectKind::kCreate:
      return "create";
    case EffectKind::kDelete:
      return "delete";
    case EffectKind::kPatchStatus:
      return "patch-status";
    case EffectKind::kAddFinalizer:
      return "add-finalizer";
    case EffectKind::kRemoveFinalizer:
      return "remove-finalizer";
    case EffectKind::kEmitEvent:
      return "emit-event";
    case EffectKind::kExternal:
      return "external";
    case EffectKind::kPatch:
      return "patch";
  }
  return "unknown";
}

std::string_view ToString(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kSucceeded:
      return "succeeded";
    case OutcomeKind::kFailed:
      return "failed";
    case OutcomeKind::kSkipped:
      return "skipped";
    case OutcomeKind::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string OperationId(RunId run, EventSeq decided, uint32_t ordinal) {
  return Concat(run.value, ".", decided.value, ".", ordinal);
}

}  // namespace logbook
