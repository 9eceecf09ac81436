// Tells the thread sanitizer what abseil's locks do. Linked into every test of a tsan build.
//
// Distributions ship abseil without instrumentation, so the sanitizer sees no order between two
// holders of an absl::Mutex and reports races that are none. These definitions stand before those
// of the shared library, call them, and say "released" and "acquired" around them.
#include <string>

#include "absl/base/options.h"
#include "absl/synchronization/barrier.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include <dlfcn.h>

#include "logbook/base/check.h"

extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);

// RocksDB is not instrumented either, and hands rows between threads by atomics of its own.
const char* __tsan_default_suppressions() {
  return "race:rocksdb::\n";
}
}

namespace {

#define LOGBOOK_TEXT_(x) #x
#define LOGBOOK_TEXT(x) LOGBOOK_TEXT_(x)

// The library's own function; `suffix` is its mangled name behind "absl" and the inline namespace.
template <typename Function>
Function* Next(const std::string& suffix, const std::string& prefix = "_ZN") {
  const std::string ns = LOGBOOK_TEXT(ABSL_OPTION_INLINE_NAMESPACE_NAME);
  const std::string name = prefix + "4absl" + std::to_string(ns.size()) + ns + suffix;
  void* found = dlsym(RTLD_NEXT, name.c_str());
  LOGBOOK_CHECK(found != nullptr);
  return reinterpret_cast<Function*>(found);
}

// Says that whatever `mu` guards is handed over while the scope lasts.
class HandOver {
 public:
  explicit HandOver(void* mu) : mu_(mu) { __tsan_release(mu_); }

  ~HandOver() { __tsan_acquire(mu_); }

  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;

 private:
  void* const mu_;
};

}  // namespace

namespace absl {
ABSL_NAMESPACE_BEGIN

void Mutex::Lock() {
  static auto* const next = Next<void(Mutex*)>("5Mutex4LockEv");
  next(this);
  __tsan_acquire(this);
}

void Mutex::Unlock() {
  static auto* const next = Next<void(Mutex*)>("5Mutex6UnlockEv");
  __tsan_release(this);
  next(this);
}

bool Mutex::TryLock() {
  static auto* const next = Next<bool(Mutex*)>("5Mutex7TryLockEv");
  const bool locked = next(this);
  if (locked) {
    __tsan_acquire(this);
  }
  return locked;
}

void Mutex::ReaderLock() {
  static auto* const next = Next<void(Mutex*)>("5Mutex10ReaderLockEv");
  next(this);
  __tsan_acquire(this);
}

void Mutex::ReaderUnlock() {
  static auto* const next = Next<void(Mutex*)>("5Mutex12ReaderUnlockEv");
  __tsan_release(this);
  next(this);
}

void Mutex::LockWhen(const Condition& condition) {
  static auto* const next =
      Next<void(Mutex*, const Condition&)>("5Mutex8LockWhenERKNS0_9ConditionE");
  next(this, condition);
  __tsan_acquire(this);
}

void Mutex::Await(const Condition& condition) {
  static auto* const next = Next<void(Mutex*, const Condition&)>("5Mutex5AwaitERKNS0_9ConditionE");
  const HandOver scope(this);
  next(this, condition);
}

bool Mutex::AwaitWithTimeout(const Condition& condition, Duration timeout) {
  static auto* const next = Next<bool(Mutex*, const Condition&, Duration)>(
      "5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE");
  const HandOver scope(this);
  return next(this, condition, timeout);
}

bool Mutex::AwaitWithDeadline(const Condition& condition, Time deadline) {
  static auto* const next = Next<bool(Mutex*, const Condition&, Time)>(
      "5Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE");
  const HandOver scope(this);
  return next(this, condition, deadline);
}

// Called by whoever holds the lock, on behalf of others, after Unlock above has said "released".
bool Condition::Eval() const {
  static auto* const next = Next<bool(const Condition*)>("9Condition4EvalEv", "_ZNK");
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const bool holds = next(this);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return holds;
}

void CondVar::Wait(Mutex* mu) {
  static auto* const next = Next<void(CondVar*, Mutex*)>("7CondVar4WaitEPNS0_5MutexE");
  const HandOver scope(mu);
  next(this, mu);
}

bool CondVar::WaitWithTimeout(Mutex* mu, Duration timeout) {
  static auto* const next = Next<bool(CondVar*, Mutex*, Duration)>(
      "7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE");
  const HandOver scope(mu);
  return next(this, mu, timeout);
}

bool CondVar::WaitWithDeadline(Mutex* mu, Time deadline) {
  static auto* const next =
      Next<bool(CondVar*, Mutex*, Time)>("7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE");
  const HandOver scope(mu);
  return next(this, mu, deadline);
}

void Notification::Notify() {
  static auto* const next = Next<void(Notification*)>("12Notification6NotifyEv");
  __tsan_release(this);
  next(this);
}

void Notification::WaitForNotification() const {
  static auto* const next =
      Next<void(const Notification*)>("12Notification19WaitForNotificationEv", "_ZNK");
  next(this);
  __tsan_acquire(const_cast<Notification*>(this));
}

bool BlockingCounter::DecrementCount() {
  static auto* const next = Next<bool(BlockingCounter*)>("15BlockingCounter14DecrementCountEv");
  __tsan_release(this);
  return next(this);
}

void BlockingCounter::Wait() {
  static auto* const next = Next<void(BlockingCounter*)>("15BlockingCounter4WaitEv");
  next(this);
  __tsan_acquire(this);
}

bool Barrier::Block() {
  static auto* const next = Next<bool(Barrier*)>("7Barrier5BlockEv");
  const HandOver scope(this);
  return next(this);
}

ABSL_NAMESPACE_END
}  // namespace absl
