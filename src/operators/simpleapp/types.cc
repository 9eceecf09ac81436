#include "logbook/operators/simpleapp/types.h"

#include "logbook/base/check.h"
#include "logbook/model/names.h"

namespace logbook::operators {

Resource Known(std::string_view resource, std::string_view kind) {
  absl::StatusOr<Resource> parsed = ParseResource(resource);
  LOGBOOK_CHECK(parsed.ok());
  parsed->kind = kind;
  return *std::move(parsed);
}

reconcile::Owner SimpleApp::AsOwner() const {
  return {.resource = Known(kSimpleAppResource, kSimpleAppKind), .key = key, .uid = uid};
}

SimpleApp ParseSimpleApp(const Json& object) {
  SimpleApp app{.key = {.ns = JsonString(object, {"metadata", "namespace"}),
                        .name = JsonString(object, {"metadata", "name"})},
                .uid = JsonString(object, {"metadata", "uid"}),
                .resource_version = JsonString(object, {"metadata", "resourceVersion"}),
                .generation = JsonInt(object, {"metadata", "generation"}),
                .image = JsonString(object, {"spec", "image"}),
                .replicas = JsonInt(object, {"spec", "replicas"}, 1),
                .port = JsonInt(object, {"spec", "port"}, 80),
                .host = JsonString(object, {"spec", "host"}),
                .child_name = "",
                .status = Json::object()};
  app.child_name = ChildName(app.key.ns, app.key.name);
  if (const Json* status = JsonAt(object, {"status"}); status != nullptr && status->is_object()) {
    app.status = *status;
  }
  return app;
}

}  // namespace logbook::operators
