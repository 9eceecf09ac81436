#!/usr/bin/env bash
# Builds and runs every benchmark of bench/, one after the other.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

main() {
  [[ -f $root/bench/CMakeLists.txt ]] || die "there are no benchmarks in bench/ yet"
  "$root/scripts/bootstrap.sh"
  step release-build build release
  local benchmark found=
  while read -r benchmark; do
    found=yes
    say "== $(basename -- "$benchmark")"
    "$benchmark" "$@"
  done < <(find "$root/build/release/bench" -maxdepth 1 -type f -perm -u+x -name '*_bench' | sort)
  [[ -n $found ]] || die "no program named *_bench in build/release/bench"
}

main "$@"
