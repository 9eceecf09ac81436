#!/usr/bin/env bash
# deploy/ on a real API server: every overlay is accepted, the schema refuses what it should and prints its six columns,
# and the operator may do exactly what it needs. Exit status 77: there is no control plane.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
controlplane=$root/tests/controlplane/controlplane.sh
dir=$(mktemp -d "${TMPDIR:-/tmp}/logbook-deploy.XXXXXX")
failures=0

clean_up() {
  if [[ -f $dir/settings ]]; then "$controlplane" stop "$dir" || true; fi
  rm -rf "$dir"
}

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# equal WHAT EXPECTED ACTUAL
equal() { [[ $2 == "$3" ]] || fail "$1: expected '$2', got '$3'"; }

# app NAME SPEC: a SimpleApp as JSON.
app() {
  printf '{"apiVersion":"apps.bootcamp.local/v1","kind":"SimpleApp","metadata":{"name":"%s","namespace":"default"},"spec":%s}' "$1" "$2"
}

accepts() { app try "$1" | kubectl create --dry-run=server -f - >/dev/null || fail "refused: $1"; }

# refuses SPEC WORDS: with a message that has the words.
refuses() {
  local message
  if message=$(app try "$1" | kubectl create --dry-run=server -f - 2>&1); then
    fail "accepted: $1"
  elif [[ $message != *"$2"* ]]; then
    fail "refused without saying '$2': $message"
  fi
}

test_overlays() {
  local overlay
  kubectl create namespace simpleapp-system >/dev/null
  for overlay in crd default persistent namespaced samples; do
    kubectl apply --server-side --dry-run=server -k "$root/deploy/$overlay" >/dev/null || fail "overlay $overlay"
  done
  kubectl apply --server-side --force-conflicts -k "$root/deploy/default" >/dev/null || fail "apply of deploy/default"
}

test_schema() {
  accepts '{"image":"nginx:1.27"}'
  accepts '{"image":"abc","replicas":0,"port":1,"host":""}'
  accepts '{"image":"registry:5000/a/b@sha256:0123","replicas":2147483647,"port":65535,"host":"a.b"}'
  refuses '{}' 'spec.image'
  refuses '{"image":"ab"}' 'at least 3 chars'
  refuses '{"image":7}' 'must be of type string'
  refuses '{"image":"nginx","replicas":-1}' 'greater than or equal to 0'
  refuses '{"image":"nginx","replicas":2147483648}' 'spec.replicas'
  refuses '{"image":"nginx","replicas":1.5}' 'spec.replicas'
  refuses '{"image":"nginx","port":0}' 'greater than or equal to 1'
  refuses '{"image":"nginx","port":65536}' 'less than or equal to 65535'
  refuses '{"image":"nginx","host":7}' 'must be of type string'
  refuses '{"image":"nginx","foo":1}' 'unknown field'
  refuses 'null' 'spec'
  equal "defaults" "1 80" "$(app try '{"image":"nginx"}' | kubectl create --dry-run=server -f - -o jsonpath='{.spec.replicas} {.spec.port}')"
}

test_status() {
  app shown '{"image":"nginx:1.27","host":"shown.local"}' | kubectl create -f - >/dev/null
  kubectl patch simpleapp shown --subresource=status --type=merge -p '{"status":{"phase":"Available","readyReplicas":1,
    "url":"http://shown.local","lastUpdated":"2026-05-26T03:14:00Z","message":"All 1/1 replicas ready",
    "observedGeneration":1,"conditions":[{"type":"Available","status":"True","reason":"Ready","message":"",
    "lastTransitionTime":"2026-05-26T03:14:00Z"}]}}' >/dev/null || fail "a full status is refused"
  equal "columns" "NAME IMAGE REPLICAS READY PHASE URL AGE" "$(kubectl get simpleapps | head -n 1 | xargs)"
  equal "row" "shown nginx:1.27 1 1 Available http://shown.local" \
    "$(kubectl get sapp shown --no-headers | awk '{$NF = ""; print}' | xargs)"
  if kubectl patch simpleapp shown --subresource=status --type=merge -p '{"status":{"phase":"Fine"}}' >/dev/null 2>&1; then
    fail "phase Fine is accepted"
  fi
  equal "generation after status writes" 1 "$(kubectl get sapp shown -o jsonpath='{.metadata.generation}')"
  kubectl patch simpleapp shown --type=merge -p '{"status":{"phase":"Failed"}}' >/dev/null
  equal "status is written through /status only" Available "$(kubectl get sapp shown -o jsonpath='{.status.phase}')"
}

# can ANSWER NAMESPACE VERB RESOURCE [FLAGS]: whether the operator's service account may.
can() {
  local answer=$1 namespace=$2
  shift 2
  equal "may the operator, in $namespace, $*" "$answer" \
    "$(kubectl auth can-i "$@" -n "$namespace" --as system:serviceaccount:simpleapp-system:simpleapp-controller-manager 2>/dev/null || true)"
}

test_rights() {
  local verb resource
  for verb in get list watch patch; do can yes shop "$verb" simpleapps.apps.bootcamp.local; done
  for verb in create update delete; do can no shop "$verb" simpleapps.apps.bootcamp.local; done
  can yes shop patch simpleapps.apps.bootcamp.local --subresource=status
  can yes shop update simpleapps.apps.bootcamp.local --subresource=finalizers
  for resource in deployments.apps services ingresses.networking.k8s.io; do
    for verb in get list watch create patch delete; do can yes shop "$verb" "$resource"; done
    for verb in update deletecollection; do can no shop "$verb" "$resource"; done
  done
  for resource in replicasets.apps pods; do
    for verb in get list watch; do can yes shop "$verb" "$resource"; done
    for verb in create patch update delete; do can no shop "$verb" "$resource"; done
  done
  for verb in create get; do can yes shop "$verb" configmaps; done
  for verb in list watch patch update delete; do can no shop "$verb" configmaps; done
  for verb in create list patch delete; do can yes simpleapp-system "$verb" configmaps; done
  can no simpleapp-system update configmaps
  can no shop create events
  can no shop create events.events.k8s.io
  can yes shop get customresourcedefinitions.apiextensions.k8s.io/simpleapps.apps.bootcamp.local
  can no shop get customresourcedefinitions.apiextensions.k8s.io/other.example.com
  can yes kube-system get namespaces/kube-system
  can no shop get namespaces/shop
  for resource in secrets nodes roles.rbac.authorization.k8s.io; do can no shop get "$resource"; done
  can no shop create pods --subresource=exec
}

# People get SimpleApps through the roles their cluster has already.
test_user_roles() {
  kubectl create namespace shop >/dev/null
  kubectl create rolebinding -n shop eve --clusterrole=view --user=eve >/dev/null
  kubectl create rolebinding -n shop ed --clusterrole=edit --user=ed >/dev/null
  # roles are aggregated by a controller, a moment after they are made
  local deadline=$((SECONDS + 30))
  until kubectl auth can-i list simpleapps.apps.bootcamp.local -n shop --as eve >/dev/null 2>&1; do
    if ((SECONDS > deadline)); then
      fail "view is not given list of simpleapps"
      break
    fi
  done
  equal "may a viewer delete" no "$(kubectl auth can-i delete simpleapps.apps.bootcamp.local -n shop --as eve 2>/dev/null || true)"
  equal "may an editor patch" yes "$(kubectl auth can-i patch simpleapps.apps.bootcamp.local -n shop --as ed 2>/dev/null || true)"
}

# The Pod satisfies the policy of its namespace: the Deployment's controller can make it.
test_restricted_pod() {
  kubectl rollout status -n simpleapp-system deployment/simpleapp-controller-manager --timeout=60s >/dev/null ||
    fail "the operator's Pod is not made: $(kubectl get events -n simpleapp-system -o jsonpath='{.items[*].message}')"
}

main() {
  local status=0
  "$root/tests/controlplane/build.sh" >/dev/null || status=$?
  ((status == 0)) || exit "$status"
  trap clean_up EXIT
  "$controlplane" start "$dir" --watch-pid $$ --crds "$root/deploy/crd/bases" >/dev/null
  # shellcheck disable=SC1091
  source "$dir/env"
  test_overlays
  test_schema
  test_status
  test_rights
  test_user_roles
  test_restricted_pod
  if ((failures > 0)); then
    echo "$failures failures"
    exit 1
  fi
  echo "deploy/ is fine"
}

main "$@"
