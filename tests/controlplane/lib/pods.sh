# How fast Pods become Ready, switched while everything runs: kwok reads its Stages from the API.
# shellcheck shell=bash

set_pod_delay() {
  kctl patch stage pod-ready --type=merge -p "{\"spec\":{\"delay\":{\"durationMilliseconds\":$1}}}" >/dev/null
}

# pods_slow SECONDS: the delay first, for a Pod between the two changes would be Ready at once.
pods_slow() {
  [[ $1 =~ ^[0-9]+$ ]] || die "pods slow: '$1' is not a number of seconds"
  set_pod_delay "$(($1 * 1000))"
  kctl apply --server-side --validate=false -f "$here/config/stage-pod-creating.yaml" >/dev/null
}

pods_fast() {
  kctl delete stage pod-creating --ignore-not-found >/dev/null
  set_pod_delay 0
  wait_until 20 no_pod_is_slow || die "some Pods are still waiting; see $logs/kwok.log"
}

slow_pods() {
  kctl get pods -A -o 'jsonpath={range .items[?(@.status.containerStatuses[0].state.waiting.reason=="ContainerCreating")]}{.metadata.namespace} {.metadata.name}{"\n"}{end}'
}

# kwok has put the Pods that wait into its queue with the old delay, and looks at them again when they change.
# So change them, until kwok has seen the new Stage before it has seen the Pod.
no_pod_is_slow() {
  local namespace name found=0
  while read -r namespace name; do
    found=1
    kctl patch pod "$name" -n "$namespace" --subresource=status --type=strategic -p \
      "{\"status\":{\"conditions\":[{\"type\":\"PodReadyToStartContainers\",\"status\":\"True\",\"lastProbeTime\":\"$(date -u +%FT%TZ)\"}]}}" || true
  done < <(slow_pods)
  ((!found))
}
