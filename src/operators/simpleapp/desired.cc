#include "logbook/operators/simpleapp/desired.h"

namespace logbook::operators {
namespace {

// Only these two select: they never change, and a Deployment's selector cannot.
Json SelectorLabels(const SimpleApp& app) {
  return {{"app.kubernetes.io/name", "simpleapp"}, {"app.kubernetes.io/instance", app.child_name}};
}

Json Labels(const SimpleApp& app) {
  Json labels = SelectorLabels(app);
  labels["app.kubernetes.io/managed-by"] = kFieldManager;
  return labels;
}

Json Annotations(const SimpleApp& app) {
  return {{std::string(kNameAnnotation), app.key.name}};
}

Json ChildObject(const SimpleApp& app, std::string_view api_version, std::string_view kind) {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata",
           {{"name", app.child_name},
            {"namespace", app.key.ns},
            {"labels", Labels(app)},
            {"annotations", Annotations(app)},
            {"ownerReferences", Json::array({reconcile::ControllerReference(app.AsOwner())})}}}};
}

}  // namespace

Json DesiredDeployment(const SimpleApp& app) {
  Json deployment = ChildObject(app, "apps/v1", "Deployment");
  const Json port = {{"name", "http"}, {"containerPort", app.port}, {"protocol", "TCP"}};
  deployment["spec"] = {
      {"replicas", app.replicas},
      {"selector", {{"matchLabels", SelectorLabels(app)}}},
      {"template",
       {{"metadata", {{"labels", Labels(app)}, {"annotations", Annotations(app)}}},
        {"spec",
         {{"containers",
           Json::array(
               {{{"name", "app"}, {"image", app.image}, {"ports", Json::array({port})}}})}}}}}};
  return deployment;
}

Json DesiredService(const SimpleApp& app) {
  Json service = ChildObject(app, "v1", "Service");
  service["spec"] = {
      {"type", "ClusterIP"},
      {"selector", SelectorLabels(app)},
      {"ports",
       Json::array(
           {{{"name", "http"}, {"port", app.port}, {"targetPort", "http"}, {"protocol", "TCP"}}})}};
  return service;
}

Json DesiredIngress(const SimpleApp& app) {
  Json ingress = ChildObject(app, "networking.k8s.io/v1", "Ingress");
  const Json backend = {{"service", {{"name", app.child_name}, {"port", {{"name", "http"}}}}}};
  const Json path = {{"path", "/"}, {"pathType", "Prefix"}, {"backend", backend}};
  ingress["spec"] = {
      {"rules", Json::array({{{"host", app.host}, {"http", {{"paths", Json::array({path})}}}}})}};
  return ingress;
}

Json AuditConfigMap(const SimpleApp& app, const std::string& name,
                    const std::string& deletion_timestamp) {
  return {
      {"apiVersion", "v1"},
      {"kind", "ConfigMap"},
      {"metadata",
       {{"name", name},
        {"namespace", app.key.ns},
        {"labels", {{"audit.bootcamp.local/source", kFieldManager}}},
        {"annotations",
         {{std::string(kNameAnnotation), app.key.name}, {std::string(kUidAnnotation), app.uid}}}}},
      {"data",
       {{"deletedAt", deletion_timestamp},
        {"finalReplicas", std::to_string(app.replicas)},
        {"image", app.image},
        {"namespace", app.key.ns}}}};
}

}  // namespace logbook::operators
