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

// The peekers keep their buffers: to make them takes longer than to use them.
void FuzzJson(std::string_view bytes) {
  static JsonPeeker peeker;
  static JsonPeeker of_part;
  CheckObject(peeker, bytes);
  if (const absl::StatusOr<PeekedFrame> frame = peeker.Frame(bytes); frame.ok()) {
    (void)of_part.Object(frame->object);
  }
  if (const absl::StatusOr<PeekedList> list = peeker.List(bytes); list.ok()) {
    for (const std::string_view item : list->items) {
      (void)of_part.Object(item);
      CheckObject(of_part, item);
    }
  }
  const absl::StatusOr<Json> tree = ParseJson(bytes);
  const absl::StatusOr<Json> peeked = ParsePeeked(bytes);
  LOGBOOK_CHECK(!tree.ok() || (peeked.ok() && *peeked == *tree));
}

}  // namespace logbook::fuzz
