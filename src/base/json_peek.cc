#include "logbook/base/json_peek.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <simdjson.h>

#include "logbook/base/check.h"
#include "logbook/base/json.h"

namespace logbook {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr size_t kDepthMax = 100;          // as JsonLimits
constexpr size_t kFirstBytes = 64 * 1024;  // grows with the largest object seen
constexpr size_t kBytesMax = 64 * 1024 * 1024;

// Stand in the content hash where metadata begins and ends, so that its members are not taken for
// members of the object. No key and no value hashes like them: both bytes are invalid in UTF-8.
constexpr std::string_view kBeginMetadata = "\xfe";
constexpr std::string_view kEndMetadata = "\xff";

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// The raw text of `value`, whatever its type; consumes it.
simdjson::error_code Raw(ondemand::value value, std::string_view& out) {
  ondemand::json_type type;
  if (auto error = value.type().get(type)) {
    return error;
  }
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (auto error = value.get_object().get(object)) {
      return error;
    }
    return object.raw_json().get(out);
  }
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (auto error = value.get_array().get(array)) {
      return error;
    }
    return array.raw_json().get(out);
  }
  out = Trim(value.raw_json_token());
  return simdjson::SUCCESS;
}

// The text of a raw JSON string that has no escapes, and names of Kubernetes never have any.
// Anything else, null among it, is the empty string.
std::string_view Unquote(std::string_view raw) {
  if (raw.size() < 2 || raw.front() != '"') {
    return {};
  }
  return raw.substr(1, raw.size() - 2);
}

// 0 for what is no number from 0 to the largest int64_t.
int64_t ToInt(std::string_view raw) {
  constexpr size_t kDigitsMax = 19;
  uint64_t value = 0;
  for (char c : raw) {
    if (c < '0' || c > '9') {
      return 0;
    }
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return raw.size() <= kDigitsMax && value <= INT64_MAX ? static_cast<int64_t>(value) : 0;
}

// nlohmann counts only negative integers as signed, and so do we.
Json TreeOf(simdjson::dom::element element) {
  switch (element.type()) {
    case simdjson::dom::element_type::OBJECT: {
      Json::object_t object;
      for (const auto& [key, value] : simdjson::dom::object(element)) {
        // Most keys come in order; of two equal ones the last counts.
        object.insert_or_assign(object.end(), std::string(key), TreeOf(value));
      }
      return object;
    }
    case simdjson::dom::element_type::ARRAY: {
      const simdjson::dom::array elements(element);
      Json::array_t array;
      array.reserve(elements.size());
      for (simdjson::dom::element value : elements) {
        array.push_back(TreeOf(value));
      }
      return array;
    }
    case simdjson::dom::element_type::STRING:
      return std::string(std::string_view(element));
    case simdjson::dom::element_type::INT64: {
      const int64_t value(element);
      return value < 0 ? Json(value) : Json(static_cast<uint64_t>(value));
    }
    case simdjson::dom::element_type::UINT64:
      return uint64_t(element);
    case simdjson::dom::element_type::DOUBLE:
      return double(element);
    case simdjson::dom::element_type::BOOL:
      return bool(element);
    case simdjson::dom::element_type::NULL_VALUE:
      return nullptr;
  }
  return nullptr;
}

bool IsEmptyList(std::string_view raw) {
  return raw == "null" || std::all_of(raw.begin(), raw.end(), [](char c) {
           return c == '[' || c == ']' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
         });
}

}  // namespace

struct JsonPeeker::Impl {
  simdjson::dom::parser validator{kBytesMax};
  // On-demand parsers hold the position of one iteration, so each nesting level has its own.
  ondemand::parser frame_parser, parser, metadata_parser, array_parser, nested;
  PartsHasher hasher;
  std::string buffer;  // the text, followed by the padding that simdjson may read

  Impl() { LOGBOOK_CHECK(validator.allocate(kFirstBytes, kDepthMax) == simdjson::SUCCESS); }

  bool InBuffer(std::string_view json) const {
    return json.data() >= buffer.data() && json.data() + json.size() <= buffer.data() + Size();
  }

  size_t Size() const {
    return buffer.size() < simdjson::SIMDJSON_PADDING ? 0
                                                      : buffer.size() - simdjson::SIMDJSON_PADDING;
  }

  // `json` where simdjson may read beyond its end.
  std::string_view Padded(std::string_view json) {
    if (InBuffer(json)) {
      return json;
    }
    buffer.resize(json.size() + simdjson::SIMDJSON_PADDING);
    json.copy(buffer.data(), json.size());
    return {buffer.data(), json.size()};
  }

  simdjson::error_code Validate(std::string_view padded) {
    return validator.parse(padded.data(), padded.size(), false).error();
  }

  // Calls visit(key, raw value) for each member of the object `padded`, until one returns an error.
  template <typename Visit>
  simdjson::error_code ForEachField(ondemand::parser& with, std::string_view padded, Visit visit) {
    ondemand::document document;
    if (auto error =
            with.iterate(padded.data(), padded.size(), padded.size() + simdjson::SIMDJSON_PADDING)
                .get(document)) {
      return error;
    }
    ondemand::object object;
    if (auto error = document.get_object().get(object)) {
      return error;
    }
    for (auto field : object) {
      std::string_view key;
      if (auto error = field.unescaped_key().get(key)) {
        return error;
      }
      std::string_view raw;
      if (auto error = Raw(field.value(), raw)) {
        return error;
      }
      if (auto error = visit(key, raw)) {
        return error;
      }
    }
    return simdjson::SUCCESS;
  }

  void TakeIfController(std::string_view reference, PeekedObject& out) {
    PeekedObject owner;
    bool controller = false;
    (void)ForEachField(nested, reference, [&](std::string_view key, std::string_view raw) {
      if (key == "apiVersion") owner.controller_api_version = Unquote(raw);
      if (key == "kind") owner.controller_kind = Unquote(raw);
      if (key == "name") owner.controller_name = Unquote(raw);
      if (key == "uid") owner.controller_uid = Unquote(raw);
      if (key == "controller") controller = raw == "true";
      return simdjson::SUCCESS;
    });
    if (controller) {
      out.controller_api_version = owner.controller_api_version;
      out.controller_kind = owner.controller_kind;
      out.controller_name = owner.controller_name;
      out.controller_uid = owner.controller_uid;
    }
  }

  // Calls visit(raw value) for each element of the array `padded`, or of none if it is null.
  template <typename Visit>
  simdjson::error_code ForEachElement(std::string_view padded, Visit visit) {
    if (padded == "null") {
      return simdjson::SUCCESS;
    }
    ondemand::document document;
    if (auto error =
            array_parser
                .iterate(padded.data(), padded.size(), padded.size() + simdjson::SIMDJSON_PADDING)
                .get(document)) {
      return error;
    }
    ondemand::array array;
    if (auto error = document.get_array().get(array)) {
      return error;
    }
    for (auto element : array) {
      ondemand::value value;
      std::string_view raw;
      if (auto error = std::move(element).get(value)) {
        return error;
      }
      if (auto error = Raw(value, raw)) {
        return error;
      }
      visit(raw);
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code TakeMetadata(std::string_view metadata, PeekedObject& out) {
    std::string_view owners;
    auto error = ForEachField(metadata_parser, metadata, [&](auto key, auto raw) {
      if (key == "resourceVersion") {
        out.resource_version = Unquote(raw);
        return simdjson::SUCCESS;
      }
      if (key == "managedFields") {
        return simdjson::SUCCESS;
      }
      hasher.Add(key);
      hasher.Add(raw);
      if (key == "name") out.name = Unquote(raw);
      if (key == "namespace") out.ns = Unquote(raw);
      if (key == "uid") out.uid = Unquote(raw);
      if (key == "generation") out.generation = ToInt(raw);
      if (key == "deletionTimestamp") out.deletion_timestamp = Unquote(raw);
      if (key == "finalizers") out.has_finalizers = !IsEmptyList(raw);
      if (key == "labels") out.labels = raw == "null" ? std::string_view() : raw;
      if (key == "annotations") out.annotations = raw == "null" ? std::string_view() : raw;
      if (key == "ownerReferences") owners = raw;
      return simdjson::SUCCESS;
    });
    if (error == simdjson::SUCCESS && !owners.empty()) {
      error = ForEachElement(owners, [&](auto owner) { TakeIfController(owner, out); });
    }
    return error;
  }

  simdjson::error_code TakeObject(std::string_view padded, PeekedObject& out) {
    hasher.Reset();
    auto error = ForEachField(parser, padded, [&](std::string_view key, std::string_view raw) {
      if (key == "apiVersion") {
        out.api_version = Unquote(raw);
      } else if (key == "kind") {
        out.kind = Unquote(raw);
      } else if (key == "metadata") {
        hasher.Add(kBeginMetadata);
        const auto metadata_error = TakeMetadata(raw, out);
        hasher.Add(kEndMetadata);
        return metadata_error;
      } else {
        hasher.Add(key);
        hasher.Add(raw);
      }
      return simdjson::SUCCESS;
    });
    out.content = hasher.Finish();
    return error;
  }
};

JsonPeeker::JsonPeeker() : impl_(std::make_unique<Impl>()) {}

JsonPeeker::~JsonPeeker() = default;

absl::StatusOr<PeekedObject> JsonPeeker::Object(std::string_view json) {
  const std::string_view padded = impl_->Padded(json);
  PeekedObject object;
  object.json = Trim(padded);
  auto error = impl_->Validate(padded);
  if (error == simdjson::SUCCESS) {
    error = impl_->TakeObject(padded, object);
  }
  if (error != simdjson::SUCCESS) {
    return InvalidArgument("malformed object: ", simdjson::error_message(error));
  }
  return object;
}

PeekedObject JsonPeeker::Identity(std::string_view json) {
  const std::string_view padded = impl_->Padded(json);
  PeekedObject object;
  object.json = Trim(padded);
  (void)impl_->TakeObject(padded, object);
  return object;
}

absl::StatusOr<Json> ParsePeeked(std::string_view json) {
  thread_local simdjson::dom::parser parser(kBytesMax);
  simdjson::dom::element element;
  if (parser.capacity() == 0 && parser.allocate(kFirstBytes, kDepthMax) != simdjson::SUCCESS) {
    return ParseJson(json);
  }
  if (parser.parse(json.data(), json.size(), true).get(element) != simdjson::SUCCESS) {
    return ParseJson(json);  // which says what is wrong
  }
  return TreeOf(element);
}

absl::StatusOr<PeekedList> JsonPeeker::List(std::string_view json) {
  const std::string_view padded = impl_->Padded(json);
  PeekedList list;
  std::string_view token;
  auto error = impl_->ForEachField(impl_->frame_parser, padded, [&](auto key, auto raw) {
    if (key == "kind") list.kind = Unquote(raw);
    if (key == "metadata") {
      return impl_->ForEachField(impl_->metadata_parser, raw, [&](auto name, auto value) {
        if (name == "resourceVersion") list.resource_version = Unquote(value);
        if (name == "continue") token = value;
        return simdjson::SUCCESS;
      });
    }
    if (key == "items") {
      return impl_->ForEachElement(raw, [&](auto item) { list.items.push_back(item); });
    }
    return simdjson::SUCCESS;
  });
  if (error != simdjson::SUCCESS) {
    return InvalidArgument("malformed list: ", simdjson::error_message(error));
  }
  // The token is opaque and may, unlike names, hold what JSON escapes.
  absl::StatusOr<Json> text = ParseJson(token.empty() || token == "null" ? "\"\"" : token);
  if (!text.ok() || !text->is_string()) {
    return InvalidArgument("malformed list: metadata.continue is not a string");
  }
  list.continue_token = text->get<std::string>();
  return list;
}

absl::StatusOr<PeekedFrame> JsonPeeker::Frame(std::string_view json) {
  const std::string_view padded = impl_->Padded(json);
  PeekedFrame frame;
  auto error = impl_->ForEachField(impl_->frame_parser, padded, [&](auto key, auto raw) {
    if (key == "type") frame.type = Unquote(raw);
    if (key == "object") frame.object = raw;
    return simdjson::SUCCESS;
  });
  if (error != simdjson::SUCCESS) {
    return InvalidArgument("malformed watch frame: ", simdjson::error_message(error));
  }
  if (frame.type.empty() || frame.object.empty()) {
    return InvalidArgument("watch frame without type or object");
  }
  return frame;
}

}  // namespace logbook
