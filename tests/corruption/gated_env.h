// GatedEnv: RocksDB's files, with a gate before each new table file. While it is shut, a flush is
// under way for as long as a test wants, and the logs behind and before it are both alive.
#ifndef LOGBOOK_TESTS_CORRUPTION_GATED_ENV_H_
#define LOGBOOK_TESTS_CORRUPTION_GATED_ENV_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace logbook::store {

// Thread-safe.
class Gate {
 public:
  void SetOpen(bool open) {
    absl::MutexLock lock(&mu_);
    open_ = open;
  }

  void Pass() {
    absl::MutexLock lock(&mu_);
    ++waiting_;
    mu_.Await(absl::Condition(&open_));
    --waiting_;
  }

  // Blocks until somebody stands before the gate.
  void AwaitWaiting() {
    absl::MutexLock lock(&mu_);
    mu_.Await(absl::Condition(
        +[](int* waiting) { return *waiting > 0; }, &waiting_));
  }

 private:
  absl::Mutex mu_;
  bool open_ ABSL_GUARDED_BY(mu_) = true;
  int waiting_ ABSL_GUARDED_BY(mu_) = 0;
};

class GatedFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit GatedFileSystem(Gate& gate)
      : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()), gate_(gate) {}

  const char* Name() const override { return "GatedFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    if (path.ends_with(".sst")) {
      gate_.Pass();
    }
    return target()->NewWritableFile(path, options, file, context);
  }

 private:
  Gate& gate_;
};

// Outlives what is opened with it.
class GatedEnv {
 public:
  rocksdb::Env* env() { return env_.get(); }

  Gate& gate() { return gate_; }

 private:
  Gate gate_;
  std::unique_ptr<rocksdb::Env> env_ =
      rocksdb::NewCompositeEnv(std::make_shared<GatedFileSystem>(gate_));
};

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_CORRUPTION_GATED_ENV_H_
