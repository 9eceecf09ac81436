// Names of objects: within a kind, and over the whole cluster.
#ifndef LOGBOOK_MODEL_OBJECT_KEY_H_
#define LOGBOOK_MODEL_OBJECT_KEY_H_

#include <compare>
#include <string>
#include <utility>

#include "logbook/base/status.h"

namespace logbook {

// An object among those of its kind. Ordered by namespace, then name.
struct ObjectKey {
  std::string ns;  // empty for cluster-scoped objects
  std::string name;

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;

  // "namespace/name", or "name" for a cluster-scoped object.
  std::string ToString() const { return ns.empty() ? name : Concat(ns, "/", name); }

  template <typename H>
  friend H AbslHashValue(H h, const ObjectKey& key) {
    return H::combine(std::move(h), key.ns, key.name);
  }
};

// One incarnation of an object in the cluster, whatever version it is looked at in.
struct ObjectRef {
  std::string resource;  // "deployments.apps"
  ObjectKey key;
  std::string uid;  // empty where it is not known

  friend bool operator==(const ObjectRef&, const ObjectRef&) = default;

  // "deployments.apps default/web".
  std::string ToString() const { return Concat(resource, " ", key.ToString()); }
};

// What a controller works on: never two workers on one.
struct ControllerKey {
  std::string controller;
  ObjectKey object;

  friend auto operator<=>(const ControllerKey&, const ControllerKey&) = default;
  friend bool operator==(const ControllerKey&, const ControllerKey&) = default;

  std::string ToString() const { return Concat(controller, " ", object.ToString()); }

  template <typename H>
  friend H AbslHashValue(H h, const ControllerKey& key) {
    return H::combine(std::move(h), key.controller, key.object);
  }
};

}  // namespace logbook

#endif  // LOGBOOK_MODEL_OBJECT_KEY_H_
