#include <filesystem>
#include <fstream>
#include <string>

#include "targets.h"

#include "logbook/base/check.h"
#include "logbook/store/anchor.h"
#include "logbook/store/format_file.h"
#include "logbook/store/position.h"
#include "logbook/support/temp_dir.h"

namespace logbook::fuzz {
namespace {

// One per process: the files in it are written again and again.
const std::string& Directory() {
  static const TempDir directory;
  return directory.path();
}

void Write(const std::string& name, std::string_view bytes) {
  std::ofstream(Directory() + "/" + name, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void CheckFormat(std::string_view bytes) {
  Write("FORMAT", bytes);
  const absl::StatusOr<store::StoreFormat> format = store::ReadFormat(Directory());
  if (!format.ok()) {
    LOGBOOK_CHECK(absl::IsDataLoss(format.status()) || absl::IsFailedPrecondition(format.status()));
    return;
  }
  LOGBOOK_CHECK(format->version.major_number == store::kFormatVersion.major_number);
  if (store::WriteFormat(Directory(), *format).ok()) {
    const absl::StatusOr<store::StoreFormat> again = store::ReadFormat(Directory());
    LOGBOOK_CHECK(again.ok() && *again == *format);
  }
}

void CheckSynced(std::string_view bytes) {
  Write("SYNCED", bytes);
  const absl::StatusOr<std::optional<store::Position>> synced = store::ReadSynced(Directory());
  if (!synced.ok()) {
    LOGBOOK_CHECK(absl::IsDataLoss(synced.status()));
    return;
  }
  LOGBOOK_CHECK(synced->has_value());
  LOGBOOK_CHECK(store::WriteSynced(Directory(), **synced).ok());
  const absl::StatusOr<std::optional<store::Position>> again = store::ReadSynced(Directory());
  LOGBOOK_CHECK(again.ok() && *again == *synced);
}

void CheckAnchor(std::string_view bytes) {
  const absl::StatusOr<store::Anchor> anchor = store::ParseAnchor(bytes);
  if (anchor.ok()) {
    const absl::StatusOr<store::Anchor> again = store::ParseAnchor(store::ToString(*anchor));
    LOGBOOK_CHECK(again.ok() && *again == *anchor);
  }
}

}  // namespace

void FuzzText(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  switch (bytes[0]) {
    case 'f':
      return CheckFormat(bytes.substr(1));
    case 's':
      return CheckSynced(bytes.substr(1));
    default:
      return CheckAnchor(bytes.substr(1));
  }
}

}  // namespace logbook::fuzz
