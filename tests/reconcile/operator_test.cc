#include "logbook/reconcile/operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/support/status_matchers.h"

namespace logbook::reconcile {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

Plan Nothing(const View&, const ObjectKey&) {
  return {};
}

std::vector<ObjectKey> NoKeys(const Object&) {
  return {};
}

Operator Whole(std::string_view name = "simpleapp") {
  return Operator(name).For("apps.bootcamp.local/v1/simpleapps", "SimpleApp").Reconciles(Nothing);
}

TEST(OperatorTest, ErrorNamesTheDeclarationThatIsWrong) {
  const struct {
    std::string_view what;
    Operator builder;
    std::vector<std::string> says;
  } cases[] = {
      {"no name", Whole(""), {"needs a name"}},
      {"no For", Operator("simpleapp").Reconciles(Nothing), {"simpleapp", "For"}},
      {"no Reconciles", Operator("simpleapp").For("v1/pods", "Pod"), {"simpleapp", "Reconciles"}},
      {"malformed For",
       Operator("simpleapp").For("pods", "Pod").Reconciles(Nothing),
       {"simpleapp", "For", "\"pods\""}},
      {"malformed Owns", Whole().Owns("deployments"), {"simpleapp", "Owns", "\"deployments\""}},
      {"malformed Watches",
       Whole().Watches("a/b/c/d", {.mapper = NoKeys}),
       {"simpleapp", "Watches", "\"a/b/c/d\""}},
      {"Watches without a mapper",
       Whole().Watches("v1/pods", {}),
       {"simpleapp", "Watches(v1/pods)", "mapper"}},
      {"Finalizer without a cleanup",
       Whole().Finalizer({.name = "a.b/c"}, nullptr),
       {"simpleapp", "Finalizer", "cleanup"}},
      {"Finalizer without a name",
       Whole().Finalizer({}, Nothing),
       {"simpleapp", "Finalizer", "name"}},
      {"Finalizer without a domain",
       Whole().Finalizer({.name = "cleanup"}, Nothing),
       {"simpleapp", "\"cleanup\"", "domain/name"}},
      {"the first of two", Whole().Owns("first").Owns("second"), {"\"first\""}},
  };

  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.what));
    const absl::StatusOr<OperatorSpec> spec = c.builder.Build();
    ASSERT_THAT(spec, StatusIs(absl::StatusCode::kInvalidArgument));
    for (const std::string& text : c.says) {
      EXPECT_THAT(std::string(spec.status().message()), HasSubstr(text));
    }
  }
}

TEST(OperatorTest, SpecHasWhatWasDeclared) {
  const absl::StatusOr<OperatorSpec> spec =
      Whole()
          .Owns("apps/v1/deployments")
          .Watches("v1/pods", {.label_selector = "app=web", .mapper = NoKeys})
          .External("release", [](const ExternalCall&) { return absl::OkStatus(); })
          .Build();
  ASSERT_OK(spec);
  EXPECT_EQ(spec->name, "simpleapp");
  EXPECT_EQ(spec->primary.kind, "SimpleApp");
  EXPECT_EQ(spec->primary.ToString(), "apps.bootcamp.local/v1/simpleapps");
  EXPECT_EQ(spec->field_manager, "simpleapp-operator");
  EXPECT_TRUE(spec->externals.contains("release"));
  EXPECT_EQ(spec->watched.front().label_selector, "app=web");
}

TEST(OperatorTest, ViewMayBeAskedForDeclaredKindsOnly) {
  const absl::StatusOr<OperatorSpec> spec =
      Whole().Owns("apps/v1/deployments").Watches("v1/pods", {.mapper = NoKeys}).Build();
  ASSERT_OK(spec);
  EXPECT_EQ(spec->scope.controller, "simpleapp");
  EXPECT_THAT(spec->scope.resources,
              UnorderedElementsAre("simpleapps.apps.bootcamp.local", "deployments.apps", "pods"));
}

TEST(OperatorTest, FinalizerBringsTheEffectsItNeeds) {
  const absl::StatusOr<OperatorSpec> without = Whole().Effects({EffectKind::kApply}).Build();
  const absl::StatusOr<OperatorSpec> with =
      Whole().Effects({EffectKind::kApply}).Finalizer({.name = "a.b/c"}, Nothing).Build();
  ASSERT_OK(without);
  ASSERT_OK(with);
  EXPECT_THAT(without->effect_kinds, UnorderedElementsAre(EffectKind::kApply, EffectKind::kPatch));
  EXPECT_THAT(with->effect_kinds,
              UnorderedElementsAre(EffectKind::kApply, EffectKind::kPatch,
                                   EffectKind::kAddFinalizer, EffectKind::kRemoveFinalizer));
}

TEST(OperatorTest, ConfigurationChangesWithEveryDeclarationThatDataCanSay) {
  const auto text = [](const Operator& builder) { return builder.Build()->Configuration(); };
  const auto release = [](const ExternalCall&) { return absl::OkStatus(); };
  std::set<std::string> texts = {
      text(Whole()),
      text(Whole("other")),
      text(Whole().FieldManager("somebody")),
      text(Whole().Owns("apps/v1/deployments")),
      text(Whole().Owns("apps/v2/deployments")),
      text(Whole().Watches("apps/v1/deployments", {.mapper = NoKeys})),
      text(Whole().Watches("apps/v1/deployments", {.label_selector = "a=b", .mapper = NoKeys})),
      text(Whole().External("release", release)),
      text(Whole().Finalizer({.name = "a.b/c"}, Nothing))};
  EXPECT_EQ(texts.size(), 9u);
  EXPECT_EQ(text(Whole()), text(Whole()));
}

}  // namespace
}  // namespace logbook::reconcile
