// FaultyFileSystem: RocksDB's files, with a disk that fills up or fails when a test says so.
#ifndef LOGBOOK_TESTS_STORE_FAULTY_FILE_SYSTEM_H_
#define LOGBOOK_TESTS_STORE_FAULTY_FILE_SYSTEM_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace logbook::store {

// What goes wrong, and what happened. Thread-safe.
struct Faults {
  // Bytes that may still be written to log files; what goes beyond finds the disk full.
  std::atomic<int64_t> log_bytes_left{std::numeric_limits<int64_t>::max()};
  std::atomic<bool> log_sync_fails{false};
  std::atomic<int> log_syncs{0};  // of log files, so far
  // Reads of table files that may still succeed.
  std::atomic<int64_t> table_reads_left{std::numeric_limits<int64_t>::max()};
};

class FaultyFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, Faults& faults)
      : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), faults_(faults) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
    if (faults_.log_bytes_left.fetch_sub(static_cast<int64_t>(data.size())) <
        static_cast<int64_t>(data.size())) {
      return rocksdb::IOStatus::NoSpace("No space left on device (injected)");
    }
    return rocksdb::FSWritableFileOwnerWrapper::Append(data, options, context);
  }

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&,
                           rocksdb::IODebugContext* context) override {
    return Append(data, options, context);
  }

  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* context) override {
    ++faults_.log_syncs;
    if (faults_.log_sync_fails) {
      return rocksdb::IOStatus::IOError("Input/output error (injected)");
    }
    return rocksdb::FSWritableFileOwnerWrapper::Sync(options, context);
  }

 private:
  Faults& faults_;
};

class FaultyTable : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  FaultyTable(std::unique_ptr<rocksdb::FSRandomAccessFile> file, Faults& faults)
      : rocksdb::FSRandomAccessFileOwnerWrapper(std::move(file)), faults_(faults) {}

  rocksdb::IOStatus Read(uint64_t offset, size_t bytes, const rocksdb::IOOptions& options,
                         rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* context) const override {
    if (faults_.table_reads_left.fetch_sub(1) <= 0) {
      return rocksdb::IOStatus::IOError("Input/output error (injected)");
    }
    return rocksdb::FSRandomAccessFileOwnerWrapper::Read(offset, bytes, options, result, scratch,
                                                         context);
  }

 private:
  Faults& faults_;
};

class FaultyFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultyFileSystem(Faults& faults)
      : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()), faults_(faults) {}

  const char* Name() const override { return "FaultyFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = target()->NewWritableFile(path, options, file, context);
    if (status.ok() && path.ends_with(".log")) {
      *file = std::make_unique<FaultyFile>(std::move(*file), faults_);
    }
    return status;
  }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = target()->NewRandomAccessFile(path, options, file, context);
    if (status.ok() && path.ends_with(".sst")) {
      *file = std::make_unique<FaultyTable>(std::move(*file), faults_);
    }
    return status;
  }

 private:
  Faults& faults_;
};

// An Env with faults, to be handed to a journal; outlives it.
class FaultyEnv {
 public:
  rocksdb::Env* env() { return env_.get(); }

  Faults& faults() { return faults_; }

 private:
  Faults faults_;
  std::unique_ptr<rocksdb::Env> env_ =
      rocksdb::NewCompositeEnv(std::make_shared<FaultyFileSystem>(faults_));
};

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_STORE_FAULTY_FILE_SYSTEM_H_
