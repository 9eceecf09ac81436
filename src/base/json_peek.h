// A fast look at a Kubernetes object: its identity, without building a tree of it. The only user of
// simdjson; the watch path looks at every frame through this and at nothing else.
//
// Shape:    bytes in, string views into the peeker's own buffer out.
// Errors:   kInvalidArgument for text that is not one JSON object, nests too deep or has a member
//           of the wrong type where Kubernetes prescribes one. The whole text is validated, also
//           the parts nobody looks at, since it is stored and must parse in ten years.
// Threads:  Confined. A peeker keeps its buffers; one per thread.
// Cost:     about 1.5 µs for 1.5 KB.
#ifndef LOGBOOK_BASE_JSON_PEEK_H_
#define LOGBOOK_BASE_JSON_PEEK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/base/hash.h"
#include "logbook/base/json.h"
#include "logbook/base/status.h"

namespace logbook {

// Views point into the peeker and stand until its next call. Absent strings are empty.
struct PeekedObject {
  std::string_view json;  // the object's bytes, without surrounding white space
  std::string_view api_version, kind;
  std::string_view name, ns, uid, resource_version;
  std::string_view deletion_timestamp;  // empty unless the object is being deleted
  int64_t generation = 0;
  bool has_finalizers = false;
  // The owner reference with controller: true, if there is one.
  std::string_view controller_api_version, controller_kind, controller_name, controller_uid;
  std::string_view labels;       // raw JSON of metadata.labels, or empty
  std::string_view annotations;  // raw JSON of metadata.annotations, or empty
  // Hash of everything except apiVersion, kind, metadata.resourceVersion and
  // metadata.managedFields: equal hashes mean that nothing a reconciler may look at has changed.
  // apiVersion and kind are left out because items of a typed list come without them.
  Hash128 content;
};

// One frame of a watch.
struct PeekedFrame {
  std::string_view type;    // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR, or something newer
  std::string_view object;  // raw JSON; padded, so Peek need not copy it
};

// One page of a list. Its items are not validated; Object does that.
struct PeekedList {
  std::string_view kind;                // "PodList"
  std::string_view resource_version;    // of the list
  std::string continue_token;           // empty on the last page
  std::vector<std::string_view> items;  // raw JSON; padded, so Object need not copy it
};

class JsonPeeker {
 public:
  JsonPeeker();
  ~JsonPeeker();

  absl::StatusOr<PeekedObject> Object(std::string_view json);
  absl::StatusOr<PeekedFrame> Frame(std::string_view json);
  absl::StatusOr<PeekedList> List(std::string_view json);

  // Name, namespace, uid and resourceVersion of text that Object refuses, as far as they can be
  // told; what cannot stays empty.
  PeekedObject Identity(std::string_view json);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// The tree of text that a peeker has accepted; the same as ParseJson makes of it, in half the time.
// Errors: those of ParseJson. Thread-safe.
absl::StatusOr<Json> ParsePeeked(std::string_view json);

}  // namespace logbook

#endif  // LOGBOOK_BASE_JSON_PEEK_H_
