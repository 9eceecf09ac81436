# Shared by the scripts: messages, and steps whose output goes to a log that is shown when they fail.
# shellcheck shell=bash

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/logs
jobs=${JOBS:-$(nproc)}

say() { printf '%s\n' "$*"; }

die() {
  printf '%s: error: %s\n' "$(basename -- "$0")" "$*" >&2
  exit 1
}

# step NAME COMMAND...: runs the command with its output in build/logs/NAME.log. Prints one line, and the end of the
# log when it fails; returns its status.
step() {
  local name=$1 started=$SECONDS status=0
  shift
  mkdir -p "$logs"
  printf '%-28s ' "$name"
  "$@" >"$logs/$name.log" 2>&1 || status=$?
  if ((status == 0)); then
    say "ok      $((SECONDS - started)) s"
  else
    say "FAILED  $((SECONDS - started)) s, status $status; the end of build/logs/$name.log:"
    # what failed, and not the steps that were fine
    grep -vE '^ *[0-9]+/[0-9]+ Test .* Passed |^ +Start +[0-9]+: |^\[[0-9]+/[0-9]+\] ' "$logs/$name.log" |
      cut -c 1-400 | tail -n 60 | sed 's/^/    /'
  fi
  return "$status"
}

# configure PRESET: Ninja where there is one. A build directory keeps the generator it was made with.
configure() {
  local generator=()
  if command -v ninja >/dev/null && [[ ! -f $root/build/$1/CMakeCache.txt ]]; then generator=(-G Ninja); fi
  (cd "$root" && cmake --preset "$1" "${generator[@]}")
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  configure "$preset" && cmake --build "$root/build/$preset" -j "$jobs" ${1:+--target "$@"}
}
