#!/usr/bin/env bash
# A real control plane for trying things out: prints its KUBECONFIG, stays until Ctrl-C, then leaves nothing behind.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

controlplane=$root/tests/controlplane/controlplane.sh
dir=$(mktemp -d "${TMPDIR:-/tmp}/logbook-cluster.XXXXXX")

clean_up() {
  trap - EXIT INT TERM
  if [[ -f $dir/settings ]]; then "$controlplane" stop "$dir" || true; fi
  rm -rf "$dir"
}

main() {
  trap clean_up EXIT
  trap 'exit 0' INT TERM
  "$controlplane" start "$dir" --watch-pid $$ --crds "$root/deploy/crd/bases"
  say "# kubectl and more for this cluster:  source $dir/env"
  say "# Ctrl-C stops it."
  sleep infinity &
  wait $!
}

main "$@"
