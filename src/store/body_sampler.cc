#include "logbook/store/body_sampler.h"

#include <algorithm>
#include <utility>

namespace logbook::store {

void BodySampler::Offer(const ObjectPtr& object, size_t coded_bytes) {
  absl::MutexLock lock(&mu_);
  ++bodies_;
  if (coded_bytes != 0) {
    plain_bytes_ += object->json().size();
    coded_bytes_ += coded_bytes;
  }
  if (wait_bodies_ == 0 || bodies_ % kStride == 0) {
    Keep(object);
  }
}

void BodySampler::Keep(const ObjectPtr& object) {
  if (object->json().size() > kSampleBytesOfOne) {
    return;
  }
  samples_.push_back(object);
  sample_bytes_ += object->json().size();
  while (samples_.size() > kSamplesMax || sample_bytes_ > kSampleBytesMax) {
    sample_bytes_ -= samples_.front()->json().size();
    samples_.pop_front();
  }
}

bool BodySampler::EnoughSamples() const {
  return samples_.size() >= kSamplesEnough || sample_bytes_ >= kSampleBytesEnough;
}

// By half: what differs from day to day differs by less.
bool BodySampler::DoesWorse(const Dictionary& newest) const {
  const double now = static_cast<double>(coded_bytes_) / static_cast<double>(plain_bytes_ + 1);
  const double then =
      static_cast<double>(newest.coded_bytes) / static_cast<double>(newest.plain_bytes + 1);
  return now > 1.5 * then;
}

std::vector<ObjectPtr> BodySampler::TakeIfDue(const Dictionary* newest) {
  absl::MutexLock lock(&mu_);
  if (newest != nullptr && wait_bodies_ == 0) {
    wait_bodies_ = kWindowBodies;  // the store was opened with a dictionary
  }
  if (bodies_ < wait_bodies_ || !EnoughSamples()) {
    return {};
  }
  const bool due = newest == nullptr || (newest->id < kDictionariesMax && DoesWorse(*newest));
  bodies_ = plain_bytes_ = coded_bytes_ = 0;
  if (!due) {
    return {};
  }
  wait_bodies_ = std::max(kWindowBodies, 2 * wait_bodies_);
  std::vector<ObjectPtr> taken(samples_.begin(), samples_.end());
  samples_.clear();
  sample_bytes_ = 0;
  return taken;
}

}  // namespace logbook::store
