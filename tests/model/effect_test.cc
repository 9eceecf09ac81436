#include "logbook/model/effect.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "logbook/v1/record.pb.h"

namespace logbook {
namespace {

TEST(EffectTest, OperationIdNamesRunSeqAndOrdinal) {
  EXPECT_EQ(OperationId(RunId(3), EventSeq(42), 7), "3.42.7");
  EXPECT_EQ(OperationId(RunId(), EventSeq(18'446'744'073'709'551'615U), 0),
            "0.18446744073709551615.0");
}

TEST(EffectTest, EveryKindHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int kind = v1::EffectKind_MIN + 1; kind <= v1::EffectKind_MAX; ++kind) {
    names.insert(ToString(static_cast<EffectKind>(kind)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(v1::EffectKind_MAX));
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(ToString(static_cast<EffectKind>(v1::EffectKind_MAX + 1)), "unknown");
}

TEST(EffectTest, EveryOutcomeHasAName) {
  EXPECT_EQ(ToString(OutcomeKind::kSucceeded), "succeeded");
  EXPECT_EQ(ToString(OutcomeKind::kFailed), "failed");
  EXPECT_EQ(ToString(OutcomeKind::kSkipped), "skipped");
  EXPECT_EQ(ToString(OutcomeKind::kUnknown), "unknown");
}

// Numbers on disk and numbers in memory are the same, for ever.
static_assert(static_cast<int>(EffectKind::kApply) == v1::APPLY);
static_assert(static_cast<int>(EffectKind::kCreate) == v1::CREATE);
static_assert(static_cast<int>(EffectKind::kDelete) == v1::DELETE);
static_assert(static_cast<int>(EffectKind::kPatchStatus) == v1::PATCH_STATUS);
static_assert(static_cast<int>(EffectKind::kAddFinalizer) == v1::ADD_FINALIZER);
static_assert(static_cast<int>(EffectKind::kRemoveFinalizer) == v1::REMOVE_FINALIZER);
static_assert(static_cast<int>(EffectKind::kEmitEvent) == v1::EMIT_EVENT);
static_assert(static_cast<int>(EffectKind::kExternal) == v1::EXTERNAL);
static_assert(static_cast<int>(OutcomeKind::kSucceeded) == v1::SUCCEEDED);
static_assert(static_cast<int>(OutcomeKind::kFailed) == v1::FAILED_OUTCOME);
static_assert(static_cast<int>(OutcomeKind::kSkipped) == v1::SKIPPED);
static_assert(static_cast<int>(OutcomeKind::kUnknown) == v1::UNKNOWN);

}  // namespace
}  // namespace logbook
