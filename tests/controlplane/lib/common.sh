# Shared by the scripts of this folder: messages, waiting, the layout of a control plane's directory.
# shellcheck shell=bash

say() { printf '%s: %s\n' "${PROGRAM:-controlplane}" "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

# Callers count this exit status as "skipped", never as passed or failed.
readonly EXIT_SKIPPED=77

skip() {
  say "skipped: $*"
  exit "$EXIT_SKIPPED"
}

# wait_until SECONDS COMMAND...: runs the command until it succeeds; 1 when the time is up.
# A deadline by the clock, since on a loaded machine one try may take a second itself.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

# A port nobody listens on. Below the range the kernel takes the ports of outgoing connections from, for a port from
# that range could be taken while the API server is down and its restart must come back on the same one.
# Whoever starts a server on it still has to be ready to lose the race, and try another.
free_port() {
  local port
  while :; do
    port=$((20000 + SRANDOM % 12000))
    # the connection is refused when nobody listens
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

# use_dir DIR: sets $dir and the paths below it. Absolute, since processes are recognised by this path.
use_dir() {
  [[ -n ${1:-} ]] || die "no directory given; see controlplane.sh help"
  dir=$(realpath -m -- "$1")
  certs=$dir/certs
  logs=$dir/logs
  pids=$dir/pids
}

# use_started DIR: for the subcommands that work on a control plane that was started before.
use_started() {
  use_dir "$@"
  [[ -f $dir/settings ]] || die "no control plane in $dir; start one with: controlplane.sh start $dir"
  # shellcheck disable=SC1091
  source "$dir/settings"
}

# log_tail NAME: the end of a component's log, for error messages.
log_tail() {
  [[ -s $logs/$1.log ]] || return 0
  say "the end of $logs/$1.log:"
  tail -n "${2:-15}" "$logs/$1.log" | cut -c1-400 >&2
}
