// FORMAT: whose store this is and how it is written, in a text file beside the database.
//
// It is read before RocksDB is opened, since opening already writes: a build that does not know the
// format must leave no trace.
//
// Source:   docs/format.md.
// Errors:   name the directory, both sides of what does not fit, and what to do.
#ifndef LOGBOOK_STORE_FORMAT_FILE_H_
#define LOGBOOK_STORE_FORMAT_FILE_H_

#include <optional>
#include <string>
#include <string_view>

#include "logbook/base/status.h"
#include "logbook/model/ids.h"

namespace logbook::store {

// A build opens stores of its own major version, whatever the minor: a newer minor version adds
// only what older builds may skip.
struct FormatVersion {
  int major_number = 1;
  int minor_number = 0;

  std::string ToString() const;

  friend bool operator==(const FormatVersion&, const FormatVersion&) = default;
};

inline constexpr FormatVersion kFormatVersion = {.major_number = 1, .minor_number = 0};

// Whom a store serves. Empty parts are not known, and not compared.
struct StoreIdentity {
  std::string cluster_uid;
  std::string operator_name;

  friend bool operator==(const StoreIdentity&, const StoreIdentity&) = default;
};

// What a store was restored from. It went another way than its original from there on.
struct RestoredFrom {
  std::string uuid;  // of the store that the backup was taken of
  EventSeq seq;      // of the Gap event that says so

  friend bool operator==(const RestoredFrom&, const RestoredFrom&) = default;
};

struct StoreFormat {
  FormatVersion version;
  std::string uuid;  // of the store; made at its creation
  StoreIdentity identity;
  std::optional<RestoredFrom> restored;  // nothing for most

  friend bool operator==(const StoreFormat&, const StoreFormat&) = default;
};

// Errors: kNotFound if there is no such file; kFailedPrecondition for a newer major version;
// kDataLoss if it cannot be understood.
absl::StatusOr<StoreFormat> ReadFormat(const std::string& directory);

// Writes the file whole or not at all. Errors: kInvalidArgument if the identity is incomplete or
// would not stand in one line.
absl::Status WriteFormat(const std::string& directory, const StoreFormat& format);

// Whether the store is `expected`'s. Errors: kFailedPrecondition naming both.
absl::Status CheckIdentity(const std::string& directory, const StoreIdentity& found,
                           const StoreIdentity& expected);

// A random UUID (version 4).
std::string NewUuid();

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_FORMAT_FILE_H_
