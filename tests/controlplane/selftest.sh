#!/usr/bin/env bash
# Proves what README.md promises, on a control plane of its own. One line per fact, with the seconds it took.
set -euo pipefail

PROGRAM=controlplane/selftest
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$here/lib/common.sh"

# Not `source`d: these are the commands as people call them.
controlplane() { "$here/controlplane.sh" "$@"; }

now() { echo "${EPOCHREALTIME/./}"; }
begin() { begun=$(now); }
ok() { printf 'ok   %5.1f s  %s\n' "$((($(now) - begun) / 100000))e-1" "$*"; }
failed() {
  say "FAILED: $*"
  kubectl get pods -A -o wide >&2 || true
  exit 1
}

# eventually SECONDS WHAT COMMAND...
eventually() {
  local seconds=$1 what=$2
  shift 2
  begin
  wait_until "$seconds" "$@" || failed "$what, not within $seconds s"
  ok "$what"
}

# The STATUS column, as people see it.
pod_status_is() { kubectl get pods -n "$1" -l "app=$2" --no-headers | grep -qw "$3"; }

available() { [[ $(kubectl get deployment "$2" -n "$1" -o 'jsonpath={.status.availableReplicas}') == "$3" ]]; }

none() {
  local names
  names=$(kubectl get "$@" --ignore-not-found -o name) && [[ -z $names ]]
}

deployments() {
  kubectl create namespace one >/dev/null
  kubectl create deployment web --image=nginx:1.27 --replicas=2 -n one >/dev/null
  eventually 30 "a Deployment of 2 replicas becomes available" available one web 2
}

image_errors() {
  kubectl create deployment bad --image=nginx:not-exist -n one >/dev/null
  eventually 20 "an image that does not exist shows ErrImagePull" pod_status_is one bad ErrImagePull
  eventually 20 "and then ImagePullBackOff" pod_status_is one bad ImagePullBackOff
  kubectl get pods -n one -l app=bad
  eventually 30 "and ErrImagePull again" pod_status_is one bad ErrImagePull
  kubectl set image deployment/bad nginx=nginx:1.27 -n one >/dev/null
  eventually 30 "a good image heals it" available one bad 1
  kubectl create deployment name --image=invalid-name -n one >/dev/null
  kubectl create deployment config --image=nginx:config-error -n one >/dev/null
  eventually 20 "an invalid image name shows InvalidImageName" pod_status_is one name InvalidImageName
  eventually 20 "a missing ConfigMap shows CreateContainerConfigError" pod_status_is one config CreateContainerConfigError
}

# The age of the Pod when it became Ready, by the server's own times.
seconds_until_ready() {
  kubectl get pods -n "$1" -l "app=$2" -o json |
    jq '.items[0] | ([.status.conditions[] | select(.type == "Ready")][0].lastTransitionTime | fromdate) - (.metadata.creationTimestamp | fromdate)'
}

slow_pods() {
  controlplane pods slow "$dir" 4
  kubectl create deployment slow --image=nginx:1.27 -n one >/dev/null
  eventually 20 "a slow Pod shows ContainerCreating" pod_status_is one slow ContainerCreating
  eventually 20 "and becomes available" available one slow 1
  (($(seconds_until_ready one slow) >= 4)) || failed "the slow Pod was Ready before its time"
  controlplane pods slow "$dir" 3600
  kubectl create deployment stuck --image=nginx:1.27 -n one >/dev/null
  eventually 20 "a very slow Pod waits" pod_status_is one stuck ContainerCreating
  begin
  controlplane pods fast "$dir"
  wait_until 20 available one stuck 1 || failed "pods fast does not release the Pods that wait"
  ok "pods fast releases it"
  kubectl create deployment fast --image=nginx:1.27 -n one >/dev/null
  eventually 20 "and new Pods are fast" available one fast 1
}

apiserver_restarts() {
  local before
  before=$(kubectl get deployment web -n one -o 'jsonpath={.metadata.uid}')
  begin
  controlplane apiserver-stop "$dir"
  ! kubectl get --raw=/readyz --request-timeout=2s >/dev/null 2>&1 || failed "the API server answers after apiserver-stop"
  ok "apiserver-stop"
  begin
  controlplane apiserver-start "$dir" --apiserver-arg=--goaway-chance=0.01
  ok "apiserver-start with another flag"
  tr '\0' ' ' <"/proc/$(cat "$CONTROLPLANE_PIDS/kube-apiserver.pid")/cmdline" | grep -q -- --goaway-chance=0.01 || failed "the flag is not there"
  begin
  controlplane apiserver-kill "$dir"
  controlplane apiserver-start "$dir"
  ok "apiserver-kill and start"
  [[ $(kubectl get deployment web -n one -o 'jsonpath={.metadata.uid}') == "$before" ]] || failed "the data is not the same"
  kubectl create deployment after --image=nginx:1.27 -n one >/dev/null
  eventually 30 "all components work with the restarted API server" available one after 1
}

audit_log() {
  command -v curl >/dev/null || die "curl is missing, so that no Audit-ID can be sent; install curl"
  begin
  curl --fail --silent --show-error --cacert "$CONTROLPLANE_CA" --cert "$CONTROLPLANE_CERT" --key "$CONTROLPLANE_KEY" \
    -H 'Audit-ID: 3.4711.2' -H 'Content-Type: application/json' -o /dev/null \
    -d '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"audited"},"data":{"key":"value"}}' \
    "$CONTROLPLANE_SERVER/api/v1/namespaces/one/configmaps"
  wait_until 5 grep -q '"auditID":"3.4711.2"' "$CONTROLPLANE_AUDIT_LOG" || failed "no line with the auditID"
  jq -es 'length == 1 and .[0].requestObject.data.key == "value" and .[0].responseObject.metadata.uid != null
          and .[0].verb == "create" and .[0].user.username == "admin"' \
    < <(grep '"auditID":"3.4711.2"' "$CONTROLPLANE_AUDIT_LOG") >/dev/null || failed "the audit line does not tell what was written"
  ok "the audit log has a client's Audit-ID and both bodies"
}

deletions() {
  begin
  kubectl delete deployment web -n one --cascade=foreground --timeout=60s >/dev/null
  none pods -n one -l app=web || failed "Pods are left after a foreground delete"
  ok "a foreground delete takes ReplicaSet and Pods along"
  begin
  kubectl delete namespace one --timeout=120s >/dev/null
  ok "a namespace with $1 Deployments is deleted"
}

# A kind that the garbage collector must know: its CRD was there before the controllers were.
write_crd() {
  cat >"$1" <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: parents.selftest.logbook.dev}
spec:
  group: selftest.logbook.dev
  scope: Namespaced
  names: {kind: Parent, listKind: ParentList, plural: parents, singular: parent}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
YAML
}

children() {
  local uid
  kubectl apply --server-side -f - >/dev/null <<'YAML'
apiVersion: selftest.logbook.dev/v1
kind: Parent
metadata: {name: parent, namespace: one}
YAML
  uid=$(kubectl get parent parent -n one -o 'jsonpath={.metadata.uid}')
  kubectl apply --server-side -f - >/dev/null <<YAML
apiVersion: v1
kind: ConfigMap
metadata:
  name: child
  namespace: one
  ownerReferences:
  - {apiVersion: selftest.logbook.dev/v1, kind: Parent, name: parent, uid: $uid, controller: true, blockOwnerDeletion: true}
YAML
  kubectl delete parent parent -n one >/dev/null
  eventually 5 "a child of a custom resource goes with it ($1)" none configmap child -n one
}

restricted_user() {
  local kubeconfig
  kubeconfig=$(controlplane kubeconfig "$dir" alice)
  begin
  [[ $(kubectl --kubeconfig="$kubeconfig" auth can-i list pods 2>/dev/null) == no ]] || failed "alice may list Pods without a role"
  kubectl create clusterrolebinding alice --clusterrole=view --user=alice >/dev/null
  wait_until 5 kubectl --kubeconfig="$kubeconfig" get pods || failed "alice may not list Pods with a role"
  ok "a user of her own may do what RBAC grants"
}

# A second one beside the first, bound to the life of a process that is then killed.
side_by_side() {
  local holder
  sleep 1000 &
  disown
  holder=$!
  begin
  controlplane start "$other" --watch-pid "$holder" >/dev/null
  ok "a second control plane starts beside the first"
  [[ $(KUBECONFIG=$other/kubeconfig kubectl get deployments -A -o name) == "" ]] || failed "it shows the other one's data"
  kill -KILL "$holder"
  eventually 30 "it stops when the process it was bound to is killed" no_process_of "$other"
  controlplane status "$dir" >/dev/null || failed "the first one does not run any more"
}

# Looks at every process by itself, for a grep would find its own command line.
no_process_of() {
  local file arguments
  for file in /proc/[0-9]*/cmdline; do
    mapfile -d '' -t arguments 2>/dev/null <"$file" || continue
    [[ "${arguments[*]}" != *"$1/"* ]] || return 1
  done
}

finish() {
  local rc=$?
  controlplane stop "$dir" || true
  if [[ -f $other/settings ]]; then controlplane stop "$other" || true; fi
  if ((rc == 0)); then
    rm -rf "$work"
  elif [[ -d $work ]]; then
    say "the logs are kept in $work"
  fi
}

work=$(mktemp -d "${TMPDIR:-/tmp}/controlplane.XXXXXX")
dir=$work/a
other=$work/b
begin
trap finish EXIT
write_crd "$work/crd.yaml"
controlplane start "$dir" --crds "$work/crd.yaml" >/dev/null
ok "a control plane starts"
# shellcheck disable=SC1091
source "$dir/env"
kubectl version
deployments
image_errors
slow_pods
audit_log
children "start --crds"
kubectl delete crd parents.selftest.logbook.dev >/dev/null
kubectl apply -f "$work/crd.yaml" >/dev/null
controlplane controllers-restart "$dir"
children "controllers-restart"
apiserver_restarts
restricted_user
side_by_side
controlplane status "$dir"
deletions 8
begin
controlplane stop "$dir"
no_process_of "$dir" || failed "stop leaves a process"
ok "stop leaves no process"
