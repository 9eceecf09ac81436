#include <cmath>
#include <string>

#include "targets.h"

#include "logbook/base/check.h"
#include "logbook/base/json.h"
#include "logbook/base/json_peek.h"

namespace logbook::fuzz {
namespace {

void CheckObject(JsonPeeker& peeker, std::string_view json) {
  const std::string copy(json);
  const absl::StatusOr<PeekedObject> object = peeker.Object(copy);
  if (!object.ok()) {
    (void)peeker.Identity(copy);
    return;
  }
  const std::string accepted(object->json);
  const absl::StatusOr<Json> tree = ParseJson(accepted);
  LOGBOOK_CHECK(tree.ok() && tree->is_object());
  const absl::StatusOr<Json> peeked = ParsePeeked(accepted);
  LOGBOOK_CHECK(peeked.ok() && *peeked == *tree);
}

}  // namespace

void FuzzJson(std::string_view bytes) {
  JsonPeeker peeker;
  CheckObject(peeker, bytes);
  if (const absl::StatusOr<PeekedFrame> frame = peeker.Frame(bytes); frame.ok()) {
    JsonPeeker of_object;
    (void)of_object.Object(frame->object);
  }
  if (const absl::StatusOr<PeekedList> list = peeker.List(bytes); list.ok()) {
    JsonPeeker of_item;
    for (const std::string_view item : list->items) {
      (void)of_item.Object(item);
      CheckObject(of_item, item);
    }
  }
  const absl::StatusOr<Json> tree = ParseJson(bytes);
  const absl::StatusOr<Json> peeked = ParsePeeked(bytes);
  LOGBOOK_CHECK(!tree.ok() || (peeked.ok() && *peeked == *tree));
}

}  // namespace logbook::fuzz
