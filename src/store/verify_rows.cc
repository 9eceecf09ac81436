#include "absl/strings/escaping.h"

#include "logbook/store/body_codec.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/state_rows.h"
#include "logbook/store/verify_checks.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

absl::Status CheckNotAhead(const Verification& verification, EventSeq seq) {
  if (seq > verification.report.position.seq) {
    return DataLoss("is of event ", seq.value, ", but the last event is ",
                    verification.report.position.seq.value);
  }
  return absl::OkStatus();
}

absl::Status CheckObject(const Verification& verification, BodyReader& bodies, std::string_view key,
                         std::string_view value) {
  LOGBOOK_ASSIGN_OR_RETURN(const ObjectRef ref, ParseObjectRowKey(key));
  LOGBOOK_ASSIGN_OR_RETURN(const ObjectEntry entry, DecodeObjectRow(value, &bodies));
  if (entry.object->key() != ref.key) {
    return DataLoss("holds object ", entry.object->key().ToString());
  }
  return CheckNotAhead(verification, entry.seq);
}

absl::Status CheckKey(const Verification& verification, std::string_view key,
                      std::string_view value) {
  LOGBOOK_RETURN_IF_ERROR(ParseKeyRowKey(key).status());
  LOGBOOK_ASSIGN_OR_RETURN(const KeyState state, DecodeKeyRow(value));
  return CheckNotAhead(verification, state.seq);
}

}  // namespace

void CheckRows(Verification& verification, std::string_view name, ColumnFamily family,
               std::string_view prefix,
               absl::FunctionRef<absl::Status(std::string_view, std::string_view)> check) {
  const absl::Status read = verification.database.Scan(
      family, prefix, EndOfPrefix(prefix), [&](std::string_view key, std::string_view value) {
        ++verification.report.rows;
        const absl::Status status = check(key, value);
        if (!status.ok()) {
          verification.Found(name, "row ", ToStd(absl::CEscape(ToAbsl(key))), " of ",
                             NameOf(family), ": ", status.message());
        }
        return true;
      });
  verification.FoundIfError(name, read);
}

void CheckBookmarks(Verification& verification) {
  CheckRows(verification, "bookmarks", ColumnFamily::kMeta, kMetaBookmarkPrefix,
            [&](std::string_view key, std::string_view value) -> absl::Status {
              LOGBOOK_RETURN_IF_ERROR(ParseStreamRowKey(kMetaBookmarkPrefix, key).status());
              v1::BookmarkRow row;
              if (!row.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
                return DataLoss("unreadable");
              }
              return CheckNotAhead(verification, EventSeq(row.seq()));
            });
}

void CheckDictionaries(Verification& verification) {
  CheckRows(verification, "dictionaries", ColumnFamily::kMeta, kMetaDictionaryPrefix,
            [](std::string_view key, std::string_view value) -> absl::Status {
              LOGBOOK_ASSIGN_OR_RETURN(const StreamId id,
                                       ParseStreamRowKey(kMetaDictionaryPrefix, key));
              return DecodeDictionaryRow(id.value, value).status();
            });
}

void CheckStateRows(Verification& verification) {
  BodyReader bodies(verification.database, verification.dictionaries);
  CheckRows(verification, "state", ColumnFamily::kState, "",
            [&](std::string_view key, std::string_view value) {
              return key.substr(0, 1) == kStateObjectPrefix
                         ? CheckObject(verification, bodies, key, value)
                         : CheckKey(verification, key, value);
            });
  CheckRows(verification, "state", ColumnFamily::kTombstones, "",
            [&](std::string_view, std::string_view value) -> absl::Status {
              LOGBOOK_ASSIGN_OR_RETURN(const Tombstone row, DecodeTombstoneRow(value));
              return CheckNotAhead(verification, row.seq);
            });
  CheckRows(verification, "state", ColumnFamily::kMeta, kMetaStreamPrefix,
            [&](std::string_view key, std::string_view value) -> absl::Status {
              LOGBOOK_RETURN_IF_ERROR(ParseStreamRowKey(kMetaStreamPrefix, key).status());
              LOGBOOK_ASSIGN_OR_RETURN(const StreamState row, DecodeStreamRow(value));
              return CheckNotAhead(verification, row.seq);
            });
}

}  // namespace logbook::store
