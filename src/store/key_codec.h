// Keys of rows: docs/format.md is the specification.
//
// Shape:    a name becomes its bytes with NUL written as 00 FF, ended by 00 01; numbers are
//           big-endian and of fixed width. So keys order as the tuples they stand for, and a key
//           that ends with a seq is preceded by all smaller seqs of its name.
// Errors:   parsing gives kDataLoss naming the key in hex.
#ifndef LOGBOOK_STORE_KEY_CODEC_H_
#define LOGBOOK_STORE_KEY_CODEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "logbook/base/status.h"
#include "logbook/model/ids.h"
#include "logbook/model/object_key.h"

namespace logbook::store {

// Rows of meta. Durable.
inline constexpr std::string_view kMetaRun = "run";
inline constexpr std::string_view kMetaStore = "store";
inline constexpr std::string_view kMetaStateSeq = "state_seq";
inline constexpr std::string_view kMetaBuild = "build";
inline constexpr std::string_view kMetaSynced = "synced";
inline constexpr std::string_view kMetaWatermark = "watermark";
inline constexpr std::string_view kMetaHoldPrefix = "hold/";
inline constexpr std::string_view kMetaBookmarkPrefix = "bookmark/";
inline constexpr std::string_view kMetaStreamPrefix = "stream/";
inline constexpr std::string_view kMetaDictionaryPrefix = "dictionary/";

// First byte of the keys of state. Durable.
inline constexpr std::string_view kStateObjectPrefix = "o";
inline constexpr std::string_view kStateKeyPrefix = "k";

// First byte of the keys of base, besides those of state. Durable.
inline constexpr std::string_view kBaseTombstonePrefix = "t";
inline constexpr std::string_view kBaseStreamPrefix = "s";
inline constexpr std::string_view kBaseBuildPrefix = "b";
inline constexpr std::string_view kBaseKeptPrefix = "d";

// A number as the value of a row: 8 bytes, big-endian.
std::string EncodeNumber(uint64_t number);
absl::StatusOr<uint64_t> DecodeNumber(std::string_view bytes);

// events: the seq.
std::string EventRowKey(EventSeq seq);
absl::StatusOr<EventSeq> ParseEventRowKey(std::string_view key);

// state: 'o' resource namespace name, and 'k' controller namespace name.
std::string ObjectRowKey(std::string_view resource, const ObjectKey& key);
std::string KeyRowKey(const ControllerKey& key);
absl::StatusOr<ObjectRef> ParseObjectRowKey(std::string_view key);
absl::StatusOr<ControllerKey> ParseKeyRowKey(std::string_view key);

// base: 't' uid. The uid must be escaped, since a watermark follows.
std::string BaseTombstoneKey(std::string_view uid);
absl::StatusOr<std::string> ParseBaseTombstoneKey(std::string_view key);

// base: a row's key and the watermark from which on it holds.
std::string BaseRowKey(std::string_view row, EventSeq watermark);

struct BaseRow {
  std::string_view row;  // a part of the key that was parsed
  EventSeq watermark;
};

absl::StatusOr<BaseRow> ParseBaseRowKey(std::string_view key);

// base: 'd' seq, the record of a trimmed event that is kept all the same.
std::string KeptRowKey(EventSeq seq);
absl::StatusOr<EventSeq> ParseKeptRowKey(std::string_view key);

// meta: prefix and the stream's number in ten decimal digits.
std::string StreamRowKey(std::string_view prefix, StreamId stream);
absl::StatusOr<StreamId> ParseStreamRowKey(std::string_view prefix, std::string_view key);

// history and names: resource namespace name seq.
struct NamedSeq {
  std::string resource;
  ObjectKey key;
  EventSeq seq;

  friend bool operator==(const NamedSeq&, const NamedSeq&) = default;
};

std::string NamedSeqPrefix(std::string_view resource, const ObjectKey& key);
std::string NamedSeqRowKey(std::string_view resource, const ObjectKey& key, EventSeq seq);
absl::StatusOr<NamedSeq> ParseNamedSeqRowKey(std::string_view key);

// The least key that is greater than all keys beginning with `prefix`; empty if there is none.
std::string EndOfPrefix(std::string_view prefix);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_KEY_CODEC_H_
