#!/usr/bin/env bash
# A real Kubernetes control plane in one directory: for end-to-end tests, demos and benchmarks. See README.md.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$here/lib/common.sh"
source "$here/lib/process.sh"
source "$here/lib/certs.sh"
source "$here/lib/components.sh"
source "$here/lib/pods.sh"

usage() {
  cat <<'TEXT'
usage: controlplane.sh COMMAND DIR ...

  start DIR [--fsync] [--watch-pid PID] [--crds PATH]... [--apiserver-arg FLAG]...
                              start one whose whole state is in DIR, and wait until it is ready
      --fsync                 let etcd sync (benchmarks); without it a write is not durable
      --watch-pid PID         stop everything when that process has ended, however it ends
      --crds PATH             install the CRDs of a file or directory before the controllers start; may be repeated
      --apiserver-arg FLAG    a further flag, such as --apiserver-arg=--goaway-chance=0.02; may be repeated
  stop DIR                    stop everything; the files stay
  status DIR                  one line per component; exit 1 unless all run

  apiserver-stop DIR          stop the API server alone
  apiserver-kill DIR          the same by SIGKILL
  apiserver-start DIR [--apiserver-arg FLAG]...
                              start it again on the same port and data; the flags are for this run, beside those of start

  controllers-restart DIR     restart the controller manager, so that it collects garbage of kinds whose CRD is new
                              (by itself it takes up to 40 s to notice; start --crds needs none of this)

  pods slow DIR SECONDS       new Pods show ContainerCreating and become Ready after SECONDS
  pods fast DIR               Pods become Ready at once (as after start), also those that wait
  kubeconfig DIR USER [GROUP] print the path of a kubeconfig with a client certificate for that user

Afterwards: source DIR/env   (KUBECONFIG, PATH, CONTROLPLANE_... variables)
TEXT
}

# parse_options ARGUMENTS...: sets a variable per option, and $rest to the others.
parse_options() {
  apiserver_args=() crds=() rest=() fsync=0 watched_pid=
  while (($#)); do
    case $1 in
      --apiserver-arg=*) apiserver_args+=("${1#*=}") ;;
      --apiserver-arg) apiserver_args+=("${2:?--apiserver-arg needs a flag}") && shift ;;
      --crds=*) crds+=("${1#*=}") ;;
      --crds) crds+=("${2:?--crds needs a path}") && shift ;;
      --watch-pid=*) watched_pid=${1#*=} ;;
      --watch-pid) watched_pid=${2:?--watch-pid needs a pid} && shift ;;
      --fsync) fsync=1 ;;
      -*) die "unknown option $1; see controlplane.sh help" ;;
      *) rest+=("$1") ;;
    esac
    shift
  done
}

# Commands of later calls need to know what this one chose.
write_settings() {
  {
    echo "bin=$(printf %q "$bin")"
    echo "fsync=$fsync"
    echo "etcd_port=${etcd_port:-}"
    echo "apiserver_port=${apiserver_port:-}"
  } >"$dir/settings"
}

write_env() {
  cat >"$dir/env" <<ENV
export KUBECONFIG=$(printf %q "$dir/kubeconfig")
export PATH=$(printf %q "$bin"):"\$PATH"
# what kubectl remembers of another cluster on the same port, and the user's own aliases, have no say here
export KUBECACHEDIR=$(printf %q "$dir/kubectl-cache")
export KUBECTL_KUBERC=false
export CONTROLPLANE_DIR=$(printf %q "$dir")
export CONTROLPLANE_BIN=$(printf %q "$bin")
export CONTROLPLANE_SERVER=https://127.0.0.1:$apiserver_port
export CONTROLPLANE_CA=$(printf %q "$certs/ca.crt")
export CONTROLPLANE_CERT=$(printf %q "$certs/client-admin.crt")
export CONTROLPLANE_KEY=$(printf %q "$certs/client-admin.key")
export CONTROLPLANE_APISERVER_PORT=$apiserver_port
export CONTROLPLANE_ETCD_PORT=$etcd_port
export CONTROLPLANE_AUDIT_LOG=$(printf %q "$dir/audit.log")
export CONTROLPLANE_LOGS=$(printf %q "$logs")
export CONTROLPLANE_PIDS=$(printf %q "$pids")
ENV
}

# The kubeconfigs name the API server's port, so they are made anew with each port that is tried.
launch_first_apiserver() {
  write_settings
  make_kubeconfig "$dir/setup.kubeconfig" setup system:masters
  launch_apiserver
}

make_kubeconfigs() {
  local user
  make_kubeconfig "$dir/kubeconfig" admin system:masters
  for user in kube-controller-manager kube-scheduler; do
    make_kubeconfig "$dir/$user.kubeconfig" "system:$user" system:masters
  done
  make_kubeconfig "$dir/kwok.kubeconfig" kwok system:masters
}

start() {
  local tool
  parse_options "$@"
  use_dir "${rest[0]:-}"
  [[ ! -e $dir/settings ]] || die "$dir holds a control plane already; stop it and remove the directory, or name another"
  for tool in openssl setsid flock realpath base64; do
    command -v "$tool" >/dev/null || skip "$tool is missing; on Debian and Ubuntu: apt-get install openssl util-linux coreutils"
  done
  bin=$("$here/build.sh" | tail -n 1)
  mkdir -p "$certs" "$logs" "$pids"
  printf '%s\n' "${apiserver_args[@]}" | sed '/^$/d' >"$dir/apiserver-args"
  write_settings
  trap 'stop_all' EXIT
  trap 'exit 130' INT TERM HUP
  if [[ -n $watched_pid ]]; then
    launch watcher bash "$here/controlplane.sh" watcher "$dir/" "$watched_pid"
  fi
  make_ca
  make_cert apiserver server /CN=kube-apiserver
  make_service_account_key
  on_free_port etcd_port etcd 30 launch_etcd etcd_ready
  on_free_port apiserver_port kube-apiserver 120 launch_first_apiserver apiserver_ready
  make_kubeconfigs
  install_crds "$here/config/stage-crd.yaml" "${crds[@]}"
  launch_controller_manager
  launch_scheduler
  create_node
  launch_kwok
  must_become_ready kwok 60 node_ready
  must_become_ready kube-controller-manager 60 controllers_ready
  must_become_ready kube-controller-manager 60 default_service_account
  write_env
  trap - EXIT INT TERM HUP
  echo "export KUBECONFIG=$(printf %q "$dir/kubeconfig")"
}

readonly COMPONENTS=(kwok kube-scheduler kube-controller-manager kube-apiserver etcd)

# The clients first and etcd last, so that nobody waits for somebody who is gone.
stop_all() {
  local name pid
  # the watcher itself comes through here when its process has ended
  if pid=$(running watcher) && ((pid != $$)); then stop_component watcher; fi
  for name in kwok kube-scheduler kube-controller-manager; do
    if pid=$(running "$name"); then kill -TERM "$pid" 2>/dev/null || true; fi
  done
  for name in "${COMPONENTS[@]}"; do
    stop_component "$name"
  done
}

status() {
  local name pid rc=0
  for name in "${COMPONENTS[@]}"; do
    if pid=$(running "$name"); then
      echo "$name running, pid $pid, $(awk '/VmRSS/ {print int($2 / 1024)}' "/proc/$pid/status") MiB"
    else
      echo "$name not running"
      rc=1
    fi
  done
  return "$rc"
}

apiserver_start() {
  parse_options "$@"
  use_started "${rest[0]:-}"
  if running kube-apiserver >/dev/null; then die "the API server of $dir runs already"; fi
  launch_apiserver "${apiserver_args[@]}"
  must_become_ready kube-apiserver 120 apiserver_ready
}

controllers_restart() {
  stop_component kube-controller-manager
  launch_controller_manager
  must_become_ready kube-controller-manager 60 controllers_ready
}

# What the watcher process does; `start --watch-pid` launches it.
watcher() {
  watch_pid "$1"
  say "process $1 has ended, stopping $dir"
  stop_all
}

user_kubeconfig() {
  local user=${1:?kubeconfig needs a user} group=${2:-}
  mkdir -p "$dir/users"
  make_kubeconfig "$dir/users/$user.kubeconfig" "$user" "$group"
  echo "$dir/users/$user.kubeconfig"
}

pods() {
  local how=${1:-} directory=${2:-} seconds=${3:-}
  use_started "$directory"
  case $how in
    slow) pods_slow "$seconds" ;;
    fast) pods_fast ;;
    *) die "pods: '$how' is neither slow nor fast" ;;
  esac
}

main() {
  local command=${1:-help}
  (($# == 0)) || shift
  case $command in
    start) start "$@" ;;
    stop) use_started "$@" && stop_all ;;
    status) use_started "$@" && status ;;
    apiserver-start) apiserver_start "$@" ;;
    apiserver-stop) use_started "$@" && stop_component kube-apiserver ;;
    apiserver-kill) use_started "$@" && stop_component kube-apiserver KILL ;;
    controllers-restart) use_started "$@" && controllers_restart ;;
    pods) pods "$@" ;;
    kubeconfig) use_started "$@" && user_kubeconfig "${@:2}" ;;
    watcher) use_started "$@" && watcher "$2" ;;
    help | -h | --help) usage ;;
    *) usage >&2 && exit 2 ;;
  esac
}

main "$@"
