#include "logbook/model/field_path.h"

namespace logbook {
namespace {

std::string KeysOfItem(const PathStep& step) {
  std::string text;
  for (const ListKey& key : step.field->keys) {
    const Json* value = Member(step.value, key.name);
    text += Concat(text.empty() ? "" : ",", key.name, "=",
                   DumpJson(value == nullptr ? key.default_value : *value));
  }
  return text;
}

std::string KeysOfObject(const Json& keys) {
  std::string text;
  for (const auto& [name, value] : keys.items()) {
    text += Concat(text.empty() ? "" : ",", name, "=", DumpJson(value));
  }
  return text;
}

std::string StepToString(const PathStep& step) {
  switch (step.kind) {
    case PathStep::Kind::kField:
      return Concat(".", step.name);
    case PathStep::Kind::kItem:
      return Concat("[", KeysOfItem(step), "]");
    case PathStep::Kind::kKeys:
      return Concat("[", KeysOfObject(*step.value), "]");
    case PathStep::Kind::kValue:
      return Concat("[=", DumpJson(*step.value), "]");
    case PathStep::Kind::kIndex:
      return Concat("[", step.index, "]");
  }
  return "";
}

}  // namespace

std::string ToString(const FieldPath& path) {
  std::string text;
  for (const PathStep& step : path) {
    text += StepToString(step);
  }
  return text;
}

}  // namespace logbook
