// Object: one observed state of one Kubernetes object, immutable.
//
// Shape:    the object's JSON bytes as the server sent them, and where in them its identity stands;
//           reading uid or name costs nothing, and a tree is built only for who asks.
// Threads:  immutable, so any calls at once. Handed around as ObjectPtr.
#ifndef LOGBOOK_MODEL_OBJECT_H_
#define LOGBOOK_MODEL_OBJECT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "logbook/base/hash.h"
#include "logbook/base/json.h"
#include "logbook/base/json_peek.h"
#include "logbook/model/object_key.h"
#include "logbook/model/resource.h"

namespace logbook {

class Object;
using ObjectPtr = std::shared_ptr<const Object>;

class Object {
 public:
  // `peeked` may point anywhere; the bytes are copied.
  explicit Object(const PeekedObject& peeked);

  // Peeks and copies. Errors: kInvalidArgument if `json` is not an object with a name.
  static absl::StatusOr<ObjectPtr> FromJson(std::string_view json);

  std::string_view json() const { return json_; }

  std::string_view ns() const { return Get(ns_); }

  std::string_view name() const { return Get(name_); }

  std::string_view uid() const { return Get(uid_); }

  std::string_view resource_version() const { return Get(resource_version_); }

  std::string_view deletion_timestamp() const { return Get(deletion_timestamp_); }

  // Of the owner reference with controller: true; empty without one.
  std::string_view controller_uid() const { return Get(controller_uid_); }

  std::string_view controller_api_version() const { return Get(controller_api_version_); }

  std::string_view controller_kind() const { return Get(controller_kind_); }

  std::string_view controller_name() const { return Get(controller_name_); }

  // Raw JSON of metadata.annotations and metadata.labels; empty without any.
  std::string_view annotations() const { return Get(annotations_); }

  std::string_view labels() const { return Get(labels_); }

  int64_t generation() const { return generation_; }

  bool deleting() const { return deletion_timestamp_.size != 0; }

  bool has_finalizers() const { return has_finalizers_; }

  // See PeekedObject::content.
  const Hash128& content() const { return content_; }

  ObjectKey key() const { return {std::string(ns()), std::string(name())}; }

  // The whole object as a tree; costs about 5 µs per KB.
  Json Tree() const;

  // Bytes this object occupies, for the memory figures.
  size_t MemoryBytes() const { return sizeof(Object) + json_.capacity(); }

 private:
  struct Slice {
    uint32_t begin = 0;
    uint32_t size = 0;
  };

  Slice SliceOf(const PeekedObject& peeked, std::string_view part) const;

  std::string_view Get(Slice slice) const {
    return std::string_view(json_).substr(slice.begin, slice.size);
  }

  std::string json_;
  Hash128 content_;
  int64_t generation_;
  Slice ns_, name_, uid_, resource_version_, deletion_timestamp_;
  Slice controller_uid_, controller_api_version_, controller_kind_, controller_name_;
  Slice annotations_, labels_;
  bool has_finalizers_;
};

// `json` with apiVersion and kind in front if it lacks them, as items of typed lists do.
std::string WithTypeMeta(std::string_view json, const PeekedObject& peeked,
                         const Resource& resource);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_OBJECT_H_
