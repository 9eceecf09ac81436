#include "logbook/k8s/url.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace logbook::k8s {
namespace {

bool IsUnreserved(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

}  // namespace

std::string PercentEncode(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (char c : text) {
    if (IsUnreserved(c)) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

std::string PathOf(const Target& target) {
  const Resource& resource = target.resource;
  std::string path = resource.group.empty() ? "/api" : "/apis/" + PercentEncode(resource.group);
  absl::StrAppend(&path, "/", PercentEncode(resource.version));
  if (!target.key.ns.empty()) {
    absl::StrAppend(&path, "/namespaces/", PercentEncode(target.key.ns));
  }
  absl::StrAppend(&path, "/", PercentEncode(resource.plural));
  for (const std::string* segment : {&target.key.name, &target.subresource}) {
    if (!segment->empty()) {
      absl::StrAppend(&path, "/", PercentEncode(*segment));
    }
  }
  return path;
}

Query& Query::Add(std::string_view name, std::string_view value) {
  if (!value.empty()) {
    absl::StrAppend(&text_, text_.empty() ? "?" : "&", ToAbsl(name), "=", PercentEncode(value));
  }
  return *this;
}

}  // namespace logbook::k8s
