// BodySampler: what goes through the journal, in samples, and whether it is time to make a
// dictionary of them.
//
// Threads:  Thread-safe: the writer offers, whoever trains takes.
#ifndef LOGBOOK_STORE_BODY_SAMPLER_H_
#define LOGBOOK_STORE_BODY_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "logbook/model/object.h"
#include "logbook/store/dictionaries.h"

namespace logbook::store {

class BodySampler {
 public:
  // Samples that are kept, the latest; training takes some 30 ms per MB of them.
  static constexpr size_t kSamplesMax = 1'024;
  static constexpr size_t kSampleBytesMax = size_t{2} << 20;
  // Enough for a first dictionary: either.
  static constexpr size_t kSamplesEnough = 512;
  static constexpr size_t kSampleBytesEnough = size_t{1} << 20;
  // zstd does not look at more of one sample, and a few large ones would crowd out the others.
  static constexpr size_t kSampleBytesOfOne = size_t{64} << 10;
  // Once there is a dictionary, one body in so many is kept.
  static constexpr uint64_t kStride = 16;
  // Bodies over which the ratio is watched, and after which the next training may be due; doubled
  // with each training, so that a mix which changes all the time does not use up all dictionaries.
  static constexpr uint64_t kWindowBodies = 8'192;

  // A body that is about to be appended, and how many bytes the newest dictionary makes of it; 0 if
  // it had no part in it.
  void Offer(const ObjectPtr& object, size_t coded_bytes);

  // The samples, if a dictionary is to be trained of them: there is none (`newest` is null), or it
  // does clearly worse than it did on what it was trained for. Otherwise, and once they are taken,
  // nothing is due for a while.
  std::vector<ObjectPtr> TakeIfDue(const Dictionary* newest);

 private:
  void Keep(const ObjectPtr& object) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool EnoughSamples() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool DoesWorse(const Dictionary& newest) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  mutable absl::Mutex mu_;
  std::deque<ObjectPtr> samples_ ABSL_GUARDED_BY(mu_);
  size_t sample_bytes_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t wait_bodies_ ABSL_GUARDED_BY(mu_) = 0;  // until the next look; 0: before the first
  // Since the last look.
  uint64_t bodies_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t plain_bytes_ ABSL_GUARDED_BY(mu_) = 0;  // of those that were coded by a dictionary
  uint64_t coded_bytes_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_BODY_SAMPLER_H_
