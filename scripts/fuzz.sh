#!/usr/bin/env bash
# Fuzzes each target of tests/fuzz for a while; what it finds is kept in build/fuzz/found.
#
#   scripts/fuzz.sh [SECONDS [TARGET...]]     60 seconds for each of all targets, if nothing is said
#
# An input that found something goes into tests/fuzz/corpus/TARGET once it is repaired.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

readonly SECONDS_EACH=${1:-60}
readonly TARGETS=("${@:2}")

fuzz() {
  local target=$1
  local grown=$root/build/fuzz/corpus/$target found=$root/build/fuzz/found
  mkdir -p "$grown" "$found"
  # new inputs go into the first directory
  "$root/build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$SECONDS_EACH" -timeout=20 -print_final_stats=1 \
    -artifact_prefix="$found/$target-" "$grown" "$root/tests/fuzz/corpus/$target"
}

main() {
  local targets=("${TARGETS[@]}") target status=0
  if ((${#targets[@]} == 0)); then
    for target in "$root"/tests/fuzz/corpus/*/; do targets+=("$(basename -- "$target")"); done
  fi
  step fuzz-build build fuzz fuzzers || return 1
  for target in "${targets[@]}"; do
    step "fuzz-$target" fuzz "$target" || status=1
  done
  return "$status"
}

main
