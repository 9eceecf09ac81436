#include "logbook/reconcile/operator.h"

#include <utility>

#include "absl/strings/str_join.h"

namespace logbook::reconcile {

std::string OperatorSpec::Configuration() const {
  std::vector<std::string> lines = {Concat("for ", primary.ToString()),
                                    Concat("field-manager ", field_manager),
                                    Concat("finalizer ", finalizer.name)};
  for (const Resource& resource : owned) {
    lines.push_back(Concat("owns ", resource.ToString()));
  }
  for (const WatchSpec& watch : watched) {
    lines.push_back(Concat("watches ", watch.resource.ToString(), " ", watch.label_selector));
  }
  for (const auto& [step, handler] : externals) {
    lines.push_back(Concat("external ", step));
  }
  for (const auto& [resource, paths] : sensitive) {
    lines.push_back(Concat("sensitive ", resource, " ", ToStd(absl::StrJoin(paths, ","))));
  }
  return Concat("operator ", name, "\n", absl::StrJoin(lines, "\n"));
}

Operator::Operator(std::string_view name) {
  spec_.name = name;
  spec_.field_manager = Concat(name, "-operator");
  spec_.scope.controller = name;
}

Resource Operator::Parse(std::string_view declaration, std::string_view text) {
  absl::StatusOr<Resource> resource = ParseResource(text);
  if (!resource.ok()) {
    status_.Update(
        WithContext(resource.status(), Concat("operator ", spec_.name, ": ", declaration)));
    return {};
  }
  spec_.scope.resources.insert(resource->GroupResource());
  return *std::move(resource);
}

Operator& Operator::For(std::string_view resource, std::string_view kind, Predicate predicate) {
  spec_.primary = Parse("For", resource);
  spec_.primary.kind = kind;
  spec_.primary_predicate = std::move(predicate);
  return *this;
}

Operator& Operator::Owns(std::string_view resource) {
  spec_.owned.push_back(Parse("Owns", resource));
  return *this;
}

Operator& Operator::Watches(std::string_view resource, WatchOptions options) {
  if (options.mapper == nullptr) {
    status_.Update(
        InvalidArgument("operator ", spec_.name, ": Watches(", resource, ") needs a mapper"));
  }
  spec_.watched.push_back({.resource = Parse("Watches", resource),
                           .label_selector = std::move(options.label_selector),
                           .mapper = std::move(options.mapper),
                           .predicate = std::move(options.predicate)});
  return *this;
}

Operator& Operator::Finalizer(FinalizerOptions options, ReconcileFn cleanup) {
  spec_.finalizer = std::move(options);
  spec_.cleanup = std::move(cleanup);
  return *this;
}

Operator& Operator::External(std::string_view step, ExternalHandler handler) {
  spec_.externals[std::string(step)] = std::move(handler);
  return *this;
}

Operator& Operator::Sensitive(std::string_view resource, std::vector<std::string> paths) {
  for (const std::string& path : paths) {
    status_.Update(WithContext(CheckSensitivePath(path), Concat("operator ", spec_.name)));
  }
  spec_.sensitive[Parse("Sensitive", resource).GroupResource()] = std::move(paths);
  return *this;
}

Operator& Operator::Effects(std::set<EffectKind> kinds) {
  spec_.effect_kinds = std::move(kinds);
  return *this;
}

Operator& Operator::FieldManager(std::string_view manager) {
  spec_.field_manager = manager;
  return *this;
}

Operator& Operator::Reconciles(ReconcileFn reconcile) {
  spec_.reconcile = std::move(reconcile);
  return *this;
}

absl::StatusOr<OperatorSpec> Operator::Build() const {
  LOGBOOK_RETURN_IF_ERROR(status_);
  if (spec_.name.empty()) {
    return InvalidArgument("an operator needs a name");
  }
  if (spec_.primary.plural.empty()) {
    return InvalidArgument("operator ", spec_.name, ": say what it is For");
  }
  if (spec_.reconcile == nullptr) {
    return InvalidArgument("operator ", spec_.name, ": say what Reconciles");
  }
  const bool has_finalizer = !spec_.finalizer.name.empty();
  if (has_finalizer != (spec_.cleanup != nullptr)) {
    return InvalidArgument("operator ", spec_.name, ": a Finalizer needs a name and a cleanup");
  }
  if (has_finalizer && spec_.finalizer.name.find('/') == std::string::npos) {
    return InvalidArgument("operator ", spec_.name, ": finalizer \"", spec_.finalizer.name,
                           "\" is not domain/name");
  }
  OperatorSpec spec = spec_;
  if (spec.effect_kinds.contains(EffectKind::kApply)) {
    spec.effect_kinds.insert(EffectKind::kPatch);  // what an apply cannot undo (ADR 0005)
  }
  if (has_finalizer) {
    spec.effect_kinds.insert({EffectKind::kAddFinalizer, EffectKind::kRemoveFinalizer});
  }
  return spec;
}

}  // namespace logbook::reconcile
