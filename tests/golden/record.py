#!/usr/bin/env python3
"""Records what a real API server makes of our objects, for tests/model_semantics.

usage: tests/controlplane/controlplane.sh start DIR
       tests/golden/record.py DIR

objects/*.json        a body as applied, and the object that the server made of it
objects/echo/*.json   an object, what we sent, the response, and whose the difference is
openapi/fields.txt    what the server's OpenAPI says about lists, atomic structs and quantities
"""
import json
import pathlib
import re
import ssl
import sys
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).parent
NS = "golden-%d" % time.time()
MANAGER = "logbook"
RESOURCES = {
    "configmaps": ("/api/v1", "configmaps", "io.k8s.api.core.v1.ConfigMap"),
    "deployments.apps": ("/apis/apps/v1", "deployments", "io.k8s.api.apps.v1.Deployment"),
    "ingresses.networking.k8s.io":
        ("/apis/networking.k8s.io/v1", "ingresses", "io.k8s.api.networking.v1.Ingress"),
    "pods": ("/api/v1", "pods", "io.k8s.api.core.v1.Pod"),
    "replicasets.apps": ("/apis/apps/v1", "replicasets", "io.k8s.api.apps.v1.ReplicaSet"),
    "services": ("/api/v1", "services", "io.k8s.api.core.v1.Service"),
    "widgets.golden.logbook": ("/apis/golden.logbook/v1", "widgets", None),
}


class Server:
    def __init__(self, directory):
        text = (pathlib.Path(directory) / "env").read_text()
        env = dict(re.findall(r"^export (CONTROLPLANE_\w+)=(.*)$", text, re.M))
        self.url = env["CONTROLPLANE_SERVER"]
        self.tls = ssl.create_default_context(cafile=env["CONTROLPLANE_CA"])
        self.tls.load_cert_chain(env["CONTROLPLANE_CERT"], env["CONTROLPLANE_KEY"])

    def call(self, method, path, body=None, content_type="application/json"):
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": content_type, "Accept": "application/json"})
        try:
            with urllib.request.urlopen(request, context=self.tls) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            sys.exit("%s %s: %s" % (method, path, error.read().decode()))

    def path(self, resource, name=""):
        root, plural, _ = RESOURCES[resource]
        return "%s/namespaces/%s/%s/%s" % (root, NS, plural, name)

    def get(self, resource, name):
        return self.call("GET", self.path(resource, name))

    def apply(self, resource, body):
        return self.call("PATCH", self.path(resource, body["metadata"]["name"]) +
                         "?force=true&fieldManager=" + MANAGER, body, "application/apply-patch+yaml")

    def edit(self, resource, name, body, manager="somebody", subresource=""):
        return self.call("PATCH", self.path(resource, name) + subresource + "?fieldManager=" + manager,
                         body, "application/merge-patch+json")

    def json_patch(self, resource, name, body, subresource=""):
        return self.call("PATCH", self.path(resource, name) + subresource + "?fieldManager=" + MANAGER,
                         body, "application/json-patch+json")


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")


# Objects as the SimpleApp operator applies them.

def labels(name):
    return {"app.kubernetes.io/instance": name, "app.kubernetes.io/managed-by": "logbook",
            "app.kubernetes.io/name": "simpleapp"}


def selector(name):
    return {"app.kubernetes.io/instance": name, "app.kubernetes.io/name": "simpleapp"}


def metadata(name, owner):
    return {"name": name, "namespace": NS, "labels": labels(name), "ownerReferences": [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner, "controller": True,
         "blockOwnerDeletion": True}]}


def deployment(name, owner, image="nginx:1.27", **container):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(name, owner), "spec": {
        "replicas": 2, "selector": {"matchLabels": selector(name)}, "template": {
            "metadata": {"labels": selector(name)}, "spec": {"containers": [dict(
                {"name": "app", "image": image,
                 "ports": [{"name": "http", "containerPort": 80, "protocol": "TCP"}]},
                **container)]}}}}


def service(name, owner, port=80, **spec):
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata(name, owner), "spec": dict(
        {"selector": selector(name),
         "ports": [{"name": "http", "port": port, "targetPort": "http", "protocol": "TCP"}]}, **spec)}


def ingress(name, owner, host="blog.bootcamp.local"):
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata(name, owner),
            "spec": {"rules": [{"host": host, "http": {"paths": [
                {"path": "/", "pathType": "Prefix",
                 "backend": {"service": {"name": name, "port": {"name": "http"}}}}]}}]}}


def full_deployment(name, owner):
    """Every field that the server defaults, rounds or rewrites (kubernetes-contract.md 3.5, 3.6)."""
    body = deployment(
        name, owner,
        args=["--b", "--a"],
        env=[{"name": "EMPTY", "value": ""}, {"name": "B", "value": "2"}, {"name": "A", "value": "$(B)"},
             {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
             {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
             {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "owner", "key": "k"}}}],
        livenessProbe={"httpGet": {"port": "http"}, "initialDelaySeconds": 0},
        readinessProbe={"tcpSocket": {"port": 80}},
        startupProbe={"grpc": {"port": 80}},
        resources={"limits": {"cpu": "1000m", "memory": "2048Mi"},
                   "requests": {"cpu": 0.5, "memory": "1.5Gi", "ephemeral-storage": "0.0001"}},
        stdin=False,
        volumeMounts=[{"name": "empty", "mountPath": "/empty", "readOnly": False}])
    body["metadata"]["annotations"] = {"note": ""}
    body["metadata"]["finalizers"] = ["golden.logbook/hold"]
    body["spec"].update(minReadySeconds=0, paused=False, strategy={"type": "RollingUpdate"})
    body["spec"]["template"]["spec"].update(
        automountServiceAccountToken=False, hostNetwork=False, securityContext={}, tolerations=[],
        nodeSelector={"kubernetes.io/os": "linux"},
        affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": selector(name)}}]}},
        topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway",
                                    "labelSelector": {"matchLabels": selector(name)}}],
        initContainers=[{"name": "first", "image": "busybox"}, {"name": "second", "image": "busybox:latest"}],
        volumes=[
            {"name": "empty", "emptyDir": {"sizeLimit": "1024Mi"}},
            {"name": "config", "configMap": {"name": "owner", "items": [{"key": "k", "path": "p"}]}},
            {"name": "secret", "secret": {"secretName": "s", "optional": True}},
            {"name": "host", "hostPath": {"path": "/tmp"}},
            {"name": "down", "downwardAPI": {"items": [
                {"path": "name", "fieldRef": {"fieldPath": "metadata.name"}},
                {"path": "cpu", "resourceFieldRef": {"containerName": "app", "resource": "limits.cpu"}}]}},
            {"name": "projected", "projected": {"sources": [
                {"serviceAccountToken": {"path": "token"}}, {"configMap": {"name": "owner"}},
                {"downwardAPI": {"items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.name"}}]}}]}}])
    return body


def widget(name):
    return {"apiVersion": "golden.logbook/v1", "kind": "Widget",
            "metadata": {"name": name, "namespace": NS, "labels": {"empty": ""}},
            "spec": {"host": "", "count": 0, "parts": [{"name": "a"}, {"name": "b", "weight": 7}]}}


def record_objects(server, owner):
    two = service("two", owner, type="NodePort", sessionAffinity="ClientIP")
    two["spec"]["ports"] = [{"name": "tcp", "port": 53, "protocol": "TCP"},
                            {"name": "udp", "port": 53, "protocol": "UDP", "targetPort": 5353}]
    hostless = ingress("hostless", owner, host="")
    hostless["spec"].update(tls=[{"hosts": ["a.b"], "secretName": "s"}],
                            defaultBackend={"service": {"name": "web", "port": {"number": 80}}})
    bodies = {
        "deployment": ("deployments.apps", deployment("web", owner)),
        "deployment_full": ("deployments.apps", full_deployment("full", owner)),
        "service": ("services", service("web", owner)),
        "service_two_protocols": ("services", two),
        "ingress": ("ingresses.networking.k8s.io", ingress("web", owner)),
        "ingress_hostless": ("ingresses.networking.k8s.io", hostless),
        "configmap": ("configmaps", {"apiVersion": "v1", "kind": "ConfigMap",
                                     "metadata": metadata("web", owner), "data": {"a": "1", "empty": ""}}),
        "widget": ("widgets.golden.logbook", widget("w")),
    }
    for resource, body in bodies.values():
        server.apply(resource, body)
    time.sleep(5)  # the controllers write the status
    for name, (resource, body) in bodies.items():
        live = server.get(resource, body["metadata"]["name"])
        write(HERE / "objects" / (name + ".json"), {"resource": resource, "desired": body, "live": live})


def settled(server, resource, item):
    """The object once its controllers have nothing more to write."""
    while resource == "deployments.apps" and (
            item.get("status", {}).get("observedGeneration") != item["metadata"]["generation"] or
            not any(c.get("reason") == "NewReplicaSetAvailable" for c in item["status"].get("conditions", []))):
        time.sleep(0.5)
        item = server.get(resource, item["metadata"]["name"])
    return item


def record_echoes(server, owner):
    def echo(name, resource, before, applied, after, foreign=None):
        write(HERE / "objects" / "echo" / (name + ".json"),
              {"resource": resource, "before": before, "applied": applied, "after": after,
               "foreign": foreign})

    def applied(name, resource, first, second, foreign=None, meanwhile=None):
        """Applies `first`, lets somebody do `meanwhile`, applies `second`."""
        before = settled(server, resource, server.apply(resource, first))
        if meanwhile is not None:
            server.edit(resource, before["metadata"]["name"], *meanwhile)
        echo(name, resource, before, second, server.apply(resource, second), foreign)

    kind = "deployments.apps"

    def env(names):
        return [{"name": n, "value": n.lower()} for n in names]

    body = deployment("created", owner)
    echo("created", kind, None, body, server.apply(kind, body))
    applied("image", kind, deployment("image", owner), deployment("image", owner, image="nginx:1.28"))
    applied("env_replaced", kind, deployment("env", owner, env=env("AB")), deployment("env", owner, env=env("BC")))
    applied("env_removed", kind, deployment("envs", owner, env=env("AB")), deployment("envs", owner))
    applied("probe_added", kind, deployment("probe", owner),
            deployment("probe", owner, livenessProbe={"httpGet": {"port": 80}}))
    applied("probe_removed", kind, deployment("probes", owner, livenessProbe={"httpGet": {"port": 80}}),
            deployment("probes", owner))
    annotated = deployment("note", owner)
    annotated["metadata"]["annotations"] = {"note": "x"}
    applied("annotation_added", kind, deployment("note", owner), annotated)
    applied("annotation_removed", kind, annotated, deployment("note", owner))
    other = deployment("notes", owner)
    other["metadata"]["annotations"] = {"note": "x"}
    applied("annotation_added_beside_a_foreign_first_one", kind, deployment("notes", owner), other,
            ".metadata.annotations.team", ({"metadata": {"annotations": {"team": "blue"}}},))
    applied("image_beside_a_foreign_label", kind, deployment("foreign", owner),
            deployment("foreign", owner, image="nginx:1.28"), ".metadata.labels.team",
            ({"metadata": {"labels": {"team": "blue"}}},))
    applied("image_beside_a_foreign_status", kind, deployment("status", owner),
            deployment("status", owner, image="nginx:1.28"), ".status.collisionCount",
            ({"status": {"collisionCount": 3}}, "somebody", "/status"))
    fewer = deployment("fewer", owner)
    del fewer["spec"]["replicas"]
    applied("replicas_dropped_to_the_default", kind, deployment("fewer", owner), fewer)

    kind = "services"
    applied("service_port", kind, service("port", owner), service("port", owner, port=8080))
    applied("service_port_beside_a_foreign_one", kind, service("ports", owner),
            service("ports", owner, port=8080), '.spec.ports[port=9090,protocol="TCP"]',
            ({"spec": {"ports": service("x", owner)["spec"]["ports"] + [{"name": "more", "port": 9090}]}},))
    applied("service_node_port", kind, service("node", owner), service("node", owner, type="NodePort"))
    applied("service_port_that_somebody_made_first", kind, service("first", owner),
            service("first", owner, port=81), '.spec.ports[port=81,protocol="TCP"].appProtocol',
            ({"spec": {"ports": [{"name": "http", "port": 81, "targetPort": "http", "appProtocol": "h2c"}]}},))
    before = server.apply(kind, service("selector", owner))
    before = server.edit(kind, "selector", {"spec": {"selector": {"extra": "x"}}})
    echo("service_selector_restored", kind, before, service("selector", owner),
         server.apply(kind, service("selector", owner)))

    kind = "ingresses.networking.k8s.io"
    applied("ingress_host", kind, ingress("host", owner), ingress("host", owner, host="other.local"))
    before = server.apply(kind, ingress("rules", owner))
    before = server.edit(kind, "rules", {"spec": {"rules": before["spec"]["rules"] + [{"host": "x.y"}]}})
    echo("ingress_rule_restored", kind, before, ingress("rules", owner), server.apply(kind, ingress("rules", owner)))

    kind = "widgets.golden.logbook"
    ours = {"metadata": {"finalizers": ["golden.logbook/ours"]}}
    add = [{"op": "test", "path": "/metadata/finalizers", "value": None},
           {"op": "add", "path": "/metadata/finalizers", "value": ours["metadata"]["finalizers"]}]
    before = server.apply(kind, widget("finalizer"))
    after = server.json_patch(kind, "finalizer", add)
    echo("finalizer_added", kind, before, ours, after)
    remove = [{"op": "remove", "path": "/metadata/finalizers/0"}]
    echo("finalizer_removed", kind, after, ours, server.json_patch(kind, "finalizer", remove))
    before = server.json_patch(kind, "finalizer", add)
    server.edit(kind, "finalizer", {"metadata": {"finalizers": ["golden.logbook/ours", "golden.logbook/other"]}})
    echo("finalizer_removed_beside_a_foreign_one", kind, before, ours,
         server.json_patch(kind, "finalizer", remove), '.metadata.finalizers[="golden.logbook/other"]')

    def ready(status):
        return {"type": "Ready", "status": status, "reason": "R", "message": ""}
    first = {"status": {"phase": "Pending", "conditions": [ready("False")]}}
    before = server.apply(kind, widget("status"))
    after = server.edit(kind, "status", first, MANAGER, "/status")
    echo("status_first", kind, before, first, after)
    second = {"status": {"phase": None, "conditions": [ready("True")]}}
    echo("status_second", kind, after, second, server.edit(kind, "status", second, MANAGER, "/status"))
    before = server.get(kind, "status")
    server.edit(kind, "status", {"spec": {"count": 5}})
    echo("status_beside_a_foreign_spec", kind, before, {"status": {"phase": "Available"}},
         server.edit(kind, "status", {"status": {"phase": "Available"}}, MANAGER, "/status"), ".spec.count")


def record_openapi(server):
    """One line per list of objects, set, atomic struct, map of strings and quantity."""
    definitions = server.call("GET", "/openapi/v2")["definitions"]
    lines = []

    def walk(schema, path, inside_atomic, seen):
        name = re.sub(".*/", "", schema.get("$ref", ""))
        if name in seen:
            return
        atomic = schema.get("x-kubernetes-map-type") == "atomic"
        if name:
            schema, seen = definitions[name], seen | {name}
            atomic = atomic or schema.get("x-kubernetes-map-type") == "atomic"
        if atomic and not inside_atomic:
            lines.append(path + " atomic")
        if name.endswith("Quantity") and ".status." not in path:
            lines.append(path + " quantity")
        inside_atomic = inside_atomic or atomic
        for field, below in schema.get("properties", {}).items():
            if field != "managedFields":
                walk(below, path + "." + field, inside_atomic, seen)
        if schema.get("additionalProperties", {}).get("type") == "string":
            lines.append(path + " open")
        elif "additionalProperties" in schema:
            walk(schema["additionalProperties"], path + ".*", inside_atomic, seen)
        if schema.get("type") == "array":
            kind = schema.get("x-kubernetes-list-type", "atomic")
            if not inside_atomic and (kind != "atomic" or "$ref" in schema["items"]):
                keys = ",".join(schema.get("x-kubernetes-list-map-keys", []))
                lines.append((path + " " + kind.replace("atomic", "list") + " " + keys).strip())
            walk(schema["items"], path + "[]", inside_atomic or kind == "atomic", seen)

    for resource, (_, _, definition) in sorted(RESOURCES.items()):
        if definition is not None:
            walk({"$ref": definition}, resource, False, frozenset())
    version = server.call("GET", "/version")["gitVersion"]
    text = "# kube-apiserver %s, recorded by record.py\n" % version + "\n".join(sorted(lines)) + "\n"
    (HERE / "openapi").mkdir(exist_ok=True)
    (HERE / "openapi" / "fields.txt").write_text(text)


def define_widget(server):
    def string(**more):
        return dict({"type": "string"}, **more)
    part = {"type": "object", "properties": {
        "name": string(), "weight": {"type": "integer", "default": 1}}}
    schema = {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "host": string(), "count": {"type": "integer"}, "parts": {"type": "array", "items": part}}},
        "status": {"type": "object", "properties": {
            "phase": string(),
            "conditions": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
                           "items": {"type": "object", "required": ["type"],
                                     "properties": {k: string() for k in ("type", "status", "reason", "message")}}}}}}}
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
               "schema": {"openAPIV3Schema": schema}}
    server.call("PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.golden.logbook"
                "?fieldManager=record&force=true",
                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                 "metadata": {"name": "widgets.golden.logbook"},
                 "spec": {"group": "golden.logbook", "scope": "Namespaced", "versions": [version],
                          "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"}}},
                "application/apply-patch+yaml")
    time.sleep(3)  # until it is served


def main():
    server = Server(sys.argv[1])
    for old in (HERE / "objects").rglob("*.json"):
        old.unlink()
    server.call("POST", "/api/v1/namespaces", {"metadata": {"name": NS}})
    owner = server.call("POST", server.path("configmaps"), {"metadata": {"name": "owner"}})["metadata"]["uid"]
    define_widget(server)
    record_openapi(server)
    record_objects(server, owner)
    record_echoes(server, owner)


if __name__ == "__main__":
    main()
