#!/usr/bin/env bash
# Everything that looks at sources without running them. Exit status 1 if anything is found.
#
#   scripts/lint.sh           all of it
#   scripts/lint.sh --fast    without clang-tidy, which takes minutes
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Files of the tree, also those that are not added to git yet.
files() { git -C "$root" ls-files -co --exclude-standard --deduplicate -- "$@" | while read -r f; do
  if [[ -f $root/$f ]]; then echo "$root/$f"; fi
done; }

check_format() { files '*.h' '*.cc' | xargs clang-format --dry-run -Werror; }

# The clang build's compile commands: those of g++ hold flags that clang-tidy does not know.
check_tidy() {
  configure clang >/dev/null
  cmake --build "$root/build/clang" -j "$jobs" --target logbook_proto_record >/dev/null
  files 'src/*.cc' | xargs -P "$jobs" -n 1 clang-tidy --quiet -p "$root/build/clang"
}

check_headers() { build clang all_verify_interface_header_sets; }

check_scripts() {
  local script status=0
  while read -r script; do
    bash -n "$script" || status=1
  done < <(scripts)
  if command -v shellcheck >/dev/null; then
    # variables cross the files that are sourced, which shellcheck does not follow everywhere
    scripts | xargs shellcheck -x -P "$root" -e SC1091,SC2034,SC2154 || status=1
  else
    echo "no shellcheck, so scripts were only parsed"
  fi
  return "$status"
}

scripts() { files '*.sh' '.ci/run'; }

main() {
  local status=0
  "$root/scripts/bootstrap.sh" --lint
  step format check_format || status=1
  step scripts check_scripts || status=1
  step headers check_headers || status=1
  if [[ ${1:-} != --fast ]]; then step tidy check_tidy || status=1; fi
  return "$status"
}

main "$@"
