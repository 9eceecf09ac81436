#include "logbook/model/redactor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

#include "logbook/base/check.h"
#include "logbook/base/hash.h"

namespace logbook {
namespace {

constexpr std::string_view kSecrets = "secrets";
constexpr std::string_view kMark = "redacted:";
constexpr size_t kHashDigits = 32;
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr size_t kHmacBlock = 64;

std::string_view AsView(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// HMAC-SHA256 (RFC 2104).
Sha256Digest Hmac(std::string_view key, std::string_view value) {
  Sha256 sha256;
  std::string block(key);
  if (block.size() > kHmacBlock) {
    block = AsView(sha256.Digest({key}));
  }
  block.resize(kHmacBlock, '\0');
  std::string inner = block;
  std::string outer = block;
  for (size_t i = 0; i < kHmacBlock; ++i) {
    inner[i] = static_cast<char>(inner[i] ^ 0x36);
    outer[i] = static_cast<char>(outer[i] ^ 0x5c);
  }
  const Sha256Digest digest = sha256.Digest({inner, value});
  return sha256.Digest({outer, AsView(digest)});
}

bool IsRedacted(std::string_view text) {
  if (text.substr(0, kMark.size()) != kMark) {
    return false;
  }
  text.remove_prefix(kMark.size());
  const std::string_view hash = text.substr(0, kHashDigits);
  uint64_t bytes = 0;
  return hash.size() == kHashDigits &&
         hash.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         text.substr(kHashDigits, 1) == ":" &&
         absl::SimpleAtoi(ToAbsl(text.substr(kHashDigits + 1)), &bytes);
}

// The steps of a JSON pointer; nothing if it is none.
std::optional<std::vector<std::string>> Steps(std::string_view pointer) {
  if (!pointer.empty() && pointer.front() != '/') {
    return std::nullopt;
  }
  std::vector<std::string> steps = absl::StrSplit(ToAbsl(pointer), '/');
  steps.erase(steps.begin());
  for (std::string& step : steps) {
    for (const auto& [escape, meaning] : {std::pair("~1", "/"), std::pair("~0", "~")}) {
      for (size_t at = step.find(escape); at != std::string::npos; at = step.find(escape, at + 1)) {
        step.replace(at, 2, meaning);
      }
    }
  }
  return steps;
}

}  // namespace

absl::Status CheckSensitivePath(std::string_view path) {
  const std::string_view first = path.substr(0, path.find('.'));
  for (std::string_view kept : {"", "*", "metadata", "kind", "apiVersion"}) {
    if (first == kept) {
      return InvalidArgument("\"", path,
                             "\" cannot be sensitive: name fields such as spec.password");
    }
  }
  return absl::OkStatus();
}

Redactor::Redactor(std::string key, SensitiveFields fields) : key_(std::move(key)) {
  for (std::string_view path : {"data.*", "stringData.*"}) {
    fields[std::string(kSecrets)].emplace_back(path);
  }
  for (const auto& [resource, paths] : fields) {
    for (const std::string& path : paths) {
      paths_[resource].push_back(absl::StrSplit(path, '.'));
    }
  }
}

bool Redactor::Covers(std::string_view resource) const {
  return paths_.find(resource) != paths_.end();
}

std::string Redactor::Hash(std::string_view value) const {
  if (IsRedacted(value)) {
    return std::string(value);
  }
  if (key_.size() < kRedactionKeyMin) {
    return Concat(kMark, std::string(kHashDigits, '0'), ":", value.size());
  }
  const std::string hex = absl::BytesToHexString(ToAbsl(AsView(Hmac(key_, value))));
  return Concat(kMark, hex.substr(0, kHashDigits), ":", value.size());
}

template <typename Change>
void Redactor::ForEachAt(const Path& path, size_t step, Json& value, const Change& change) {
  if (step == path.size()) {
    if (!value.is_null()) {
      change(value);
    }
  } else if (path[step] == "*" && value.is_structured()) {
    for (Json& member : value) {
      ForEachAt(path, step + 1, member, change);
    }
  } else if (value.is_object() && value.contains(path[step])) {
    ForEachAt(path, step + 1, value[path[step]], change);
  }
}

void Redactor::RedactValue(Json& value) const {
  value = Hash(value.is_string() ? value.get_ref<const std::string&>() : DumpJson(value));
}

// The name of a list's item, which says its value ("v:") or its keys ("k:").
std::string Redactor::RedactedItem(const Path& path, size_t step, const std::string& name) const {
  absl::StatusOr<Json> value = ParseJson(std::string_view(name).substr(2));
  if (!value.ok()) {
    return name;
  }
  ForEachAt(path, step + 1, *value, [this](Json& found) { RedactValue(found); });
  return name.substr(0, 2) + DumpJson(*value);
}

// Sets of fields, as in managedFields[].fieldsV1: names of members begin with "f:".
void Redactor::RedactManagedFields(const Path& path, size_t step, Json& fields) const {
  if (!fields.is_object()) {
    return;
  }
  if (step == path.size()) {
    fields = Json::object();  // what is below is part of the value
    return;
  }
  Json redacted = Json::object();
  for (auto& [name, below] : fields.items()) {
    const bool item = name.starts_with("v:") || name.starts_with("k:");
    const bool any = path[step] == "*";
    const bool member = name.starts_with("f:") && (any || name.substr(2) == path[step]);
    if (member || (item && any)) {
      RedactManagedFields(path, step + 1, below);
    }
    redacted[item && any ? RedactedItem(path, step, name) : name] = std::move(below);
  }
  fields = std::move(redacted);
}

void Redactor::Redact(std::string_view resource, Json& object) const {
  const auto paths = paths_.find(resource);
  if (paths == paths_.end()) {
    return;
  }
  const auto redact = [this](Json& value) { RedactValue(value); };
  for (const Path& path : paths->second) {
    ForEachAt(path, 0, object, redact);
    ForEachAt({"metadata", "managedFields", "*", "fieldsV1"}, 0, object,
              [&](Json& fields) { RedactManagedFields(path, 0, fields); });
  }
  ForEachAt({"metadata", "annotations", std::string(kLastApplied)}, 0, object, redact);
}

ObjectPtr Redactor::Redact(std::string_view resource, const ObjectPtr& object) const {
  if (object == nullptr || !Covers(resource)) {
    return object;
  }
  Json tree = object->Tree();
  Redact(resource, tree);
  absl::StatusOr<ObjectPtr> redacted = Object::FromJson(DumpJson(tree));
  LOGBOOK_CHECK(redacted.ok());  // only values were replaced
  return *std::move(redacted);
}

void Redactor::RedactPatch(std::string_view resource, Json& operations) const {
  for (Json& operation : operations) {
    if (!operation.is_object() || !operation.contains("value")) {
      continue;
    }
    // Put where the patch would put it, redacted there, and taken out again.
    const auto steps = Steps(JsonString(operation, {"path"}));
    if (!steps) {
      RedactValue(operation["value"]);
      continue;
    }
    Json nested = std::move(operation["value"]);
    for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
      nested = Json{{*step, std::move(nested)}};
    }
    Redact(resource, nested);
    Json* inner = &nested;
    for (const std::string& step : *steps) {
      if (!inner->is_object()) {
        break;  // a sensitive field holds the place: what is below it is redacted with it
      }
      inner = &(*inner)[step];
    }
    operation["value"] = Json(*inner);
  }
}

std::string Redactor::BodyOf(const Effect& effect) const {
  const std::string resource = effect.resource.GroupResource();
  if (effect.kind == EffectKind::kExternal || effect.body.empty() || !Covers(resource)) {
    return effect.body;
  }
  absl::StatusOr<Json> body = ParseJson(effect.body);
  if (!body.ok()) {
    return Hash(effect.body);
  }
  if (body->is_array()) {
    RedactPatch(resource, *body);
  } else {
    Redact(resource, *body);
  }
  return DumpJson(*body);
}

bool Redactor::HoldsHash(const Effect& effect) const {
  const auto paths = paths_.find(effect.resource.GroupResource());
  if (paths == paths_.end() || effect.body.find(kMark) == std::string::npos) {
    return false;
  }
  absl::StatusOr<Json> body = ParseJson(effect.body);
  bool holds = false;
  const auto look = [&](const Json& value) {
    holds = holds || (value.is_string() && IsRedacted(value.get_ref<const std::string&>()));
  };
  if (body.ok() && body->is_array()) {
    for (const Json& operation : *body) {
      look(operation.value("value", Json()));
    }
  } else if (body.ok()) {
    for (const Path& path : paths->second) {
      ForEachAt(path, 0, *body, look);
    }
  }
  return holds;
}

void Redactor::Redact(std::string_view resource, Outcome& outcome) const {
  if (!Covers(resource)) {
    return;
  }
  if (!outcome.response.empty()) {
    absl::StatusOr<Json> response = ParseJson(outcome.response);
    if (response.ok()) {
      Redact(resource, *response);
      outcome.response = DumpJson(*response);
    } else {
      outcome.response = Hash(outcome.response);
    }
  }
  for (std::string* words : {&outcome.message, &outcome.status}) {
    if (!words->empty()) {
      *words = Hash(*words);
    }
  }
}

void Redactor::Redact(const ViewState& view, Event& event) const {
  if (auto* observed = std::get_if<Observed>(&event.body)) {
    observed->object = Redact(observed->resource.GroupResource(), observed->object);
  } else if (auto* decided = std::get_if<Decided>(&event.body)) {
    for (Effect& effect : decided->effects) {
      effect.body = BodyOf(effect);
    }
  } else if (auto* recorded = std::get_if<OutcomeRecorded>(&event.body)) {
    Redact(recorded->target.GroupResource(), recorded->outcome);
  } else if (auto* quarantined = std::get_if<Quarantined>(&event.body)) {
    const StreamState* stream = view.streams.Find(event.stream);
    if (stream != nullptr && Covers(stream->identity.resource.GroupResource())) {
      quarantined->bytes = Hash(quarantined->bytes);
      quarantined->error = Hash(quarantined->error);
    }
  }
}

}  // namespace logbook
