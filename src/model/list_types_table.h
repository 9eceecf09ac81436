// The rows that list_types.cc builds its types from; nobody else includes this.
//
// Source: OpenAPI of Kubernetes 1.36.3 (x-kubernetes-list-type, -list-map-keys, -map-type). The
// test list_types_test compares every row with tests/golden/openapi, and tells which are missing.
#ifndef LOGBOOK_MODEL_LIST_TYPES_TABLE_H_
#define LOGBOOK_MODEL_LIST_TYPES_TABLE_H_

#include <span>
#include <string_view>

#include "logbook/model/list_types.h"

namespace logbook {

// A field of a type about which there is something to say. Fields without a row are scalars,
// structs of which nothing needs to be known, or atomic lists of such.
struct FieldRow {
  std::string_view type;   // the type the field belongs to
  std::string_view field;  // its name; "*" stands for every member of a map
  std::string_view of;     // type of its value, or of the items of its list
  ListKind list = ListKind::kAtomic;
  std::string_view keys = {};           // of a kMap: "containerPort,protocol=TCP"
  std::string_view default_value = {};  // JSON that the server puts where the field is absent
};

struct ResourceRow {
  std::string_view resource;  // "deployments.apps"
  std::string_view type;
};

std::span<const FieldRow> FieldRows();
std::span<const ResourceRow> ResourceRows();
// Types whose value the server replaces as a whole.
std::span<const std::string_view> AtomicTypes();

}  // namespace logbook

#endif  // LOGBOOK_MODEL_LIST_TYPES_TABLE_H_
