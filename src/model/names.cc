#include "logbook/model/names.h"

#include <algorithm>

#include "logbook/base/check.h"
#include "logbook/base/hash.h"
#include "logbook/base/status.h"

namespace logbook {
namespace {

constexpr int kHashDigits = 10;
constexpr size_t kHashBytes = kHashDigits + 1;  // with its dash
// What stands for a name of which nothing readable is left, and before one that begins wrongly.
constexpr std::string_view kLetter = "x";

// Not from <cctype>, which asks the locale.
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}

bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsLowerOrDigit(char c) {
  return IsLower(c) || IsDigit(c);
}

bool IsAlphanumeric(char c) {
  return IsLowerOrDigit(c) || IsUpper(c);
}

bool IsLabelChar(char c) {
  return IsLowerOrDigit(c) || c == '-';
}

bool IsSubdomainChar(char c) {
  return IsLabelChar(c) || c == '.';
}

bool IsValueChar(char c) {
  return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
}

bool All(std::string_view text, bool (*accepts)(char)) {
  return std::all_of(text.begin(), text.end(), accepts);
}

bool LooksMade(std::string_view text) {
  if (text.size() < kHashBytes || text[text.size() - kHashBytes] != '-') {
    return false;
  }
  return All(text.substr(text.size() - kHashDigits),
             [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); });
}

// `text` in the alphabet of `accepts`, without anything at its ends that may not stand there.
std::string Sanitized(std::string_view text, bool (*accepts)(char)) {
  std::string clean;
  for (char c : text) {
    const char lower = IsUpper(c) && !accepts(c) ? static_cast<char>(c - 'A' + 'a') : c;
    clean += accepts(lower) ? lower : '-';
  }
  const auto first = std::find_if(clean.begin(), clean.end(), IsAlphanumeric);
  return std::string(first, clean.end());
}

// The first characters of `clean`, and the hash of `full`, in at most `bytes_max`.
std::string Made(std::string_view clean, std::string_view full, size_t bytes_max) {
  LOGBOOK_CHECK(bytes_max > kHashBytes);
  clean = clean.substr(0, bytes_max - kHashBytes);
  while (!clean.empty() && !IsAlphanumeric(clean.back())) {
    clean.remove_suffix(1);
  }
  return Concat(clean.empty() ? kLetter : clean, "-", HexDigest(full, kHashDigits));
}

}  // namespace

std::string ChildName(std::string_view ns, std::string_view owner_name, size_t bytes_max) {
  LOGBOOK_CHECK(bytes_max <= kLabelBytesMax);
  if (owner_name.size() <= bytes_max && IsDns1035Label(owner_name) && !LooksMade(owner_name)) {
    return std::string(owner_name);
  }
  std::string clean = Sanitized(owner_name, IsLabelChar);
  if (!clean.empty() && !IsLower(clean.front())) {
    clean = Concat(kLetter, clean);
  }
  return Made(clean, Concat(ns, "/", owner_name), bytes_max);
}

std::string LabelValue(std::string_view text) {
  if (IsLabelValue(text) && !LooksMade(text)) {
    return std::string(text);
  }
  return Made(Sanitized(text, IsValueChar), text, kLabelBytesMax);
}

std::string SubdomainName(std::string_view prefix, std::string_view middle,
                          std::string_view suffix) {
  std::string name = Concat(prefix, middle, suffix);
  if (IsDns1123Subdomain(name)) {
    return name;
  }
  LOGBOOK_CHECK(prefix.size() + suffix.size() + kHashBytes < kSubdomainBytesMax);
  const size_t room = kSubdomainBytesMax - prefix.size() - suffix.size();
  // Dots may stay where they stand well.
  const auto accepts = IsDns1123Subdomain(middle) ? IsSubdomainChar : IsLabelChar;
  return Concat(prefix, Made(Sanitized(middle, accepts), middle, room), suffix);
}

bool IsDns1123Label(std::string_view text) {
  return !text.empty() && text.size() <= kLabelBytesMax && All(text, IsLabelChar) &&
         IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back());
}

bool IsDns1123Subdomain(std::string_view text) {
  if (text.empty() || text.size() > kSubdomainBytesMax || !All(text, IsSubdomainChar)) {
    return false;
  }
  // Between the dots nothing is empty, and a dash stands only inside.
  for (size_t i = 0; i < text.size(); ++i) {
    const bool first = i == 0 || text[i - 1] == '.';
    const bool last = i + 1 == text.size() || text[i + 1] == '.';
    if ((first || last) && !IsLowerOrDigit(text[i])) {
      return false;
    }
  }
  return true;
}

bool IsDns1035Label(std::string_view text) {
  return IsDns1123Label(text) && IsLower(text.front());
}

bool IsLabelValue(std::string_view text) {
  return text.empty() || (text.size() <= kLabelBytesMax && All(text, IsValueChar) &&
                          IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()));
}

}  // namespace logbook
