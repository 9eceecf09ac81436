#include "logbook/base/json.h"

#include <cstdint>

namespace logbook {
namespace {

// Whether brackets outside of strings nest deeper than `depth_max`. Need not be exact on malformed
// text, since the parser looks at it afterwards.
bool NestsDeeperThan(std::string_view text, size_t depth_max) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > depth_max) {
        return true;
      }
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return InvalidArgument("JSON of ", text.size(), " bytes exceeds the limit of ",
                           limits.bytes_max);
  }
  if (NestsDeeperThan(text, limits.depth_max)) {
    return InvalidArgument("JSON nested deeper than ", limits.depth_max, " levels");
  }
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    return InvalidArgument("malformed JSON: ", std::string_view(error.what()));
  }
}

std::string DumpJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* JsonAt(const Json& value, std::initializer_list<std::string_view> path) {
  const Json* at = &value;
  for (std::string_view step : path) {
    if (!at->is_object()) {
      return nullptr;
    }
    auto found = at->find(step);
    if (found == at->end()) {
      return nullptr;
    }
    at = &*found;
  }
  return at;
}

std::string JsonString(const Json& value, std::initializer_list<std::string_view> path,
                       std::string_view fallback) {
  const Json* at = JsonAt(value, path);
  return at != nullptr && at->is_string() ? at->get<std::string>() : std::string(fallback);
}

int64_t JsonInt(const Json& value, std::initializer_list<std::string_view> path, int64_t fallback) {
  const Json* at = JsonAt(value, path);
  if (at == nullptr || !at->is_number_integer() ||
      (at->is_number_unsigned() && at->get<uint64_t>() > INT64_MAX)) {
    return fallback;
  }
  return at->get<int64_t>();
}

bool JsonBool(const Json& value, std::initializer_list<std::string_view> path, bool fallback) {
  const Json* at = JsonAt(value, path);
  return at != nullptr && at->is_boolean() ? at->get<bool>() : fallback;
}

}  // namespace logbook
