#include <compare>
#include <string>
#include <tuple>

#include "targets.h"

#include "logbook/base/check.h"
#include "logbook/store/key_codec.h"

namespace logbook::fuzz {
namespace {

using Name = std::tuple<std::string, std::string, std::string>;

void CheckParsers(std::string_view bytes) {
  if (const auto seq = store::ParseEventRowKey(bytes); seq.ok()) {
    LOGBOOK_CHECK(store::EventRowKey(*seq) == bytes);
  }
  if (const auto ref = store::ParseObjectRowKey(bytes); ref.ok()) {
    LOGBOOK_CHECK(store::ObjectRowKey(ref->resource, ref->key) == bytes);
  }
  if (const auto key = store::ParseKeyRowKey(bytes); key.ok()) {
    LOGBOOK_CHECK(store::KeyRowKey(*key) == bytes);
  }
  if (const auto named = store::ParseNamedSeqRowKey(bytes); named.ok()) {
    LOGBOOK_CHECK(store::NamedSeqRowKey(named->resource, named->key, named->seq) == bytes);
  }
  for (const std::string_view prefix : {store::kMetaBookmarkPrefix, store::kMetaStreamPrefix}) {
    if (const auto stream = store::ParseStreamRowKey(prefix, bytes); stream.ok()) {
      LOGBOOK_CHECK(store::StreamRowKey(prefix, *stream) == bytes);
    }
  }
}

// Cuts the next part off: the first byte is its length.
std::string Cut(std::string_view& rest) {
  if (rest.empty()) {
    return "";
  }
  const size_t size = static_cast<uint8_t>(rest[0]) % 8;
  std::string part(rest.substr(1, size));
  rest.remove_prefix(std::min(rest.size(), size + 1));
  return part;
}

Name CutName(std::string_view& rest) {
  std::string resource = Cut(rest);
  std::string ns = Cut(rest);
  return {std::move(resource), std::move(ns), Cut(rest)};
}

std::string KeyOf(const Name& name) {
  return store::ObjectRowKey(std::get<0>(name),
                             {.ns = std::get<1>(name), .name = std::get<2>(name)});
}

void CheckPrefix(std::string_view prefix, std::string_view key) {
  const std::string end = store::EndOfPrefix(prefix);
  const bool inside = key >= prefix && (end.empty() || key < end);
  LOGBOOK_CHECK(inside == key.starts_with(prefix));
}

}  // namespace

void FuzzKey(std::string_view bytes) {
  CheckParsers(bytes);
  std::string_view rest = bytes;
  const Name one = CutName(rest);
  const Name other = CutName(rest);
  LOGBOOK_CHECK((one <=> other) == (KeyOf(one) <=> KeyOf(other)));
  const auto parsed = store::ParseObjectRowKey(KeyOf(one));
  LOGBOOK_CHECK(parsed.ok() && Name(parsed->resource, parsed->key.ns, parsed->key.name) == one);
  CheckPrefix(std::get<0>(one), std::get<0>(other));
  CheckPrefix(std::get<0>(one), bytes);
}

}  // namespace logbook::fuzz
