#include "logbook/model/list_types_table.h"

namespace logbook {
namespace {

constexpr ListKind kAtomic = ListKind::kAtomic;
constexpr ListKind kSet = ListKind::kSet;
constexpr ListKind kMap = ListKind::kMap;

// Named as in OpenAPI, where it names them. "Object" is what is known of kinds not listed here.
constexpr ResourceRow kResources[] = {
    {"configmaps", "ConfigMap"},
    {"deployments.apps", "Deployment"},
    {"ingresses.networking.k8s.io", "Ingress"},
    {"pods", "Pod"},
    {"replicasets.apps", "ReplicaSet"},
    {"services", "Service"},
};

constexpr std::string_view kAtomicTypes[] = {
    "AtomicStrings",     "LabelSelector",         "LocalObjectReference",
    "NodeSelector",      "ObjectFieldSelector",   "OwnerReference",
    "Reference",         "ResourceFieldSelector", "FileKeySelector",
    "ServiceBackendPort"};

// "Strings" is a map from names to strings, "AtomicStrings" one that is replaced whole, "Reference"
// any atomic struct without lists, maps or defaults in it.
constexpr FieldRow kFields[] = {
    {"Object", "metadata", "ObjectMeta"},
    {"Object", "status", "Status"},
    {"Strings", "*", ""},
    {"AtomicStrings", "*", ""},
    {"Quantities", "*", "Quantity"},
    {"Status", "conditions", "", kMap, "type"},

    {"ObjectMeta", "annotations", "Strings"},
    {"ObjectMeta", "finalizers", "", kSet},
    {"ObjectMeta", "labels", "Strings"},
    {"ObjectMeta", "ownerReferences", "OwnerReference", kMap, "uid"},
    {"LabelSelector", "matchLabels", "Strings"},

    {"ConfigMap", "metadata", "ObjectMeta"},
    {"ConfigMap", "data", "Strings"},
    {"ConfigMap", "binaryData", "Strings"},

    {"Service", "metadata", "ObjectMeta"},
    {"Service", "spec", "ServiceSpec"},
    {"Service", "status", "Status"},
    {"ServiceSpec", "ports", "", kMap, "port,protocol=TCP"},
    {"ServiceSpec", "selector", "AtomicStrings"},

    {"Ingress", "metadata", "ObjectMeta"},
    {"Ingress", "spec", "IngressSpec"},
    {"IngressSpec", "defaultBackend", "IngressBackend"},
    {"IngressBackend", "resource", "Reference"},
    {"IngressBackend", "service", "IngressServiceBackend"},
    {"IngressServiceBackend", "port", "ServiceBackendPort"},

    {"Deployment", "metadata", "ObjectMeta"},
    {"Deployment", "spec", "ReplicaSetSpec"},
    {"Deployment", "status", "Status"},
    {"ReplicaSet", "metadata", "ObjectMeta"},
    {"ReplicaSet", "spec", "ReplicaSetSpec"},
    {"ReplicaSet", "status", "Status"},
    {"ReplicaSetSpec", "selector", "LabelSelector"},
    {"ReplicaSetSpec", "template", "PodTemplateSpec"},
    {"PodTemplateSpec", "metadata", "ObjectMeta"},
    {"PodTemplateSpec", "spec", "PodSpec"},

    {"Pod", "metadata", "ObjectMeta"},
    {"Pod", "spec", "PodSpec"},
    {"Pod", "status", "PodStatus"},
    {"PodStatus", "conditions", "", kMap, "type"},
    {"PodStatus", "podIPs", "", kMap, "ip"},
    {"PodStatus", "resourceClaimStatuses", "", kMap, "name"},
    {"PodStatus", "resources", "ResourceRequirements"},
    {"PodStatus", "allocatedResources", "Quantities"},

    {"PodSpec", "affinity", "Affinity"},
    {"PodSpec", "containers", "Container", kMap, "name"},
    {"PodSpec", "ephemeralContainers", "Container", kMap, "name"},
    {"PodSpec", "hostAliases", "", kMap, "ip"},
    {"PodSpec", "imagePullSecrets", "LocalObjectReference", kMap, "name"},
    {"PodSpec", "initContainers", "Container", kMap, "name"},
    {"PodSpec", "nodeSelector", "AtomicStrings"},
    {"PodSpec", "overhead", "Quantities"},
    {"PodSpec", "resourceClaims", "", kMap, "name"},
    {"PodSpec", "resources", "ResourceRequirements"},
    {"PodSpec", "schedulingGates", "", kMap, "name"},
    {"PodSpec", "topologySpreadConstraints", "TopologySpreadConstraint", kMap,
     "topologyKey,whenUnsatisfiable"},
    {"PodSpec", "volumes", "Volume", kMap, "name"},
    {"TopologySpreadConstraint", "labelSelector", "LabelSelector"},

    {"Affinity", "nodeAffinity", "NodeAffinity"},
    {"Affinity", "podAffinity", "PodAffinity"},
    {"Affinity", "podAntiAffinity", "PodAffinity"},
    {"NodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "NodeSelector"},
    {"PodAffinity", "preferredDuringSchedulingIgnoredDuringExecution", "WeightedPodAffinityTerm"},
    {"PodAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "PodAffinityTerm"},
    {"WeightedPodAffinityTerm", "podAffinityTerm", "PodAffinityTerm"},
    {"PodAffinityTerm", "labelSelector", "LabelSelector"},
    {"PodAffinityTerm", "namespaceSelector", "LabelSelector"},

    {"Container", "env", "EnvVar", kMap, "name"},
    {"Container", "ports", "", kMap, "containerPort,protocol=TCP"},
    {"Container", "resources", "ResourceRequirements"},
    {"Container", "volumeDevices", "", kMap, "devicePath"},
    {"Container", "volumeMounts", "", kMap, "mountPath"},
    {"ResourceRequirements", "claims", "", kMap, "name"},
    {"ResourceRequirements", "limits", "Quantities"},
    {"ResourceRequirements", "requests", "Quantities"},
    {"EnvVar", "valueFrom", "EnvVarSource"},
    {"EnvVarSource", "configMapKeyRef", "Reference"},
    {"EnvVarSource", "fieldRef", "ObjectFieldSelector"},
    {"EnvVarSource", "fileKeyRef", "FileKeySelector"},
    {"EnvVarSource", "resourceFieldRef", "ResourceFieldSelector"},
    {"EnvVarSource", "secretKeyRef", "Reference"},
    {"FileKeySelector", "optional", "", kAtomic, "", "false"},
    {"ObjectFieldSelector", "apiVersion", "", kAtomic, "", "\"v1\""},
    {"ResourceFieldSelector", "divisor", "Quantity", kAtomic, "", "\"0\""},

    {"Volume", "cephfs", "SecretVolume"},
    {"Volume", "cinder", "SecretVolume"},
    {"Volume", "csi", "CsiVolume"},
    {"Volume", "downwardAPI", "DownwardAPI"},
    {"Volume", "emptyDir", "EmptyDir"},
    {"Volume", "ephemeral", "EphemeralVolume"},
    {"Volume", "flexVolume", "FlexVolume"},
    {"Volume", "iscsi", "SecretVolume"},
    {"Volume", "projected", "ProjectedVolume"},
    {"Volume", "rbd", "SecretVolume"},
    {"Volume", "scaleIO", "SecretVolume"},
    {"Volume", "storageos", "SecretVolume"},
    {"SecretVolume", "secretRef", "LocalObjectReference"},
    {"CsiVolume", "nodePublishSecretRef", "LocalObjectReference"},
    {"CsiVolume", "volumeAttributes", "Strings"},
    {"FlexVolume", "options", "Strings"},
    {"FlexVolume", "secretRef", "LocalObjectReference"},
    {"EmptyDir", "sizeLimit", "Quantity"},
    {"DownwardAPI", "items", "DownwardAPIFile"},
    {"DownwardAPIFile", "fieldRef", "ObjectFieldSelector"},
    {"DownwardAPIFile", "resourceFieldRef", "ResourceFieldSelector"},
    {"ProjectedVolume", "sources", "VolumeProjection"},
    {"VolumeProjection", "clusterTrustBundle", "ClusterTrustBundle"},
    {"VolumeProjection", "downwardAPI", "DownwardAPI"},
    {"VolumeProjection", "podCertificate", "PodCertificate"},
    {"VolumeProjection", "serviceAccountToken", "ServiceAccountToken"},
    {"ClusterTrustBundle", "labelSelector", "LabelSelector"},
    {"PodCertificate", "userAnnotations", "Strings"},
    {"ServiceAccountToken", "expirationSeconds", "", kAtomic, "", "3600"},
    {"EphemeralVolume", "volumeClaimTemplate", "VolumeClaimTemplate"},
    {"VolumeClaimTemplate", "metadata", "ObjectMeta"},
    {"VolumeClaimTemplate", "spec", "VolumeClaimSpec"},
    {"VolumeClaimSpec", "dataSource", "Reference"},
    {"VolumeClaimSpec", "resources", "VolumeResources"},
    {"VolumeClaimSpec", "selector", "LabelSelector"},
    {"VolumeResources", "limits", "Quantities"},
    {"VolumeResources", "requests", "Quantities"},
};

}  // namespace

std::span<const FieldRow> FieldRows() {
  return kFields;
}

std::span<const ResourceRow> ResourceRows() {
  return kResources;
}

std::span<const std::string_view> AtomicTypes() {
  return kAtomicTypes;
}

}  // namespace logbook
