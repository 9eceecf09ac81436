#!/usr/bin/env bash
# The story of a SimpleApp on a real control plane, with measured times and the journal's seqs. Leaves nothing
# running; the journal stays in build/demo/journal to be looked at.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

readonly controlplane="$root/tests/controlplane/controlplane.sh"
readonly logbook="$root/build/release/src/cmd/logbook"
readonly demo="$root/build/demo"
readonly journal="$demo/journal"
work='' manager=''
steps=() # "number|what|result|begin|end", times as the journal prints them

now() { date -u +%H:%M:%S.%3N; }
millis() { date +%s%3N; }

finish() {
  if [[ -n $manager ]]; then kill "$manager" 2>/dev/null && wait "$manager" 2>/dev/null; fi || true
  if [[ -n $work ]]; then
    "$controlplane" stop "$work/cluster" >/dev/null 2>&1 || true
    rm -rf "$work"
  fi
}

# eventually WHAT COMMAND...: until the command succeeds; ends the demo after a minute.
eventually() {
  local what=$1 until=$((SECONDS + 60))
  shift
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS > until)); then
      echo "demo: $what did not happen within a minute; the operator said:" >&2
      tail -n 20 "$demo/manager.log" >&2
      exit 1
    fi
    read -rt 0.02 <> <(:) || true
  done
}

start_manager() {
  "$logbook" manager --data-dir "$journal" --health-probe-bind-address "127.0.0.1:$health_port" \
    2>>"$demo/manager.log" &
  manager=$!
  eventually "readiness of the operator" curl -fs "http://127.0.0.1:$health_port/readyz"
}

field() { kubectl get "$1" -o "jsonpath=$2" 2>/dev/null; }
has() { [[ $(field "$1" "$2") == "$3" ]]; }
gone() { ! kubectl get "$1" >/dev/null 2>&1; }
differs() { local value; value=$(field "$1" "$2") && [[ -n $value && $value != "$3" ]]; }
audited() { [[ -n $(kubectl get configmaps -l audit.bootcamp.local/source=simpleapp-operator -o name) ]]; }

# story WHAT RESULT COMMAND...: runs the command, which waits until the step is over, and notes how long it took.
story() {
  local what=$1 result=$2 begin start end
  shift 2
  begin=$(now) start=$(millis)
  "$@"
  end=$(millis)
  steps+=("$what|$result after $((end - start)) ms|$begin|$(now)")
  printf '  %-34s %s\n' "$what" "$result after $((end - start)) ms"
}

apply_samples() {
  kubectl apply -k "$root/deploy/samples" >/dev/null
  local app
  for app in case1-minimal case2-multi case3-ingress; do
    eventually "$app Available" has "simpleapp/$app" '{.status.phase}' Available
  done
}
patch_replicas() {
  kubectl patch simpleapp case1-minimal --type=merge -p '{"spec":{"replicas":4}}' >/dev/null
  eventually "four replicas" has deployment/case1-minimal '{.status.readyReplicas}' 4
}
patch_image() {
  kubectl patch simpleapp case3-ingress --type=merge -p '{"spec":{"image":"nginx:1.27.1-alpine"}}' >/dev/null
  eventually "the new image" has deployment/case3-ingress '{.spec.template.spec.containers[0].image}' nginx:1.27.1-alpine
}
delete_deployment() {
  local uid
  uid=$(field deployment/case2-multi '{.metadata.uid}')
  kubectl delete deployment case2-multi --wait=false >/dev/null
  eventually "a new Deployment" differs deployment/case2-multi '{.metadata.uid}' "$uid"
}
kill_and_change() {
  kill -KILL "$manager"
  wait "$manager" 2>/dev/null || true
  kubectl delete service case2-multi >/dev/null
  start_manager
  eventually "the Service back" kubectl get service case2-multi
}
delete_app() {
  kubectl delete simpleapp case1-minimal --wait=false >/dev/null
  eventually "case1-minimal gone" gone simpleapp/case1-minimal
  audited
}

# The seqs of the events between two times, "21..139".
seqs() {
  awk -v from="$1" -v to="$2" '$2 >= from && $2 <= to { if (!first) first = $1; last = $1 }
    END { print first ? first ".." last : "-" }' "$demo/journal.txt"
}

report() {
  "$logbook" log tail --last 0 "$journal" >"$demo/journal.txt"
  echo
  echo "What the journal says:"
  local step what result begin end
  for step in "${steps[@]}"; do
    IFS='|' read -r what result begin end <<<"$step"
    printf '  %-34s %-44s events %s\n' "$what" "$result" "$(seqs "$begin" "$end")"
  done
  echo "  $("$logbook" log verify "$journal")"
  echo
  echo "How case1-minimal went:"
  grep -E '(decided|outcome) .*case1-minimal|case1-minimal +deleted' "$demo/journal.txt" | grep -v 'reconcile: nothing' |
    cut -c1-150 | sed 's/^/  /' || true
  echo
  echo "Look for yourself:"
  echo "  ${logbook#"$root"/} log tail --last 50 ${journal#"$root"/}"
  echo "  ${logbook#"$root"/} log info ${journal#"$root"/}"
}

main() {
  "$root/scripts/bootstrap.sh"
  say "The first time, building takes about fifteen minutes on two cores; progress is in build/logs."
  step logbook-build build release logbook
  local status=0 bin
  step controlplane-build "$root/tests/controlplane/build.sh" || status=$?
  bin=$(tail -n 1 "$logs/controlplane-build.log")
  ((status != 77)) || die "needs the real control plane: $bin"
  ((status == 0)) || exit "$status"
  rm -rf "$demo" && mkdir -p "$demo"
  work=$(mktemp -d)
  trap finish EXIT
  echo "Starting a Kubernetes control plane ($("$bin/kubectl" version --client | sed -n 's/^Client Version: //p')) ..."
  "$controlplane" start "$work/cluster" --watch-pid $$ --crds "$root/deploy/crd/bases" >"$demo/cluster.log" 2>&1
  # shellcheck source=/dev/null
  source "$work/cluster/env"
  health_port=$((20000 + RANDOM % 12000))
  start_manager
  echo
  story "apply deploy/samples" "3 SimpleApps Available" apply_samples
  kubectl get simpleapps | sed 's/^/    /'
  story "patch replicas 1 -> 4" "Deployment at 4" patch_replicas
  story "patch the image" "Deployment rolls out" patch_image
  story "delete deploy/case2-multi" "made again" delete_deployment
  story "kill -9, delete a Service, start" "made again" kill_and_change
  story "delete simpleapp/case1-minimal" "audited, released and gone" delete_app
  kubectl get configmaps -l audit.bootcamp.local/source=simpleapp-operator \
    -o 'jsonpath={range .items[*]}    {.metadata.name} {.data}{"\n"}{end}'
  kill "$manager" && wait "$manager" && manager=
  report
}

main "$@"
