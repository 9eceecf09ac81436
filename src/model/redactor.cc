#include "logbook/model/redactor.h"

#include <algorithm>
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

// The steps of a JSON pointer.
std::vector<std::string> Steps(std::string_view pointer) {
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
  const std::string hex = absl::BytesToHexString(ToAbsl(AsView(Hmac(key_, value))));
  return Concat(kMark, hex.substr(0, kHashDigits), ":", value.size());
}

void Redactor::RedactAt(const Path& path, size_t step, Json& value) const {
  if (step == path.size()) {
    if (!value.is_null()) {
      value = Hash(value.is_string() ? value.get_ref<const std::string&>() : DumpJson(value));
    }
    return;
  }
  if (!value.is_structured()) {
    return;
  }
  if (path[step] == "*") {
    for (Json& member : value) {
      RedactAt(path, step + 1, member);
    }
  } else if (value.is_object() && value.contains(path[step])) {
    RedactAt(path, step + 1, value[path[step]]);
  }
}

void Redactor::Redact(std::string_view resource, Json& object) const {
  const auto paths = paths_.find(resource);
  if (paths == paths_.end()) {
    return;
  }
  for (const Path& path : paths->second) {
    RedactAt(path, 0, object);
  }
  RedactAt({"metadata", "annotations", std::string(kLastApplied)}, 0, object);
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
    Json* whole = &operation["value"];
    const std::vector<std::string> steps = Steps(JsonString(operation, {"path"}));
    Json nested = std::move(*whole);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      nested = Json{{*step, std::move(nested)}};
    }
    Redact(resource, nested);
    Json* inner = &nested;
    for (const std::string& step : steps) {
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

void Redactor::Redact(std::string_view stream_resource, Event& event) const {
  if (auto* observed = std::get_if<Observed>(&event.body)) {
    observed->object = Redact(observed->resource.GroupResource(), observed->object);
  } else if (auto* decided = std::get_if<Decided>(&event.body)) {
    for (Effect& effect : decided->effects) {
      effect.body = BodyOf(effect);
    }
  } else if (auto* recorded = std::get_if<OutcomeRecorded>(&event.body)) {
    Redact(recorded->target.GroupResource(), recorded->outcome);
  } else if (auto* quarantined = std::get_if<Quarantined>(&event.body);
             quarantined != nullptr && Covers(stream_resource)) {
    quarantined->bytes = Hash(quarantined->bytes);
    quarantined->error = Hash(quarantined->error);
  }
}

}  // namespace logbook
