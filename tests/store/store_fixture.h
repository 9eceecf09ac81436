// A store in a directory of its own, and what tests do to stores: crash them and damage their
// files.
#ifndef LOGBOOK_TESTS_STORE_STORE_FIXTURE_H_
#define LOGBOOK_TESTS_STORE_STORE_FIXTURE_H_

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "logbook/base/check.h"
#include "logbook/store/journal.h"
#include "logbook/store/verify.h"
#include "logbook/support/events.h"
#include "logbook/support/fake_clock.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::store {

inline std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteBytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

class StoreTest : public ::testing::Test {
 protected:
  const std::string& directory() const { return directory_; }

  JournalOptions Options() const {
    return {.directory = directory_,
            .identity = {.cluster_uid = "cluster-1", .operator_name = "simpleapp"},
            .create_if_missing = true,
            .clock = &clock_};
  }

  static std::unique_ptr<Journal> MustOpen(const JournalOptions& options) {
    absl::StatusOr<std::unique_ptr<Journal>> journal = Journal::Open(options);
    if (!journal.ok()) {
      ADD_FAILURE() << journal.status();
      LOGBOOK_CHECK(journal.ok());
    }
    return *std::move(journal);
  }

  std::unique_ptr<Journal> MustOpen() const { return MustOpen(Options()); }

  absl::Status TryOpen() const { return Journal::Open(Options()).status(); }

  static EventSeq Next(const Journal& journal) { return journal.last().Next(); }

  // Appends observations of objects app-0, app-1, … with their stream's bookmark "rv-<seq>".
  static void AppendObserved(Journal& journal, int count, Fsync fsync) {
    for (int i = 0; i < count; ++i) {
      const EventSeq seq = Next(journal);
      const Event event = ObservedEvent(
          seq, journal.run(),
          {.name = Concat("app-", i % 7), .uid = Concat("uid-", i % 7), .filler = Filler(400)});
      const BookmarkUpdate bookmark{.stream = StreamId(1),
                                    .resource_version = Concat("rv-", seq.value)};
      ASSERT_OK(journal.Append({&event, 1}, {&bookmark, 1}, fsync));
    }
  }

  // What the disk holds at this moment, as if the process were killed; the journal is then dropped.
  void Crash(std::unique_ptr<Journal>& journal) {
    const std::string image = temp_ / Concat("crash-", ++crashes_);
    std::filesystem::copy(directory_, image, std::filesystem::copy_options::recursive);
    journal.reset();
    std::filesystem::remove_all(directory_);
    std::filesystem::rename(image, directory_);
  }

  // The write-ahead log that is in use.
  std::string LogFile() const {
    std::string newest;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/db")) {
      if (entry.path().extension() == ".log") {
        newest = std::max(newest, entry.path().string());
      }
    }
    return newest;
  }

  // Lets `damage` change the rows of a store that is not open.
  void Tamper(const std::function<void(const Database&, RowBatch&)>& damage) const {
    auto database = Database::Open({.directory = directory_ + "/db", .logger = {}});
    ASSERT_OK(database);
    RowBatch batch(**database);
    damage(**database, batch);
    ASSERT_OK((*database)->Write(batch, Fsync::kYes));
  }

  VerifyReport Verify() const {
    absl::StatusOr<VerifyReport> report = VerifyStore({.directory = directory_});
    EXPECT_OK(report);
    return report.ok() ? *std::move(report) : VerifyReport();
  }

  void ExpectSound() const {
    for (const Finding& finding : Verify().findings) {
      ADD_FAILURE() << finding.check << ": " << finding.text;
    }
  }

  // Every file's content by name, but for the lock, which every opening writes.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      if (entry.is_regular_file() && entry.path().filename() != "LOGBOOK_LOCK") {
        files[entry.path().string()] = ReadBytes(entry.path().string());
      }
    }
    return files;
  }

  static std::string Filler(size_t bytes) {
    std::string filler;
    for (size_t i = 0; i < bytes; ++i) {
      filler += static_cast<char>('a' + i * i % 23);
    }
    return filler;
  }

  FakeClock clock_;
  TempDir temp_;
  std::string directory_ = temp_ / "store";
  int crashes_ = 0;
};

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_STORE_STORE_FIXTURE_H_
