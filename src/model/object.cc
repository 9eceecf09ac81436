#include "logbook/model/object.h"

#include "logbook/base/check.h"

namespace logbook {

Object::Object(const PeekedObject& peeked)
    : json_(peeked.json),
      content_(peeked.content),
      generation_(peeked.generation),
      ns_(SliceOf(peeked, peeked.ns)),
      name_(SliceOf(peeked, peeked.name)),
      uid_(SliceOf(peeked, peeked.uid)),
      resource_version_(SliceOf(peeked, peeked.resource_version)),
      deletion_timestamp_(SliceOf(peeked, peeked.deletion_timestamp)),
      controller_uid_(SliceOf(peeked, peeked.controller_uid)),
      controller_api_version_(SliceOf(peeked, peeked.controller_api_version)),
      controller_kind_(SliceOf(peeked, peeked.controller_kind)),
      controller_name_(SliceOf(peeked, peeked.controller_name)),
      annotations_(SliceOf(peeked, peeked.annotations)),
      labels_(SliceOf(peeked, peeked.labels)),
      has_finalizers_(peeked.has_finalizers) {}

Object::Slice Object::SliceOf(const PeekedObject& peeked, std::string_view part) const {
  if (part.empty()) {
    return {};
  }
  LOGBOOK_CHECK(part.data() >= peeked.json.data());
  LOGBOOK_CHECK(part.data() + part.size() <= peeked.json.data() + peeked.json.size());
  return {static_cast<uint32_t>(part.data() - peeked.json.data()),
          static_cast<uint32_t>(part.size())};
}

absl::StatusOr<ObjectPtr> Object::FromJson(std::string_view json) {
  thread_local JsonPeeker peeker;
  LOGBOOK_ASSIGN_OR_RETURN(const PeekedObject peeked, peeker.Object(json));
  if (peeked.name.empty()) {
    return InvalidArgument("object without metadata.name");
  }
  return std::make_shared<const Object>(peeked);
}

Json Object::Tree() const {
  absl::StatusOr<Json> tree = ParsePeeked(json_);
  return tree.ok() ? *std::move(tree) : Json();
}

std::string WithTypeMeta(std::string_view json, const PeekedObject& peeked,
                         const Resource& resource) {
  if (!peeked.kind.empty() || json.empty() || json.front() != '{') {
    return std::string(json);
  }
  return Concat("{\"kind\":\"", resource.kind, "\",\"apiVersion\":\"", resource.ApiVersion(), "\",",
                json.substr(1));
}

}  // namespace logbook
