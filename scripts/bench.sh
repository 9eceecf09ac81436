#!/usr/bin/env bash
# Builds every benchmark of bench/, runs one after the other and prints the table each ends with; what
# Google Benchmark says besides is in build/logs. Arguments go to every program: --benchmark_filter=…
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Others at work make everything dearer: shared caches, shared cores.
warn_if_busy() {
  local load
  read -r load _ </proc/loadavg
  if ((${load%.*} >= 1)); then say "the machine is busy (load $load): the figures will be too high"; fi
}

# run NAME ARGUMENT...
run() {
  local name=$1 log=$logs/bench-$1.log
  shift
  "$root/build/release/bench/$name" --benchmark_color=false "$@" >"$log" 2>&1 ||
    die "$name failed; the end of build/logs/bench-$name.log: $(tail -n 3 "$log")"
  say "" "$name"
  sed -n '/^| what /,$p' "$log"
}

main() {
  local names=() file
  for file in "$root"/bench/*_bench.cc; do names+=("$(basename -- "$file" .cc)"); done
  "$root/scripts/bootstrap.sh"
  step release-bench build release "${names[@]}"
  warn_if_busy
  local name
  for name in "${names[@]}"; do run "$name" "$@"; done
}

main "$@"
