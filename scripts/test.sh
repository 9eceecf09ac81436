#!/usr/bin/env bash
# Builds and tests everything; the last line is "N passed, N failed, N skipped".
#
#   scripts/test.sh           release build with all tests; address and undefined-behaviour sanitizers for the units
#                             of base, model, store and reconcile
#   scripts/test.sh --full    also the thread sanitizer, clang with its thread-safety analysis, lint, a minute of fuzzing
#                             for each target, and the long tests (labels campaign and load)
#
# Exit status 0 if something passed and nothing failed. Logs are in build/logs.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

passed=0 failed=0 skipped=0
readonly LONG='campaign|load'

# not_run REASON COUNT: counts tests as skipped.
not_run() {
  if (($2 > 0)); then
    say "    $2 skipped: $1"
    skipped=$((skipped + $2))
  fi
}

# A step that is no test fails the run all the same.
must() { step "$@" || failed=$((failed + 1)); }

# Tests that ctest knows in PRESET under the given filter.
count() {
  local preset=$1
  shift
  ctest --test-dir "$root/build/$preset" -N "$@" | sed -n 's/^Total Tests: //p'
}

# add_report FILE STATUS: adds a JUnit report to the sums; STATUS is that of the ctest which wrote it.
add_report() {
  local tests=0 failures=0 not_run=0
  if [[ -f $1 ]]; then read -r tests failures not_run < <(awk -f "$root/scripts/junit_counts.awk" "$1"); fi
  # ctest itself failed: it was killed, or there is no report
  if (($2 != 0 && failures == 0)); then tests=$((tests + 1)) failures=1; fi
  passed=$((passed + tests - failures - not_run))
  failed=$((failed + failures))
  skipped=$((skipped + not_run))
  say "    $((tests - failures - not_run)) passed, $failures failed, $not_run skipped"
}

# run_tests NAME PRESET FILTER...: one run of ctest.
run_tests() {
  local name=$1 preset=$2 status=0
  shift 2
  rm -f "$logs/$name.xml"
  step "$name" ctest --test-dir "$root/build/$preset" -j "$jobs" --output-on-failure --no-tests=ignore \
    --output-junit "$logs/$name.xml" "$@" || status=$?
  add_report "$logs/$name.xml" "$status"
  sed -n 's/^.*- \(.*\) (Skipped)$/    skipped: \1/p' "$logs/$name.log"
}

# The real control plane, for the tests with label e2e. Sets $no_controlplane to the reason if there is none.
build_controlplane() {
  local status=0
  no_controlplane=
  step controlplane-build "$root/tests/controlplane/build.sh" || status=$?
  case $status in
    0) ;;
    77) no_controlplane=$(tail -n 1 "$logs/controlplane-build.log") ;;
    *)
      no_controlplane="its build failed"
      failed=$((failed + 1))
      ;;
  esac
}

test_release() {
  local long=${1:-}
  step release-build build release || {
    failed=$((failed + 1))
    return 0
  }
  run_tests release release -LE "e2e|$LONG"
  if (($(count release -L e2e -LE "$LONG") > 0)); then
    build_controlplane
    if [[ -z $no_controlplane ]]; then
      run_tests release-e2e release -L e2e -LE "$LONG"
    else
      not_run "$no_controlplane" "$(count release -L e2e -LE "$LONG")"
    fi
  fi
  if [[ -z $long ]]; then return 0; fi
  if [[ -z ${no_controlplane:-} ]]; then
    run_tests release-long release -L "$LONG"
  else
    run_tests release-long release -L "$LONG" -LE e2e
  fi
}

# test_units NAME PRESET FOLDER...: the unit tests of these folders, built alone.
test_units() {
  local preset=$1 folder folders=() targets=()
  shift
  for folder in "$@"; do
    if [[ -f $root/tests/$folder/CMakeLists.txt ]]; then
      folders+=("$folder")
      targets+=("${folder}_test")
    fi
  done
  step "$preset-build" build "$preset" "${targets[@]}" || {
    failed=$((failed + 1))
    return 0
  }
  run_tests "$preset" "$preset" -R "^($(IFS='|' && echo "${folders[*]}"))/" -LE "e2e|$LONG"
}

# What only test-full has.
test_more() {
  test_units tsan base model http store k8s reconcile
  must clang-build build clang
  must lint "$root/scripts/lint.sh"
  must fuzz "$root/scripts/fuzz.sh" 60
}

export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-ignore_noninstrumented_modules=1:halt_on_error=1}

main() {
  local full=
  case ${1:-} in
    '') ;;
    --full) full=yes ;;
    *) die "unknown argument $1; the only one is --full" ;;
  esac
  local started=$SECONDS
  rm -f "$logs"/*.xml
  if step bootstrap "$root/scripts/bootstrap.sh" ${full:+--lint}; then
    test_release "$full"
    test_units asan-ubsan base model store reconcile
    if [[ -n $full ]]; then test_more; fi
  else
    failed=1
  fi
  say "took $((SECONDS - started)) s; logs in build/logs"
  say "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0 && passed > 0))
}

main "$@"
