#include "logbook/store/key_codec.h"

#include <algorithm>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace logbook::store {
namespace {

constexpr size_t kNumberBytes = 8;
constexpr std::string_view kEscapedNul("\0\xff", 2);
constexpr std::string_view kEndOfField("\0\x01", 2);

absl::Status Malformed(std::string_view what, std::string_view key) {
  return DataLoss("malformed ", what, " key ", ToStd(absl::BytesToHexString(ToAbsl(key))));
}

void AppendField(std::string& key, std::string_view field) {
  for (size_t nul = field.find('\0'); nul != std::string_view::npos; nul = field.find('\0')) {
    key.append(field.substr(0, nul)).append(kEscapedNul);
    field.remove_prefix(nul + 1);
  }
  key.append(field).append(kEndOfField);
}

// Cuts the first field off the front of `rest`; nothing if it has no proper end.
std::optional<std::string> CutField(std::string_view& rest) {
  std::string field;
  size_t nul = rest.find('\0');
  while (nul != std::string_view::npos) {
    field.append(rest.substr(0, nul));
    const std::string_view mark = rest.substr(nul, 2);
    rest.remove_prefix(nul + mark.size());
    if (mark == kEndOfField) {
      return field;
    }
    if (mark != kEscapedNul) {
      return std::nullopt;
    }
    field.push_back('\0');
    nul = rest.find('\0');
  }
  return std::nullopt;
}

// The three fields every name has: of what, in which namespace, called what.
std::string NameKey(std::string_view prefix, std::string_view of, const ObjectKey& key) {
  std::string bytes;
  bytes.reserve(prefix.size() + of.size() + key.ns.size() + key.name.size() + 6 + kNumberBytes);
  bytes.append(prefix);
  AppendField(bytes, of);
  AppendField(bytes, key.ns);
  AppendField(bytes, key.name);
  return bytes;
}

std::optional<NamedSeq> CutName(std::string_view& rest) {
  std::optional<std::string> of = CutField(rest);
  std::optional<std::string> ns = of ? CutField(rest) : std::nullopt;
  std::optional<std::string> name = ns ? CutField(rest) : std::nullopt;
  if (!name) {
    return std::nullopt;
  }
  return NamedSeq{.resource = *std::move(of),
                  .key = {.ns = *std::move(ns), .name = *std::move(name)},
                  .seq = {}};
}

// A key of state: `prefix` and a name, nothing after it.
absl::StatusOr<NamedSeq> ParseStateKey(std::string_view prefix, std::string_view key) {
  std::string_view rest = key;
  if (absl::StartsWith(ToAbsl(rest), ToAbsl(prefix))) {
    rest.remove_prefix(prefix.size());
    std::optional<NamedSeq> name = CutName(rest);
    if (name && rest.empty()) {
      return *std::move(name);
    }
  }
  return Malformed("state", key);
}

}  // namespace

std::string EncodeNumber(uint64_t number) {
  std::string bytes(kNumberBytes, '\0');
  for (size_t i = 0; i < kNumberBytes; ++i) {
    bytes[kNumberBytes - 1 - i] = static_cast<char>(number >> (8 * i));
  }
  return bytes;
}

absl::StatusOr<uint64_t> DecodeNumber(std::string_view bytes) {
  if (bytes.size() != kNumberBytes) {
    return DataLoss("number of ", bytes.size(), " bytes instead of ", kNumberBytes);
  }
  uint64_t number = 0;
  for (char byte : bytes) {
    number = number << 8 | static_cast<uint8_t>(byte);
  }
  return number;
}

std::string EventRowKey(EventSeq seq) {
  return EncodeNumber(seq.value);
}

absl::StatusOr<EventSeq> ParseEventRowKey(std::string_view key) {
  const absl::StatusOr<uint64_t> seq = DecodeNumber(key);
  if (!seq.ok()) {
    return Malformed("event", key);
  }
  return EventSeq(*seq);
}

std::string ObjectRowKey(std::string_view resource, const ObjectKey& key) {
  return NameKey(kStateObjectPrefix, resource, key);
}

std::string KeyRowKey(const ControllerKey& key) {
  return NameKey(kStateKeyPrefix, key.controller, key.object);
}

absl::StatusOr<ObjectRef> ParseObjectRowKey(std::string_view key) {
  LOGBOOK_ASSIGN_OR_RETURN(NamedSeq name, ParseStateKey(kStateObjectPrefix, key));
  return ObjectRef{.resource = std::move(name.resource), .key = std::move(name.key), .uid = {}};
}

absl::StatusOr<ControllerKey> ParseKeyRowKey(std::string_view key) {
  LOGBOOK_ASSIGN_OR_RETURN(NamedSeq name, ParseStateKey(kStateKeyPrefix, key));
  return ControllerKey{.controller = std::move(name.resource), .object = std::move(name.key)};
}

std::string BaseTombstoneKey(std::string_view uid) {
  std::string key(kBaseTombstonePrefix);
  AppendField(key, uid);
  return key;
}

absl::StatusOr<std::string> ParseBaseTombstoneKey(std::string_view key) {
  std::string_view rest = key.substr(std::min(key.size(), kBaseTombstonePrefix.size()));
  std::optional<std::string> uid = CutField(rest);
  if (!absl::StartsWith(ToAbsl(key), ToAbsl(kBaseTombstonePrefix)) || !uid || !rest.empty()) {
    return Malformed("tombstone", key);
  }
  return *std::move(uid);
}

std::string BaseRowKey(std::string_view row, EventSeq watermark) {
  return Concat(row, EncodeNumber(watermark.value));
}

absl::StatusOr<BaseRow> ParseBaseRowKey(std::string_view key) {
  if (key.size() <= kNumberBytes) {
    return Malformed("base", key);
  }
  const size_t split = key.size() - kNumberBytes;
  LOGBOOK_ASSIGN_OR_RETURN(const uint64_t watermark, DecodeNumber(key.substr(split)));
  return BaseRow{.row = key.substr(0, split), .watermark = EventSeq(watermark)};
}

std::string KeptRowKey(EventSeq seq) {
  return Concat(kBaseKeptPrefix, EncodeNumber(seq.value));
}

absl::StatusOr<EventSeq> ParseKeptRowKey(std::string_view key) {
  const absl::StatusOr<uint64_t> seq =
      DecodeNumber(key.substr(std::min(key.size(), kBaseKeptPrefix.size())));
  if (!seq.ok() || !absl::StartsWith(ToAbsl(key), ToAbsl(kBaseKeptPrefix))) {
    return Malformed("kept record", key);
  }
  return EventSeq(*seq);
}

std::string StreamRowKey(std::string_view prefix, StreamId stream) {
  return Concat(prefix, ToStd(absl::StrFormat("%010u", stream.value)));
}

absl::StatusOr<StreamId> ParseStreamRowKey(std::string_view prefix, std::string_view key) {
  uint32_t stream = 0;
  if (!absl::StartsWith(ToAbsl(key), ToAbsl(prefix)) ||
      !absl::SimpleAtoi(ToAbsl(key.substr(prefix.size())), &stream) ||
      key != StreamRowKey(prefix, StreamId(stream))) {  // blanks, signs, other widths
    return Malformed("stream", key);
  }
  return StreamId(stream);
}

std::string NamedSeqPrefix(std::string_view resource, const ObjectKey& key) {
  return NameKey("", resource, key);
}

std::string NamedSeqRowKey(std::string_view resource, const ObjectKey& key, EventSeq seq) {
  return NamedSeqPrefix(resource, key) + EncodeNumber(seq.value);
}

absl::StatusOr<NamedSeq> ParseNamedSeqRowKey(std::string_view key) {
  std::string_view rest = key;
  std::optional<NamedSeq> name = CutName(rest);
  const absl::StatusOr<uint64_t> seq = DecodeNumber(rest);
  if (!name || !seq.ok()) {
    return Malformed("name", key);
  }
  name->seq = EventSeq(*seq);
  return *std::move(name);
}

std::string EndOfPrefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') {
    end.pop_back();
  }
  if (!end.empty()) {
    end.back() = static_cast<char>(static_cast<uint8_t>(end.back()) + 1);
  }
  return end;
}

}  // namespace logbook::store
