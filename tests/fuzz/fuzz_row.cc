#include "targets.h"

#include "logbook/base/check.h"
#include "logbook/store/history.h"
#include "logbook/store/state_rows.h"

namespace logbook::fuzz {
namespace {

// What can be read is written, read and written again to the same bytes.
template <typename Decode, typename Encode>
void Check(std::string_view row, Decode decode, Encode encode) {
  const auto first = decode(row);
  if (!first.ok()) {
    return;
  }
  const std::string written = encode(*first);
  const auto second = decode(written);
  LOGBOOK_CHECK(second.ok());
  LOGBOOK_CHECK(encode(*second) == written);
}

}  // namespace

void FuzzRow(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  const std::string_view row = bytes.substr(1);
  switch (bytes[0]) {
    case 'o':
      return Check(
          row, [](std::string_view text) { return store::DecodeObjectRow(text); },
          [](const ObjectEntry& entry) { return store::EncodeObjectRow(entry); });
    case 'k':
      return Check(row, store::DecodeKeyRow, store::EncodeKeyRow);
    case 't':
      return Check(row, store::DecodeTombstoneRow, store::EncodeTombstoneRow);
    case 's':
      return Check(row, store::DecodeStreamRow, store::EncodeStreamRow);
    case 'b':
      return Check(row, store::DecodeBuildRow, [](const store::BuildOfRun& build) {
        return store::EncodeBuildRow(build.build, build.run);
      });
    case 'h':
      (void)store::DecodeHistoryRow(EventSeq(1), row);
      return;
    default:
      (void)store::DecodeNameRow(EventSeq(1), row);
  }
}

}  // namespace logbook::fuzz
