# Processes by pid file. A pid is believed only if its command line names both the program and this control plane's
# directory, so a pid that was given to somebody else meanwhile is never signalled.
# shellcheck shell=bash

# launch NAME PROGRAM ARGUMENTS...: runs the program detached, its output in logs/NAME.log.
# - its own session: a Ctrl-C or the end of a test's process group does not tear half of a control plane down;
# - no inherited file: a test runner that waits for the end of a pipe would wait for ever;
# - the child writes its pid before it becomes the program: a launcher killed in between leaves nothing unknown behind.
launch() {
  local name=$1
  shift
  rm -f "$pids/$name.pid"
  # shellcheck disable=SC2016
  setsid bash -c '
    for fd in /proc/self/fd/*; do
      fd=${fd##*/}
      if ((fd > 2)); then eval "exec $fd>&-"; fi
    done
    echo $$ >"$0" && exec "$@"' "$pids/$name.pid" "$@" </dev/null >>"$logs/$name.log" 2>&1 &
  disown
  wait_until 10 test -s "$pids/$name.pid" || die "$name was not launched; see $logs/$name.log"
}

# running NAME: prints the pid of the component if it runs. A zombie has no command line, so it does not count.
running() {
  local pid cmdline
  pid=$(cat "$pids/$1.pid" 2>/dev/null) && [[ -n $pid ]] || return 1
  cmdline=$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") || return 1
  [[ $cmdline == *"$1"*"$dir/"* ]] || return 1
  echo "$pid"
}

# listens NAME PORT: whether it is this very process that listens there.
listens() {
  local pid inode
  pid=$(running "$1") || return 1
  inode=$(awk -v address="0100007F:$(printf %04X "$2")" '$2 == address && $4 == "0A" { print $10 }' /proc/net/tcp)
  [[ -n $inode && -n $(find "/proc/$pid/fd" -lname "socket:\[$inode\]") ]]
}

stopped() { ! running "$1"; }

# stop_component NAME [SIGNAL]: sends the signal, waits, and after 20 s kills.
stop_component() {
  local name=$1 pid
  pid=$(running "$name") || return 0
  kill "-${2:-TERM}" "$pid" 2>/dev/null || return 0
  if ! wait_until 20 stopped "$name"; then
    say "$name (pid $pid) did not stop within 20 s, killing it"
    kill -KILL "$pid" 2>/dev/null || true
    wait_until 10 stopped "$name" || die "$name (pid $pid) survives SIGKILL"
  fi
}

# wait_ready NAME SECONDS COMMAND...: like wait_until, but gives up at once when the component has died.
# 1 when it died, 2 when the time is up.
wait_ready() {
  local name=$1 deadline=$((SECONDS + $2))
  shift 2
  until "$@" >/dev/null 2>&1; do
    running "$name" >/dev/null || return 1
    ((SECONDS < deadline)) || return 2
    sleep 0.05
  done
}

# The start time of a process, in clock ticks since boot: with its pid it names a process for good.
process_start() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # the name in parentheses may hold blanks; behind it, the start time is the 20th field
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [[ $1 != Z ]] && echo "${20}"
}

# watch_pid PID: returns when that process has ended.
watch_pid() {
  local start
  start=$(process_start "$1") || return 0
  while [[ $(process_start "$1") == "$start" ]]; do
    sleep 0.5
  done
}
