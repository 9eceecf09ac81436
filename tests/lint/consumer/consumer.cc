// Uses a little of every installed library: exit status 0 if all of it works.
#include <cstdio>

#include "logbook/base/json.h"
#include "logbook/model/object.h"
#include "logbook/model/persistent_map.h"
#include "logbook/model/record_codec.h"

#ifdef HAVE_RECONCILE
#include "logbook/reconcile/operator.h"
#endif

int main() {
  const absl::StatusOr<logbook::ObjectPtr> object =
      logbook::Object::FromJson(R"({"metadata":{"name":"web","namespace":"shop"}})");
  if (!object.ok() || (*object)->key().ToString() != "shop/web") {
    return 1;
  }
  logbook::RecordCodec codec;
  logbook::Chain chain = {};
  const std::string record = codec.Encode({.seq = logbook::EventSeq(1),
                                           .run = logbook::RunId(1),
                                           .wall_time = absl::UnixEpoch(),
                                           .stream = {},
                                           .subjects = {},
                                           .resource_version = "",
                                           .causes = {},
                                           .marks = {},
                                           .body = logbook::Marked{.reason = "installed"}},
                                          chain);
  const absl::StatusOr<logbook::Event> event = logbook::DecodeRecord(record);
  if (!event.ok()) {
    return 2;
  }
  std::puts("logbook is installed");
  return 0;
}
