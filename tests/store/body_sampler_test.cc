#include "logbook/store/body_sampler.h"

#include <string>

#include <gtest/gtest.h>

#include "logbook/support/events.h"

namespace logbook::store {
namespace {

// A body of at least `bytes`.
ObjectPtr BodyOf(size_t bytes) {
  return MakeObject({.filler = std::string(bytes, 'x')});
}

void Offer(BodySampler& sampler, uint64_t count, const ObjectPtr& body, size_t coded_bytes) {
  for (uint64_t i = 0; i < count; ++i) {
    sampler.Offer(body, coded_bytes);
  }
}

// One that made a tenth of what it was measured on.
Dictionary Tenfold(uint32_t id) {
  return {.id = id, .zstd = nullptr, .plain_bytes = 10'000, .coded_bytes = 1'000};
}

TEST(BodySamplerTest, FirstDictionaryIsDueWhenThereAreEnoughBodiesOrBytes) {
  BodySampler sampler;
  Offer(sampler, BodySampler::kSamplesEnough - 1, BodyOf(300), 0);
  EXPECT_TRUE(sampler.TakeIfDue(nullptr).empty());
  Offer(sampler, 1, BodyOf(300), 0);
  EXPECT_EQ(sampler.TakeIfDue(nullptr).size(), BodySampler::kSamplesEnough);
  BodySampler large;
  Offer(large, 20, BodyOf(60'000), 0);
  EXPECT_EQ(large.TakeIfDue(nullptr).size(), 20u);
}

TEST(BodySamplerTest, WhatIsKeptIsBounded) {
  BodySampler sampler;
  Offer(sampler, 10'000, BodyOf(300), 0);
  EXPECT_EQ(sampler.TakeIfDue(nullptr).size(), BodySampler::kSamplesMax);
  BodySampler large;
  Offer(large, 1'000, BodyOf(60'000), 0);
  Offer(large, 1'000, BodyOf(1'000'000), 0);
  EXPECT_LE(large.TakeIfDue(nullptr).size(), BodySampler::kSampleBytesMax / 60'000);
}

TEST(BodySamplerTest, AfterATrainingNothingIsDueForAWhile) {
  BodySampler sampler;
  Offer(sampler, 1'000, BodyOf(300), 0);
  EXPECT_FALSE(sampler.TakeIfDue(nullptr).empty());
  Offer(sampler, BodySampler::kWindowBodies - 1, BodyOf(300), 0);
  EXPECT_TRUE(sampler.TakeIfDue(nullptr).empty()) << "and none came of it";
}

TEST(BodySamplerTest, DictionaryThatDoesAsWellAsAtItsTrainingStays) {
  const Dictionary newest = Tenfold(1);
  BodySampler sampler;
  EXPECT_TRUE(sampler.TakeIfDue(&newest).empty());
  const ObjectPtr body = BodyOf(1'000);
  Offer(sampler, 20'000, body, body->json().size() / 10);
  EXPECT_TRUE(sampler.TakeIfDue(&newest).empty());
}

TEST(BodySamplerTest, DictionaryThatDoesWorseIsReplacedOnceThereAreSamples) {
  const Dictionary newest = Tenfold(1);
  BodySampler sampler;
  EXPECT_TRUE(sampler.TakeIfDue(&newest).empty());
  const ObjectPtr body = BodyOf(1'000);
  Offer(sampler, BodySampler::kWindowBodies - 1, body, body->json().size() / 5);
  EXPECT_TRUE(sampler.TakeIfDue(&newest).empty());
  Offer(sampler, 1, body, body->json().size() / 5);
  EXPECT_FALSE(sampler.TakeIfDue(&newest).empty());
  Offer(sampler, BodySampler::kWindowBodies, body, body->json().size() / 5);
  EXPECT_TRUE(sampler.TakeIfDue(&newest).empty()) << "the wait doubles";
}

TEST(BodySamplerTest, NoMoreDictionariesThanAStoreMayHave) {
  const Dictionary newest = Tenfold(kDictionariesMax);
  BodySampler sampler;
  EXPECT_TRUE(sampler.TakeIfDue(&newest).empty());
  Offer(sampler, 100'000, BodyOf(1'000), 900);
  EXPECT_TRUE(sampler.TakeIfDue(&newest).empty());
}

}  // namespace
}  // namespace logbook::store
