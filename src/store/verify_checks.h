// The parts of verify.h: what the checks share, and the checks of events and of rows. Private to
// this folder.
#ifndef LOGBOOK_STORE_VERIFY_CHECKS_H_
#define LOGBOOK_STORE_VERIFY_CHECKS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"

#include "logbook/model/ids.h"
#include "logbook/store/database.h"
#include "logbook/store/dictionaries.h"
#include "logbook/store/store_directory.h"
#include "logbook/store/verify.h"

namespace logbook::store {

// A sum over history rows that does not depend on their order: equal sums, equal rows. Summing what
// the events ask for and what is there costs one pass over each, while looking up each row costs a
// block read from disk.
class HistorySum {
 public:
  void Add(std::string_view row_key, uint32_t kind, std::string_view uid);

  friend bool operator==(const HistorySum&, const HistorySum&) = default;

 private:
  uint64_t low_ = 0;
  uint64_t high_ = 0;
};

// What stands beside the database.
struct VerifiedFiles {
  std::optional<LockFile> lock;
  std::optional<std::string> store;  // its uuid; nothing if FORMAT cannot be read
  std::optional<Position> synced;    // nothing if there is no SYNCED, or it cannot be read
  bool synced_is_damaged = false;
};

// What is checked against what. Confined.
class Verification {
 public:
  Verification(const VerifyOptions& options, const VerifiedFiles& files, const Database& database,
               const Dictionaries& dictionaries)
      : options(options), files(files), database(database), dictionaries(dictionaries) {}

  template <typename... Parts>
  void Found(std::string_view check, const Parts&... parts) {
    if (++found_[std::string(check)] > VerifyReport::kFindingsMax) {
      ++report.findings_dropped;
    } else {
      report.findings.push_back({.check = std::string(check), .text = Concat(parts...)});
    }
  }

  // An error is a finding; OK is none.
  void FoundIfError(std::string_view check, const absl::Status& status) {
    if (!status.ok()) {
      Found(check, status.message());
    }
  }

  const VerifyOptions& options;
  const VerifiedFiles& files;
  const Database& database;
  const Dictionaries& dictionaries;
  EventSeq state_seq;
  Position watermark;
  HistorySum history_wanted;  // of the events up to state_seq
  VerifyReport report;

 private:
  std::map<std::string, int> found_;  // per check
};

// events: numbered without gaps, chained, decodable, referring only to what came before. Sets
// report.events, report.position and history_wanted.
void CheckEvents(Verification& verification);

// Rows of dictionaries are whole. That none is missing is found by CheckEvents and CheckStateRows.
void CheckDictionaries(Verification& verification);

// meta: store, run, state_seq and bookmarks; SYNCED. After CheckEvents. CheckStateSeq and
// CheckWatermark set what they are named after and come before it.
void CheckStateSeq(Verification& verification);
void CheckWatermark(Verification& verification);
void CheckMeta(Verification& verification);
void CheckSynced(Verification& verification);
void CheckBookmarks(Verification& verification);

// state, tombstones and streams can be read and are not ahead of the journal.
void CheckStateRows(Verification& verification);

// base can be read, is of the watermark, and has a row of history for each record it keeps.
void CheckBaseRows(Verification& verification);

// history says what the events say: all of them up to state_seq, some beyond it if a checkpoint was
// interrupted; names says what history says.
void CheckHistoryRows(Verification& verification);
void CheckNameRows(Verification& verification);

// Hands each row of `family` that begins with `prefix` to check(key, value), whose errors are
// findings of the check `name`.
void CheckRows(Verification& verification, std::string_view name, ColumnFamily family,
               std::string_view prefix,
               absl::FunctionRef<absl::Status(std::string_view, std::string_view)> check);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_VERIFY_CHECKS_H_
